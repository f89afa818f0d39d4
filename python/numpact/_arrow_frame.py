# SPDX-License-Identifier: Apache-2.0
"""The frame around the numbers of an Arrow column (docs/format/arrow-column.md)."""

from __future__ import annotations

import os
import struct
import zlib
from typing import TYPE_CHECKING, NamedTuple

from . import _core
from ._codec import compress, decompress
from ._errors import (
    ChecksumError,
    CorruptError,
    Error,
    LimitExceededError,
    OutOfMemoryError,
    TruncatedError,
    TypeMismatchError,
    UnsupportedVersionError,
)
from ._number_types import dtype_of

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from ._types import Array

MAGIC = b"npac"
VERSION = 1
# Magic, version, zero, bytes of the format, rows, nulls, bytes of the runs, bytes of the numbers.
_HEAD = struct.Struct("<4sBBHQQQQ")
_CHECK = struct.Struct("<I")


class Frame(NamedTuple):
    """The fields of a frame; ``runs`` and ``numbers`` are still compressed."""

    format: str
    length: int
    null_count: int
    runs: memoryview
    numbers: memoryview


def is_frame(data: memoryview) -> bool:
    return data[:4] == MAGIC


def bytes_of(buf: Buffer) -> memoryview:
    try:
        view = memoryview(buf)
        return view.cast("B") if view.nbytes else memoryview(b"")
    except TypeError:
        kind = type(buf).__name__
        if isinstance(buf, (str, os.PathLike)):
            kind += ": numpact.read_table reads the folder of a table, numpact.open a Pco file"
        raise TypeMismatchError(
            f"expected bytes or an object with a contiguous buffer, not {kind}"
        ) from None


def pack(format: str, length: int, validity: Array | None, numbers: bytes) -> bytes:
    """Builds a frame.

    Args:
        format: The type in Arrow's notation.
        length: Rows, nulls included.
        validity: (length,) of bool, True where there is a number; None if there are no nulls.
        numbers: The non-null numbers as a Pco file.
    """
    runs = b"" if validity is None else compress(_runs(validity))
    nulls = 0 if validity is None else length - int(validity.sum())
    name = format.encode()
    head = _HEAD.pack(MAGIC, VERSION, 0, len(name), length, nulls, len(runs), len(numbers))
    check = 0
    for part in (head, name, runs, numbers):
        check = zlib.crc32(part, check)
    return b"".join([head, name, runs, numbers, _CHECK.pack(check)])


def _runs(validity: Array) -> Array:
    """Lengths of alternating runs of numbers and nulls; only the first may be 0."""
    import numpy as np

    edges = np.flatnonzero(np.diff(validity.view(np.int8))) + 1
    bounds = np.concatenate([[0], edges, [validity.size]])
    lengths = np.diff(bounds).astype(np.uint64)
    return lengths if validity[0] else np.concatenate([np.zeros(1, np.uint64), lengths])


def unpack(data: memoryview) -> Frame:
    """Splits a frame into its fields and checks all but the compressed ones.

    Raises:
        CorruptError, TruncatedError, ChecksumError: The frame is damaged.
        UnsupportedVersionError: A newer version of the frame.
    """
    if len(data) < _HEAD.size + _CHECK.size:
        raise TruncatedError("the Arrow column's frame ends too early", len(data))
    _, version, zero, name_size, length, nulls, runs_size, numbers_size = _HEAD.unpack_from(data)
    if version != VERSION:
        raise UnsupportedVersionError(f"version {version} of the Arrow column's frame", 4)
    whole = _HEAD.size + name_size + runs_size + numbers_size + _CHECK.size
    if len(data) < whole:
        raise TruncatedError(
            f"the Arrow column's frame has {len(data)} of {whole} bytes", len(data)
        )
    if len(data) > whole:
        raise CorruptError("bytes follow the Arrow column's frame", whole)
    if _CHECK.unpack_from(data, whole - _CHECK.size)[0] != zlib.crc32(data[: -_CHECK.size]):
        raise ChecksumError("the Arrow column's checksum does not match", whole - _CHECK.size)
    if zero != 0 or nulls > length or (nulls == 0) != (runs_size == 0):
        raise CorruptError("the head of the Arrow column's frame contradicts itself", 5)
    runs_at = _HEAD.size + name_size
    try:
        format = bytes(data[_HEAD.size : runs_at]).decode()
    except UnicodeDecodeError:
        raise CorruptError("the Arrow column's type is not text", _HEAD.size) from None
    if "\0" in format:
        raise CorruptError("the Arrow column's type is not text", _HEAD.size)
    numbers_at = runs_at + runs_size
    return Frame(
        format, length, nulls, data[runs_at:numbers_at], data[numbers_at : whole - _CHECK.size]
    )


def number_type(format: str) -> str:
    """The number type that stores an Arrow type; CorruptError if there is none."""
    name = _core.arrow_type(format)
    if name is None:
        raise CorruptError(
            f"the Arrow column's type {_core.arrow_name(format)} is not one of numbers", _HEAD.size
        )
    return name


def unpack_numbers(frame: Frame, threads: int | None) -> Array:
    """The numbers that are not null."""
    requested = dtype_of(number_type(frame.format))
    count = frame.length - frame.null_count
    numbers = _decompressed(frame.numbers, frame, threads, count * requested.itemsize)
    if numbers.dtype != requested or numbers.size != count:
        raise CorruptError("the Arrow column's numbers contradict its head")
    if frame.format == "b" and numbers.size > 0 and numbers.max() > 1:
        raise CorruptError("the Arrow column's booleans are not all 0 or 1")
    return numbers


def _decompressed(part: memoryview, frame: Frame, threads: int | None, max_output: int) -> Array:
    """Decodes a part of the frame; offsets in errors are positions in the frame."""
    try:
        numbers: Array = decompress(part, None, threads, max_output)
        return numbers
    except LimitExceededError:
        # The limit is the size in the header, not one of the caller.
        raise CorruptError("the Arrow column holds more than its head says") from None
    except Error as error:
        if error.offset is not None:
            at = _HEAD.size + len(frame.format.encode())
            at += 0 if part is frame.runs else len(frame.runs)
            error.offset += at
            error.args = (f"{error} of the numbers or runs, which begin at byte {at}",)
        raise


def unpack_validity(frame: Frame) -> Array:
    """True where there is a number."""
    import numpy as np

    # Runs alternate, so there are at most two for each row of the rarer kind, and one more.
    rarer = min(frame.null_count, frame.length - frame.null_count)
    runs = _decompressed(frame.runs, frame, 1, 8 * (2 * rarer + 2))
    if runs.dtype != np.uint64 or runs.size == 0 or not runs[1:].all():
        raise CorruptError("the Arrow column's runs are not runs")
    ends = np.cumsum(runs, dtype=np.uint64)
    # Ends that decrease have overflowed 64 bits.
    if (ends[1:] < ends[:-1]).any() or int(ends[-1]) != frame.length:
        raise CorruptError("the Arrow column's runs do not add up")
    if int(runs[1::2].sum()) != frame.null_count:
        raise CorruptError("the Arrow column's nulls do not add up")
    is_number = np.arange(runs.size) % 2 == 0
    try:
        return np.repeat(is_number, runs.astype(np.int64))
    except (MemoryError, ValueError):
        raise too_long(frame) from None


def too_long(frame: Frame) -> Error:
    return OutOfMemoryError(f"no memory for the {frame.length} rows of the Arrow column")
