# SPDX-License-Identifier: Apache-2.0
"""Trailers (docs/format/trailer.md), and checking and recovering files with their help."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union, overload

from . import _core
from . import _views as views
from ._codec import seen_as, viewed
from ._errors import Error, InvalidArgumentError, TypeMismatchError, naming
from ._file import contents
from ._inspect import TrailerState
from ._lock import locked
from ._number_types import dtype_of
from ._progress import ProgressLike, core_progress
from ._sink import sink_of
from ._specs import TrailerSpec, core_limit, core_trailer
from ._threads import resolve

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Buffer

    from ._file import Source
    from ._types import Array

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class TrailerChunk:
    """The entry of a chunk in a trailer."""

    index: int
    offset: int  #: of the chunk in the file, in bytes
    page_offset: int  #: of its page, which follows the metadata, in bytes
    first: int  #: index of its first number
    count: int  #: numbers in the chunk
    bytes: int
    crc: int  #: CRC-32 of its bytes
    nan_count: int  #: count of NaN
    min: Any  #: the minimum of the other numbers, a NumPy scalar; None if all are NaN
    max: Any  #: the maximum, likewise
    restart_points: int


@dataclass(frozen=True, repr=False)
class Trailer(views.Report):
    """The result of ``numpact.read_trailer``."""

    type: str | None  #: "f64", ...; None: an empty file that does not name one
    count: int  #: numbers in the file
    file_bytes: int  #: of the file without the trailer; the trailer starts there
    bytes: int  #: of the trailer
    restart_every: int | None  #: numbers between restart points; None: no points
    chunks: list[TrailerChunk] = field(repr=False)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers; uint8 for an empty file that does not name one."""
        return dtype_of(self.type or "u8")

    def chunks_within(self, lo: Any = None, hi: Any = None) -> list[TrailerChunk]:
        """The chunks that may contain a number in the closed range from ``lo`` to ``hi``.

        Args:
            lo, hi: Bounds, as numbers of the stored type; None: no bound. NaN is in no range.

        Raises:
            TypeMismatchError: A bound is not a number.

        >>> import numpact
        >>> file = numpact.compress(range(3000), paging=1000, trailer=True)
        >>> [chunk.first for chunk in numpact.read_trailer(file).chunks_within(500, 1200)]
        [0, 1000]
        """
        low, high = _plain(lo), _plain(hi)
        return [
            chunk
            for chunk in self.chunks
            if chunk.min is not None
            and (low is None or chunk.max.item() >= low)
            and (high is None or chunk.min.item() <= high)
        ]

    def _view(self) -> views.View:
        every = self.restart_every
        return views.View(
            f"trailer of {self.bytes:,} bytes: {self.count:,} {self.type or 'untyped'} numbers "
            f"in {views.count_text(len(self.chunks), 'chunk')}, file of {self.file_bytes:,} bytes, "
            + (f"restart points every {every:,} numbers" if every else "no restart points"),
            tables=[
                views.Table(
                    "",
                    [">chunk", ">first", ">numbers", ">offset", ">bytes", ">min", ">max", ">NaN"],
                    [_chunk_cells(chunk) for chunk in self.chunks[: views.MAX_SHOWN_ROWS]],
                    len(self.chunks),
                )
            ],
        )


def _chunk_cells(chunk: TrailerChunk) -> list[str]:
    return [
        str(chunk.index),
        str(chunk.first),
        f"{chunk.count:,}",
        str(chunk.offset),
        f"{chunk.bytes:,}",
        "-" if chunk.min is None else str(chunk.min),
        "-" if chunk.max is None else str(chunk.max),
        f"{chunk.nan_count:,}",
    ]


def _plain(bound: Any) -> Any:
    """A bound as an int or float, whose comparisons with all types are exact."""
    value = bound.item() if getattr(bound, "shape", None) == () else bound
    if value is not None and not isinstance(value, (int, float)):
        kind = type(bound).__name__
        raise TypeMismatchError(f"bounds are numbers as they are stored, not {kind}")
    return value


def read_trailer(source: Source) -> Trailer | None:
    """Reads the trailer of a standalone Pco file, and nothing else of the file.

    Args:
        source: The file: bytes, a path, or a file opened in binary mode.

    Returns:
        The trailer; None if the file has none.

    Raises:
        ChecksumError, CorruptError, UnsupportedVersionError: The trailer is damaged, inconsistent
            or has a newer version. ``verify`` compares a trailer with the file.

    >>> import numpact
    >>> trailer = numpact.read_trailer(numpact.compress([3, 1, 4], trailer=True))
    >>> trailer.count, trailer.chunks[0].min, trailer.chunks[0].max
    (3, np.int64(1), np.int64(4))
    """
    raw, _ = _core.read_trailer(contents(source))
    return None if raw is None else trailer_of(raw)


def trailer_of(raw: _core.RawTrailer) -> Trailer:
    """A trailer that the core has parsed."""
    chunks = raw["chunks"]
    leasts = _numbers_of_bits([chunk[5] for chunk in chunks], raw["type"])
    mosts = _numbers_of_bits([chunk[6] for chunk in chunks], raw["type"])
    made = []
    for index, ((place, size, crc, nan_count, points, _, _), min_value, max_value) in enumerate(
        zip(chunks, leasts, mosts, strict=True)
    ):
        if nan_count == place[3]:
            min_value = max_value = None
        made.append(TrailerChunk(index, *place, size, crc, nan_count, min_value, max_value, points))
    return Trailer(
        raw["type"],
        raw["count"],
        raw["file_bytes"],
        raw["bytes"],
        raw["restart_every"],
        made,
    )


def _numbers_of_bits(bits: list[int], type: str | None) -> Array:
    import numpy as np

    dtype = dtype_of(type or "u8")
    return np.array(bits, np.uint64).astype(f"u{dtype.itemsize}").view(dtype)


@overload
def add_trailer(
    source: Path,
    trailer: TrailerSpec = ...,
    *,
    max_output: int | None = ...,
    progress: ProgressLike = ...,
    lock_timeout: float | None = ...,
) -> None: ...
@overload
def add_trailer(
    source: Buffer,
    trailer: TrailerSpec = ...,
    *,
    max_output: int | None = ...,
    progress: ProgressLike = ...,
    lock_timeout: float | None = ...,
) -> bytes: ...
def add_trailer(
    source: Path | Buffer,
    trailer: TrailerSpec = True,
    *,
    max_output: int | None = None,
    progress: ProgressLike = None,
    lock_timeout: float | None = None,
) -> bytes | None:
    """Adds a trailer to a standalone Pco file of any writer; decodes the file once.

    Args:
        source: A path: the file is replaced atomically by one with a trailer. Or the bytes of a
            file. An older trailer is replaced. A file that is damaged according to its trailer is
            refused, and so is a file with a damaged trailer, because that could hide damage of the
            file, and one that other bytes follow, such as a file that was joined to it.
        trailer: As for ``compress``.
        max_output: Maximum size of the numbers, in bytes.
        progress: As for ``compress``.
        lock_timeout: For a path, as for ``append``.

    Returns:
        The bytes of the new file; None for a path.

    Raises:
        CorruptError and the other errors of ``decompress``: The file is not changed. ``salvage``
            reads the intact chunks; the first ``verify(source).file_bytes`` bytes are the file
            without its trailer.

    >>> import numpact
    >>> file = numpact.add_trailer(numpact.compress(range(1000)), 256)
    >>> numpact.read_trailer(file).restart_every
    256
    """
    spec = core_trailer(trailer)
    if spec is None:
        raise InvalidArgumentError("trailer=False leaves nothing to add")
    limit = core_limit(max_output)
    if not isinstance(source, (str, os.PathLike)):
        return b"".join(_with_trailer(source, spec, limit, progress))
    with locked(source, lock_timeout) as lock:
        with naming(source):
            parts = _with_trailer(contents(source), spec, limit, progress)
        sink = sink_of(source, lock=lock)
        try:
            for part in parts:
                sink.write(part)
            sink.commit()
        except BaseException:
            sink.abort()
            raise
    return None


def _with_trailer(
    data: Buffer, spec: int, limit: int | None, progress: ProgressLike
) -> tuple[memoryview, bytes]:
    with core_progress(progress, _core.read_header(data)["n_hint"] or None) as callback:
        made, end = _core.make_trailer(data, spec, limit, callback)
    return memoryview(data)[:end], made


@dataclass(frozen=True)
class Damage:
    """A part of a file that cannot be decoded, or does not match its checksum."""

    chunk: int  #: index of its first chunk
    first: int  #: index of its first number
    count: int | None  #: numbers lost; None: an unknown count, to the end of the file
    offset: int  #: in bytes
    bytes: int
    error: Error  #: the error that reading it raises


@dataclass(frozen=True, repr=False)
class Verification(views.Report):
    """The result of ``numpact.verify``."""

    sound: bool  #: nothing is damaged, and no unknown bytes follow the file
    type: str | None  #: "f64", ...; None: not known
    trailer: TrailerState
    trailer_error: Error | None  #: the error of a damaged trailer
    header_error: Error | None  #: the error of a damaged header
    damage: list[Damage]  #: in the order of the file
    sound_count: int  #: numbers in intact chunks
    good_bytes: int  #: before the first damage
    file_bytes: int  #: without the trailer; 0 if the end was not reached
    trailing_bytes: int  #: after the end of the file: a trailer or unknown bytes

    @property
    def errors(self) -> list[Error]:
        """All errors: of header, trailer and chunks."""
        whole = [error for error in (self.header_error, self.trailer_error) if error is not None]
        return whole + [part.error for part in self.damage if part.error not in whole]

    def check(self) -> None:
        """Raises the first error, if there is one."""
        for error in self.errors:
            raise error

    def _result(self) -> str:
        """The result in the words of ``numpact verify``."""
        if self.sound:
            kind = f"{self.type} " if self.type else ""
            trailer = f" and a trailer of {self.trailing_bytes:,}" if self.trailing_bytes else ""
            checksums = "; checksums match" if self.trailer == "sound" else ""
            return (
                f"OK, {self.sound_count:,} {kind}numbers, {self.file_bytes:,} bytes"
                f"{trailer}{checksums}"
            )
        if self.header_error is not None:
            return str(self.header_error)
        if self.damage:
            return f"corrupt: {self.sound_count:,} numbers are good"
        if self.trailer == "damaged":
            return f"corrupt: the numbers can be decoded, but the trailer is damaged{self._why()}"
        return "corrupt: the numbers can be decoded, but bytes follow that are not a trailer"

    def _why(self) -> str:
        return f" ({self.trailer_error})" if self.trailer_error is not None else ""

    def _view(self) -> views.View:
        rows = [
            [
                str(part.chunk),
                str(part.first),
                "to the end" if part.count is None else f"{part.count:,}",
                str(part.offset),
                f"{part.bytes:,}",
                str(part.error),
            ]
            for part in self.damage[: views.MAX_SHOWN_ROWS]
        ]
        columns = [">chunk", ">first", ">numbers lost", ">offset", ">bytes", "error"]
        tables = [views.Table("damage", columns, rows, len(self.damage))] if rows else []
        return views.View(self._result(), tables=tables)


def verify(
    source: Source,
    *,
    threads: int | None = None,
    max_output: int | None = None,
    progress: ProgressLike = None,
) -> Verification:
    """Checks a standalone Pco file completely: its structure, its checksums, and by decoding it.

    With a valid trailer every chunk is checked. Without one the check ends at the first damage, and
    damage that does not violate the format is not detected.

    Args:
        source: The file: bytes, a path, or a file opened in binary mode.
        threads: As for ``decompress``; more than one is used only with a trailer.
        max_output: Maximum size of all numbers of the file, in bytes.
        progress: As for ``compress``.

    Returns:
        What was found. Damage is part of the result and not an error.

    Raises:
        LimitExceededError, OutOfMemoryError, CancelledError: The check was not completed.

    >>> import numpact
    >>> file = bytearray(numpact.compress(range(1000), paging=250, trailer=True))
    >>> numpact.verify(file).sound
    True
    >>> file[numpact.read_trailer(file).chunks[2].offset + 9] ^= 1
    >>> [(part.first, part.count) for part in numpact.verify(file).damage]
    [(500, 250)]
    """
    data, limit = contents(source), core_limit(max_output)
    with core_progress(progress, None) as callback:
        return _verification(_core.verify(data, resolve(threads), limit, callback))


def salvage(
    source: Source,
    *,
    threads: int | None = None,
    max_output: int | None = None,
    progress: ProgressLike = None,
    dtype: npt.DTypeLike | None = None,
) -> tuple[Array, list[Damage]]:
    """Reads a damaged file: returns the concatenated numbers of its intact chunks.

    With a trailer these are all chunks that match their checksums, even if the header is damaged;
    without one, the chunks before the first damage.

    Args:
        source, threads, max_output, progress: As for ``verify``.
        dtype: The type of the result, in any byte order; as for ``decompress``.

    Returns:
        The numbers, (n,), and a list of the parts that are missing, empty for an intact file.

    Raises:
        CorruptError and others: The header is damaged and there is no trailer, so the type is not
            known.
        TypeMismatchError: ``dtype`` cannot represent a number.
        LimitExceededError, OutOfMemoryError, CancelledError: Reading was not completed.

    >>> import numpact
    >>> file = bytearray(numpact.compress(range(1000), paging=250, trailer=True))
    >>> file[numpact.read_trailer(file).chunks[2].offset + 9] ^= 1
    >>> numbers, lost = numpact.salvage(file)
    >>> numbers.size, lost[0].first, lost[0].count
    (750, 500, 250)
    """
    requested = None if dtype is None else seen_as(dtype)
    data, limit = contents(source), core_limit(max_output)
    with core_progress(progress, None) as callback:
        numbers, raw = _core.salvage(data, resolve(threads), limit, callback)
    found = _verification(raw)
    if numbers is None:
        found.check()
        raise TypeMismatchError("the file is empty and does not name its type")
    return numbers if requested is None else viewed(numbers, requested), found.damage


def _verification(raw: _core.RawVerification) -> Verification:
    return Verification(
        raw["is_sound"],
        raw["type"],
        raw["trailer"],
        raw["trailer_error"],
        raw["header_error"],
        [Damage(*part) for part in raw["damage"]],
        raw["sound_count"],
        raw["good_bytes"],
        raw["file_bytes"],
        raw["trailing_bytes"],
    )
