# SPDX-License-Identifier: Apache-2.0
"""Ranges of numbers in Pco files, which a task fetches and decodes."""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import _core
from .._codec import check_seen, seen_as, viewed
from .._device import decompress_to_device
from .._errors import (
    ChecksumError,
    CorruptError,
    Error,
    InvalidArgumentError,
    LimitExceededError,
    TypeMismatchError,
    warn_of_end,
)
from .._number_types import dtype_of, type_name
from .._optional import require_cupy
from .chunk_index import FRONT_BYTES, FileIndex, PcoIndex, walk
from .locations import Location, Stamp, check_unchanged, fronts, named_errors

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .._types import Array

_MAX_LIMIT = (1 << 64) - 1  # of a max_output for numpact._core
# Local files up to this size are scanned instead of trusting the count in the header: that takes
# less than a millisecond.
_SMALL_BYTES = 1 << 16

Found = tuple[Location, Stamp]
Walk = Callable[[Sequence[Found]], list[FileIndex]]


@dataclass(frozen=True)
class Part:
    """A range of numbers of one file. Small; can be pickled.

    The bytes from ``start`` to ``stop`` are chunks without the file's header, or a complete file;
    ``skip`` and ``count`` select some of their numbers.
    """

    place: Location
    start: int
    stop: int | None  #: None: to the end of a file of unknown size
    header: bytes  #: to prepend to the bytes; b"" if they are a complete file
    held: int  #: count of numbers in the bytes
    skip: int  #: numbers before the range
    count: int  #: numbers in the range
    type: str | None  #: number type; None only if there are no numbers
    chunk: int = 0  #: index of the first chunk
    checks: tuple[tuple[int, int], ...] = ()  #: bytes and CRC-32 of each chunk, if known

    def load(self, dtype: npt.DTypeLike | None = None, device: int | None = None) -> Array:
        """Fetches the bytes by one request and decodes them with one thread.

        Args:
            dtype: The type of the result, as for ``numpact.decompress``.
            device: Number of a GPU that decodes; ``dtype`` is the number type then. None: CPU.

        Returns:
            (count,) of the number type, or of ``dtype``; from a GPU an array of CuPy.

        Raises:
            CorruptError: The file is damaged, or has changed since the part was made;
                ``ChecksumError`` if the index has checksums.
        """
        import numpy as np

        if self.count == 0:
            kind = np if device is None else require_cupy()
            empty: Array = kind.empty(0, self.dtype(dtype))
            return empty
        if self.stop is None:
            data, name = self.place.read_all(), self.place.url
        else:
            data = self.place.read(self.start, self.stop)
            name = f"{self.place.url}, bytes {self.start} to {self.stop}"
        self._check(data)
        if self.header:
            # Chunks become a file by the header and the byte that terminates it.
            data = b"".join((self.header, data, b"\0"))
        limit = min(self.held * dtype_of(self.type or "u8").itemsize, _MAX_LIMIT)
        try:
            with named_errors(name, self.start - len(self.header)):
                on_end = None if self.header else partial(warn_of_end, path=self.place.url)
                if device is None:
                    numbers = _core.decompress(data, 1, max_output=limit, on_end=on_end)
                else:
                    numbers = decompress_to_device(data, device, "cupy", 1, limit, "use")
        except LimitExceededError as error:
            raise CorruptError(
                f"{name}: holds more than the {self.held} numbers of the index: the file was "
                "changed, or its header claims a wrong count; numpact.dask.pco_index counts them",
                error.offset,
                error.chunk,
            ) from None
        if numbers.size != self.held or type_name(numbers.dtype) != self.type:
            raise CorruptError(
                f"{name}: holds {numbers.size} {type_name(numbers.dtype)} numbers, not {self.held} "
                f"{self.type}: the file was changed, or its header claims a wrong count; "
                "numpact.dask.pco_index counts them"
            )
        numbers = numbers[self.skip : self.skip + self.count]
        if self.count < self.held:
            # A copy, because a view would keep the other numbers in memory.
            numbers = numbers.copy()
        if dtype is None or device is not None:
            return numbers
        return viewed(numbers, seen_as(dtype))

    def _check(self, data: bytes) -> None:
        """Compares checksums of the chunks."""
        at = 0
        for chunk, (size, crc) in enumerate(self.checks, self.chunk):
            if zlib.crc32(memoryview(data)[at : at + size]) != crc:
                raise ChecksumError(
                    f"{self.place.url}: chunk {chunk} has another checksum than the index says",
                    self.start + at,
                    chunk,
                )
            at += size

    def dtype(self, requested: npt.DTypeLike | None = None) -> np.dtype[Any]:
        """The type of the array that ``load`` returns."""
        import numpy as np

        return dtype_of(self.type or "u8") if requested is None else np.dtype(requested)


@dataclass(frozen=True)
class Described:
    """Known facts about a file, from its header or from an index."""

    place: Location
    stamp: Stamp
    type: str | None
    count: int
    index: FileIndex | None

    def whole(self) -> Part:
        """All numbers as one part."""
        if self.index is not None and self.index.chunks:
            return self.chunks(0, len(self.index.chunks))
        return Part(self.place, 0, self.stamp.size, b"", self.count, 0, self.count, self.type)

    def chunks(self, first: int, end: int) -> Part:
        """The chunks from ``first`` to before ``end``; the file must have an index."""
        index = self._indexed()
        chunks = index.chunks
        held = chunks[end - 1].first + chunks[end - 1].count - chunks[first].first
        start, stop = chunks[first].offset, index.stop(end - 1)
        checks = tuple(
            (index.stop(i) - chunks[i].offset, index.crcs[i])
            for i in range(first, end if index.crcs else first)
        )
        return Part(self.place, start, stop, index.header, held, 0, held, self.type, first, checks)

    def numbers(self, first: int, count: int) -> Part:
        """A range of numbers; only the chunks that contain it will be fetched."""
        if first == 0 and count == self.count:
            return self.whole()
        if count == 0:
            return Part(self.place, 0, 0, b"", 0, 0, 0, self.type)
        index = self._indexed()
        firsts = [chunk.first for chunk in index.chunks]
        a = bisect_right(firsts, first) - 1
        b = bisect_right(firsts, first + count - 1)
        return replace(self.chunks(a, b), skip=first - firsts[a], count=count)

    def _indexed(self) -> FileIndex:
        if self.index is None:
            raise InvalidArgumentError(f"{self.place.url}: has no index")
        return self.index


def from_index(found: Sequence[Found], index: PcoIndex) -> list[Described]:
    """Describes files by an index.

    Raises:
        InvalidArgumentError: A file is not in the index.
        CorruptError: A file has changed since it was indexed.
    """
    out: list[Described] = []
    for place, stamp in found:
        entry = index.get(place.url)
        if entry is None:
            raise InvalidArgumentError(f"{place.url}: not in the index")
        check_unchanged(place.url, entry.stamp, stamp)
        out.append(_described(place, stamp, entry))
    return out


def from_headers(found: Sequence[Found], walk_all: Walk) -> list[Described]:
    """Describes files by their headers, of which a few bytes are read.

    The count of numbers is the one in the header, which loading the numbers checks. Files without
    that count are scanned by ``walk_all``; small local files are scanned here.
    """
    heads = fronts([place for place, _ in found], FRONT_BYTES)
    out: list[Described | None] = []
    for (place, stamp), front in zip(found, heads, strict=True):
        with named_errors(place.url):
            head = _core.read_header(front)
        claimed = head["n_hint"]
        sure = 0 < claimed < 1 << 63 and stamp.size is not None
        counted = _counted(place, stamp)
        if counted is not None:
            out.append(_described(place, stamp, counted))
            continue
        out.append(Described(place, stamp, head["number_type"], claimed, None) if sure else None)
    entries = iter(walk_all([pair for pair, file in zip(found, out, strict=True) if file is None]))
    return [
        file or _described(place, stamp, next(entries))
        for (place, stamp), file in zip(found, out, strict=True)
    ]


def _counted(place: Location, stamp: Stamp) -> FileIndex | None:
    """The chunks of a small local file; None for other files, and on errors, which tasks report."""
    if stamp.size is None or stamp.size > _SMALL_BYTES or place.local_path is None:
        return None
    try:
        return walk(place, stamp)
    except (Error, OSError):
        return None


def _described(place: Location, stamp: Stamp, entry: FileIndex) -> Described:
    return Described(place, stamp, entry.type, entry.count, entry)


def common_type(files: Sequence[Described]) -> str | None:
    """The number type of all files; None if none of them names one.

    Raises:
        TypeMismatchError: The types differ.
    """
    typed = [file for file in files if file.type is not None]
    for file in typed[1:]:
        if file.type != typed[0].type:
            raise TypeMismatchError(
                f"{typed[0].place.url} holds {typed[0].type} numbers, {file.place.url} {file.type}"
            )
    return typed[0].type if typed else None


def common_dtype(files: Sequence[Described], requested: npt.DTypeLike | None) -> np.dtype[Any]:
    """The NumPy type for the numbers of all files: ``requested`` if given.

    Raises:
        TypeMismatchError: The types of the files differ, are unknown, or are not convertible.
    """
    name = common_type(files)
    if requested is None:
        if name is None:
            raise TypeMismatchError(
                f"{files[0].place.url} holds no numbers and names no type: give the dtype"
            )
        return dtype_of(name)
    dtype = seen_as(requested)
    if name is not None:
        check_seen(dtype_of(name), dtype)
    return dtype
