# SPDX-License-Identifier: Apache-2.0
"""What may lie behind the numbers of a file (docs/format/trailer.md)."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union, overload

from . import _core
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

    Array = npt.NDArray[Any]

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class TrailerChunk:
    """What a trailer says of a chunk."""

    index: int
    offset: int  #: of the chunk in the file, in bytes
    page_offset: int  #: of what follows its metadata
    first: int  #: numbers in the chunks before it
    count: int  #: its own
    bytes: int
    crc: int  #: CRC-32 of its bytes
    nan_count: int  #: NaN among its numbers
    min: Any  #: the least of its other numbers, a NumPy scalar; None where there are none
    max: Any
    restart_points: int


@dataclass(frozen=True)
class Trailer:
    """What ``numpact.read_trailer`` finds behind a file."""

    type: str | None  #: "f64", ...; None: an empty file that does not name one
    count: int  #: numbers in the file
    file_bytes: int  #: of the file without its trailer, which begins there
    bytes: int  #: of the trailer
    restart_every: int | None  #: numbers between restart points; None: it has none
    chunks: list[TrailerChunk] = field(repr=False)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers; uint8 for an empty file that does not name one."""
        return dtype_of(self.type or "u8")

    def chunks_within(self, lo: Any = None, hi: Any = None) -> list[TrailerChunk]:
        """The chunks that may hold a number from ``lo`` to ``hi``, both among them.

        Args:
            lo, hi: Numbers as they are stored; None: no bound. NaN is within no range.

        >>> import numpact
        >>> file = numpact.compress(range(3000), paging=1000, trailer=True)
        >>> [chunk.first for chunk in numpact.read_trailer(file).chunks_within(500, 1200)]
        [0, 1000]
        """
        least, most = _plain(lo), _plain(hi)
        return [
            chunk
            for chunk in self.chunks
            if chunk.min is not None
            and (least is None or chunk.max.item() >= least)
            and (most is None or chunk.min.item() <= most)
        ]


def _plain(bound: Any) -> Any:
    """As a number of Python's, which compares well with those of all types."""
    value = bound.item() if getattr(bound, "shape", None) == () else bound
    if value is not None and not isinstance(value, (int, float)):
        kind = type(bound).__name__
        raise TypeMismatchError(f"bounds are numbers as they are stored, not {kind}")
    return value


def read_trailer(source: Source) -> Trailer | None:
    """Reads the trailer of a standalone Pco file, and no more of the file.

    Args:
        source: The file: bytes, a path, or a file opened in binary mode.

    Returns:
        None where the file does not end with one.

    Raises:
        ChecksumError, CorruptError, UnsupportedVersionError: One that is damaged, contradicts
            itself or is newer. Whether it is true of the file, ``verify`` tells.

    >>> import numpact
    >>> trailer = numpact.read_trailer(numpact.compress([3, 1, 4], trailer=True))
    >>> trailer.count, trailer.chunks[0].min, trailer.chunks[0].max
    (3, np.int64(1), np.int64(4))
    """
    raw, _ = _core.read_trailer(contents(source))
    return None if raw is None else _trailer(raw)


def _trailer(raw: _core.RawTrailer) -> Trailer:
    chunks = raw["chunks"]
    leasts = _numbers_of_bits([chunk[5] for chunk in chunks], raw["type"])
    mosts = _numbers_of_bits([chunk[6] for chunk in chunks], raw["type"])
    made = []
    for index, ((place, size, crc, nan_count, points, _, _), least, most) in enumerate(
        zip(chunks, leasts, mosts, strict=True)
    ):
        if nan_count == place[3]:
            least = most = None
        made.append(TrailerChunk(index, *place, size, crc, nan_count, least, most, points))
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
    """Gives a trailer to a standalone Pco file of any writer, by decoding it once.

    Args:
        source: A path, whose file is replaced in one step by one that is longer; or the bytes of a
            file. What follows the numbers, a trailer too, is replaced; but a file that its trailer
            says is damaged is refused, and one whose trailer is damaged, since it could hide that.
        trailer: As for ``compress``.
        max_output: The most bytes of numbers to accept.
        progress: As for ``compress``.
        lock_timeout: For a path, as for ``append``.

    Returns:
        The bytes of the new file; None for a path.

    Raises:
        CorruptError and the others of ``decompress``: the file is left alone. ``salvage`` reads
            what is sound; the first ``verify(source).file_bytes`` bytes are the file without its
            trailer.

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
    """A part of a file that cannot be decoded, or is not what it was."""

    chunk: int  #: the first that is concerned
    first: int  #: numbers before it
    count: int | None  #: numbers lost; None: all to the end of the file, however many
    offset: int  #: in bytes
    bytes: int
    error: Error  #: what reading it would raise


@dataclass(frozen=True)
class Verification:
    """What ``numpact.verify`` finds."""

    sound: bool  #: nothing is damaged, and nothing unknown follows the file
    type: str | None
    trailer: TrailerState
    trailer_error: Error | None  #: what is wrong with the trailer
    header_error: Error | None  #: what is wrong with the header
    damage: list[Damage]  #: in the order of the file
    sound_count: int  #: numbers in sound chunks
    good_bytes: int  #: from the front, up to the first damage
    file_bytes: int  #: without the trailer; 0 where the end was not reached
    trailing_bytes: int  #: the trailer, or whatever follows

    @property
    def errors(self) -> list[Error]:
        """All that is wrong."""
        whole = [error for error in (self.header_error, self.trailer_error) if error is not None]
        return whole + [part.error for part in self.damage if part.error not in whole]

    def check(self) -> None:
        """Raises the first of the errors, if there are any."""
        for error in self.errors:
            raise error


def verify(
    source: Source,
    *,
    threads: int | None = None,
    max_output: int | None = None,
    progress: ProgressLike = None,
) -> Verification:
    """Checks all of a standalone Pco file: structure, checksums, and by decoding every number.

    With a sound trailer each chunk is looked at by itself. Without one the first damage is the end,
    and damage that keeps to the rules of the format is not seen.

    Args:
        source: The file: bytes, a path, or a file opened in binary mode.
        threads: As for ``decompress``; they share chunks where there is a trailer.
        max_output: The most bytes of numbers that the file may hold in all.
        progress: As for ``compress``.

    Raises:
        LimitExceededError, OutOfMemoryError, CancelledError. Damage is no error: it is what is
            looked for.

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
    """Reads what is left of a damaged file: the numbers of its sound chunks, one after the other.

    With a trailer these are all chunks whose checksums are right, also where the header is damaged;
    without one those before the first damage.

    Args:
        source, threads, max_output, progress: As for ``verify``.
        dtype: The type to give the numbers as, in any byte order; as for ``decompress``.

    Returns:
        The numbers, and what is missing between them; an empty list for a sound file.

    Raises:
        CorruptError and others: Not even the header can be read, so that no type is known.
        TypeMismatchError: ``dtype`` lacks a number that is left.
        LimitExceededError, OutOfMemoryError, CancelledError.

    >>> import numpact
    >>> file = bytearray(numpact.compress(range(1000), paging=250, trailer=True))
    >>> file[numpact.read_trailer(file).chunks[2].offset + 9] ^= 1
    >>> numbers, lost = numpact.salvage(file)
    >>> numbers.size, lost[0].first, lost[0].count
    (750, 500, 250)
    """
    wanted = None if dtype is None else seen_as(dtype)
    data, limit = contents(source), core_limit(max_output)
    with core_progress(progress, None) as callback:
        numbers, raw = _core.salvage(data, resolve(threads), limit, callback)
    found = _verification(raw)
    if numbers is None:
        found.check()
        raise TypeMismatchError("the file is empty and does not name its type")
    return numbers if wanted is None else viewed(numbers, wanted), found.damage


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
