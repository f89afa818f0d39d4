# SPDX-License-Identifier: Apache-2.0
"""Files whose byte ranges are read on demand, for ``numpact._core``."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, Union, cast

from .. import _versions as versions
from .._errors import InputOutputError, InvalidArgumentError
from .._file import contents
from .._remote.locations import Location, typed_errors
from .._turns import Turns

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from .._file import Source as FileSource

    #: fsspec's open files are io.BufferedIOBase or look like it.
    Source = Union[FileSource, Location, Sequence[Union[str, os.PathLike[str], Buffer]]]


class Ranges(Protocol):
    """The interface between a file and ``numpact._core``."""

    name: str
    size: int | None  #: in bytes; None: unknown

    def read_at(self, offset: int, size: int, /) -> Buffer:
        """At most ``size`` bytes from an offset; none only at the end of the file. Thread-safe."""
        ...

    def begin(self) -> None:
        """Called before a call that reads; raises if the file must not be used now."""
        ...

    def check(self) -> None:
        """Called after a call that read; raises CorruptError if the file has changed."""
        ...


# Classes of Python: their read() returns new bytes, of which the file keeps no reference.
_PYTHON_FILES = (io.BufferedReader, io.BytesIO, io.FileIO)


class _FileRanges:
    """A file with seek() and read(), used by one thread at a time."""

    def __init__(self, file: Any) -> None:
        self._file = file
        is_plain = type(file) in _PYTHON_FILES
        self._read_into = None if is_plain else getattr(file, "readinto", None)
        self.name = repr(getattr(file, "name", None) or type(file).__name__)
        self._turns = Turns(f"the file {self.name}", is_bound=type(file) is not io.BytesIO)
        self.size: int | None = int(file.seek(0, os.SEEK_END))

    def read_at(self, offset: int, size: int, /) -> Buffer:
        with self._turns:
            self._file.seek(offset)
            if self._read_into is None:
                return _checked(self._file.read(size), size)
            # Memory owned by Python: a reference that the file keeps stays valid.
            buffer = bytearray(size)
            count = int(self._read_into(buffer) or 0)
        if not 0 <= count <= size:
            raise InputOutputError(f"the file claims to have read {count} of {size} bytes")
        return memoryview(buffer)[:count]

    def begin(self) -> None:
        self._turns.check_process()
        self._turns.check_outside()

    def check(self) -> None:
        return


class _StoreRanges:
    """A file in a file system of fsspec; each range is one request."""

    def __init__(self, place: Location) -> None:
        self._place = place
        self.name = repr(place.url)
        # Determined before the first request.
        self._version = self._now()
        size = self._version.get("size")
        self.size = None if size is None else int(size)
        self._has_read = False  # since the last check

    def read_at(self, offset: int, size: int, /) -> Buffer:
        self._has_read = True
        stop = offset + size
        data = self._place.fs.cat_file(self._place.path, start=offset, end=stop)
        if len(data) > size:
            raise InputOutputError("the server does not send ranges of bytes")
        return _checked(data, size)

    def begin(self) -> None:
        return

    def check(self) -> None:
        if not self._has_read:
            return
        self._has_read = False
        try:
            is_same = versions.is_same(self._version, self._now())
        except FileNotFoundError:
            is_same = False
        if not is_same:
            self._has_read = True
            raise versions.replaced(self._place.url)

    def _now(self) -> versions.Version:
        with typed_errors(self._place.url):
            return versions.version_of(self._place.fs, self._place.path)


def _checked(data: Any, size: int) -> Buffer:
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise InvalidArgumentError("the file must be opened in binary mode")
    if len(data) > size:
        raise InputOutputError("the file gave more bytes than it was asked for")
    return data


def _is_seekable(source: Any) -> bool:
    if isinstance(source, io.TextIOBase) or not hasattr(source, "read"):
        return False
    if not hasattr(source, "seek"):
        return False
    seekable = getattr(source, "seekable", None)
    return seekable is None or bool(seekable())


def _stored(source: Any) -> Location | None:
    """The location of a binary file that fsspec opened or will open; None for other objects."""
    fs, path = getattr(source, "fs", None), getattr(source, "path", None)
    if not hasattr(fs, "cat_file") or not isinstance(path, str):
        return None
    is_binary = "b" in getattr(source, "mode", "rb")
    is_plain = getattr(source, "compression", None) is None
    return Location(fs, path) if is_binary and is_plain else None


def opened(source: Source) -> tuple[Buffer | None, Ranges | None]:
    """The bytes of a file, or an object that reads ranges of them."""
    if isinstance(source, (str, os.PathLike)):
        return contents(source), None
    if isinstance(source, Location):
        return None, _StoreRanges(source)
    if hasattr(source, "read_at"):
        return None, cast("Ranges", source)
    try:
        return memoryview(source), None  # type: ignore[arg-type,unused-ignore]
    except TypeError:
        pass
    place = _stored(source)
    if place is not None:
        return None, _StoreRanges(place)
    if _is_seekable(source):
        return None, _FileRanges(source)
    return contents(source), None  # type: ignore[arg-type] # lists are opened by Reader
