# SPDX-License-Identifier: Apache-2.0
"""Files of which ranges of bytes are fetched, for ``numpact._core``."""

from __future__ import annotations

import io
import os
import threading
from typing import TYPE_CHECKING, Any, Protocol, Union

from .._errors import InputOutputError, InvalidArgumentError
from .._file import contents
from .._ranges import Location

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from .._file import Source as FileSource

    #: fsspec's open files are io.BufferedIOBase or look like it.
    Source = Union[FileSource, Location]


class Ranges(Protocol):
    """What the core takes: any thread may call it, several at a time."""

    name: str
    size: int | None  #: None: nobody knows

    def read_at(self, offset: int, buffer: memoryview) -> int:
        """Fills the buffer from its start; how many bytes: 0 only at the end of the file."""
        ...


class _FileRanges:
    """A file with seek() and read(): one thread at a time has it."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._read_into = getattr(file, "readinto", None)
        self.name = repr(getattr(file, "name", None) or type(file).__name__)
        self.size: int | None = int(file.seek(0, os.SEEK_END))

    def read_at(self, offset: int, buffer: memoryview) -> int:
        with self._lock:
            self._file.seek(offset)
            if self._read_into is not None:
                return int(self._read_into(buffer) or 0)
            data = self._file.read(len(buffer))
        return _put(data, buffer)


class _StoreRanges:
    """A file in a file system of fsspec, each range by a request for just that."""

    def __init__(self, place: Location) -> None:
        self._place = place
        self.name = repr(place.url)
        self.size = place.stamp().size

    def read_at(self, offset: int, buffer: memoryview) -> int:
        stop = offset + len(buffer)
        data = self._place.fs.cat_file(self._place.path, start=offset, end=stop)
        return _put(data, buffer)


def _put(data: Any, buffer: memoryview) -> int:
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise InvalidArgumentError("the file must be opened in binary mode")
    if len(data) > len(buffer):
        raise InputOutputError("the file gave more bytes than it was asked for")
    buffer[: len(data)] = data
    return len(data)


def _is_seekable(source: Any) -> bool:
    if isinstance(source, io.TextIOBase) or not hasattr(source, "read"):
        return False
    if not hasattr(source, "seek"):
        return False
    seekable = getattr(source, "seekable", None)
    return seekable is None or bool(seekable())


def _stored(source: Any) -> Location | None:
    """Where a file that fsspec opened lies, or one that it is about to open."""
    fs, path = getattr(source, "fs", None), getattr(source, "path", None)
    if not hasattr(fs, "cat_file") or not isinstance(path, str):
        return None
    is_binary = "b" in getattr(source, "mode", "rb")
    is_plain = getattr(source, "compression", None) is None
    return Location(fs, path) if is_binary and is_plain else None


def opened(source: Source) -> tuple[Buffer | None, Ranges | None]:
    """The bytes of a file, or a way to fetch parts of them."""
    if isinstance(source, (str, os.PathLike)):
        return contents(source), None
    if isinstance(source, Location):
        return None, _StoreRanges(source)
    try:
        return memoryview(source), None  # type: ignore[arg-type,unused-ignore]
    except TypeError:
        pass
    place = _stored(source)
    if place is not None:
        return None, _StoreRanges(place)
    return (None, _FileRanges(source)) if _is_seekable(source) else (contents(source), None)
