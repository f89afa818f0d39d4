# SPDX-License-Identifier: Apache-2.0
"""The frame around the numbers of an Arrow column (docs/format/arrow-column.md)."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core
from ._codec import compress, decompress
from ._errors import ChecksumError, CorruptError, TruncatedError, UnsupportedVersionError

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Buffer

    Array = npt.NDArray[Any]

MAGIC = b"npac"
VERSION = 1
# Magic, version, zero, bytes of the format, rows, nulls, bytes of the runs, bytes of the numbers.
_HEAD = struct.Struct("<4sBBHQQQQ")
_CHECK = struct.Struct("<I")


class Frame(NamedTuple):
    format: str
    length: int
    null_count: int
    runs: memoryview
    numbers: memoryview


def is_frame(buf: Buffer) -> bool:
    return bytes(memoryview(buf).cast("B")[:4]) == MAGIC


def pack(format: str, length: int, validity: Array | None, numbers: bytes) -> bytes:
    """A frame; `validity` is None where there are no nulls."""
    runs = b"" if validity is None else compress(_runs(validity))
    nulls = 0 if validity is None else length - int(validity.sum())
    name = format.encode()
    head = _HEAD.pack(MAGIC, VERSION, 0, len(name), length, nulls, len(runs), len(numbers))
    body = b"".join([head, name, runs, numbers])
    return body + _CHECK.pack(zlib.crc32(body))


def _runs(validity: Array) -> Array:
    """Lengths of runs: of numbers, of nulls, of numbers, ...; only the first may be 0."""
    import numpy as np

    edges = np.flatnonzero(np.diff(validity.view(np.int8))) + 1
    bounds = np.concatenate([[0], edges, [validity.size]])
    lengths = np.diff(bounds).astype(np.uint64)
    return lengths if validity[0] else np.concatenate([np.zeros(1, np.uint64), lengths])


def unpack(buf: Buffer) -> Frame:
    """Takes a frame apart and checks it, but for what runs and numbers hold."""
    data = memoryview(buf).cast("B")
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
    numbers_at = runs_at + runs_size
    return Frame(
        format, length, nulls, data[runs_at:numbers_at], data[numbers_at : whole - _CHECK.size]
    )


def number_type(format: str) -> str:
    """The number type that stands for an Arrow type."""
    name = _core.arrow_type(format)
    if name is None:
        raise CorruptError(f"the Arrow column's type {format!r} is not one of numbers", _HEAD.size)
    return name


def check_numbers(frame: Frame, wanted: str, found: str, count: int) -> None:
    if found != wanted or count != frame.length - frame.null_count:
        raise CorruptError("the Arrow column's numbers contradict its head")


def unpack_validity(frame: Frame) -> Array:
    """True where there is a number."""
    import numpy as np

    # Runs alternate, so there are at most two for each of the rarer kind, and one more.
    rarer = min(frame.null_count, frame.length - frame.null_count)
    runs = decompress(frame.runs, max_output=8 * (2 * rarer + 2))
    if runs.dtype != np.uint64 or runs.size == 0 or not runs[1:].all():
        raise CorruptError("the Arrow column's runs are not runs")
    ends = np.cumsum(runs, dtype=np.uint64)
    # Ends that go down have passed 2 ** 64.
    if (ends[1:] < ends[:-1]).any() or int(ends[-1]) != frame.length:
        raise CorruptError("the Arrow column's runs do not add up")
    if int(runs[1::2].sum()) != frame.null_count:
        raise CorruptError("the Arrow column's nulls do not add up")
    is_number = np.arange(runs.size) % 2 == 0
    return np.repeat(is_number, runs.astype(np.int64))
