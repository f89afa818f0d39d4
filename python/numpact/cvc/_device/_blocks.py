# SPDX-License-Identifier: Apache-2.0
"""The bytes to copy to the device for rows of a stored slice: only those of these rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ..._core import CvcReader, CvcSlice
    from .. import _info

Array = npt.NDArray[Any]

#: Sizes of values, in bytes.
SIZES = {
    "float32": 4, "float16": 2, "bfloat16": 2, "int32": 4, "int64": 8, "int8": 1, "uint8": 1,
}  # fmt: skip
#: Bits of a code of rotated rows, and the dimension up to which they are decoded on the device.
ROTATED_BITS = {"rot1": 1, "rot2": 2, "rot3": 3, "rot4": 4}
_MAX_ROTATED_DIMENSION = 8192
#: By the bits, the levels above 0; those below are their negatives.
_UPPER_LEVELS = {
    1: [1.0], 2: [0.4528, 1.5104], 3: [0.2451, 0.7560, 1.3440, 2.1520],
    4: [0.1284, 0.3881, 0.6568, 0.9424, 1.2562, 1.6181, 2.0691, 2.7326],
}  # fmt: skip
#: Sizes of codes, in bytes.
_CODES = {"fp16": 2, "bfloat16": 2, "int8": 1, "int8_row": 1, "int8_dim": 1}


@dataclass(frozen=True)
class Rows:
    """Rows of one chunk and their destination: a range, or a destination for each row."""

    first: int  #: of the chunk
    count: int
    out_row: int
    #: If set, ``count`` rows of the chunk in ascending order, and the row of the output for each.
    picked: tuple[Array, Array] | None = None

    def part(self, start: int, count: int) -> Rows:
        if self.picked is None:
            return Rows(self.first + start, count, self.out_row + start)
        chosen, places = self.picked
        stop = start + count
        return Rows(self.first, count, 0, (chosen[start:stop], places[start:stop]))


class Part(NamedTuple):
    """Some bytes of a block: their count, and a function that writes them to a buffer."""

    bytes: int
    put: Callable[[Array], None]


class Block(NamedTuple):
    """Rows to be decoded on the device. ``kind`` is "copy", a type, or a compression."""

    kind: str
    values: int
    #: Codes, minima, scales; or four planes and their dictionaries; or codes with scales, the mean,
    #: signs, levels.
    parts: list[Part]
    lead: int = 0  #: lossless: values in the planes before the first
    range_bits: tuple[int, int] = (0, 0)  #: int8: min and scale
    planes: tuple[tuple[int, bool, int], ...] = ()  #: lossless: width, is_plain, entries

    @property
    def bytes(self) -> int:
        return sum(part.bytes for part in self.parts)

    @property
    def may_fail(self) -> bool:
        """Whether the data can contain codes outside of their dictionary."""
        return any(entries < 1 << width for width, _, entries in self.planes)


def _copied(data: Array) -> Part:
    def put(to: Array) -> None:
        to[:] = data

    return Part(data.size, put)


def _bits(value: float) -> int:
    return int(np.float32(value).view(np.int32))


def _row_bytes(stored: CvcSlice) -> int:
    """Bytes of the codes of a row, for compressions with codes of a fixed size."""
    if stored.compression == "none":
        return stored.dimension * SIZES[stored.dtype]
    if stored.compression == "int4":
        return (stored.dimension + 1) // 2
    if stored.compression in ROTATED_BITS:  # with the scale
        return 4 + (stored.dimension * ROTATED_BITS[stored.compression] + 7) // 8
    return stored.dimension * _CODES[stored.compression]


def row_cost(stored: CvcSlice, dtype: str) -> int:
    """Approximate bytes of a row in the buffer."""
    if stored.compression == "lossless":
        return 1 + stored.dimension * sum(plane[2] for plane in stored.planes) // 8
    if stored.compression == "pco" or is_long_rotation(stored.compression, stored.dimension):
        return stored.dimension * SIZES[dtype]
    return 8 + _row_bytes(stored)


def _kind(stored: CvcSlice, dtype: str) -> str:
    own = {"fp16": "float16", "bfloat16": "bfloat16", "none": stored.dtype}
    kind = own.get(stored.compression, stored.compression)
    return "copy" if kind == dtype else kind


def _codes_of(stored: CvcSlice, rows: Rows, size: int) -> Part:
    """The codes of rows, ``size`` bytes each."""
    codes = stored.bytes
    if rows.picked is None:
        return _copied(codes[rows.first * size : (rows.first + rows.count) * size])
    chosen = rows.picked[0]

    def put(to: Array) -> None:
        all_rows = codes[: stored.rows * size].reshape(stored.rows, size)
        np.take(all_rows, chosen, axis=0, out=to.reshape(rows.count, size), mode="clip")

    return Part(rows.count * size, put)


def _of_codes(stored: CvcSlice, rows: Rows, dtype: str) -> Block:
    """A block of any compression except lossless, pco and rotations."""
    size = _row_bytes(stored)
    parts = [_codes_of(stored, rows, size)]
    ranges = stored.bytes[stored.rows * size :]
    half = ranges.size // 2
    for part in (ranges[:half], ranges[half:]) if half else ():
        if stored.compression == "int8_row":
            chosen = slice(rows.first, rows.first + rows.count)
            each = part.reshape(-1, 4)
            part = each[chosen if rows.picked is None else rows.picked[0]].reshape(-1)
        parts.append(_copied(part))
    values = rows.count * stored.dimension
    return Block(_kind(stored, dtype), values, parts, 0, (_bits(stored.min), _bits(stored.scale)))


def _of_planes(stored: CvcSlice, rows: Rows) -> Block:
    """A block of lossless: from each plane the bytes that contain the rows."""
    first = rows.first * stored.dimension
    count = rows.count * stored.dimension
    start = first // 8 * 8
    parts: list[Part] = []
    planes: list[tuple[int, bool, int]] = []
    dictionaries = np.zeros(4 * 256, np.uint8)
    for k, (offset, _, width, is_plain, dictionary) in enumerate(stored.planes):
        from_byte = offset + start * width // 8
        to_byte = offset + ((first + count) * width + 7) // 8
        parts.append(_copied(stored.bytes[from_byte:to_byte]))
        planes.append((width, is_plain, len(dictionary)))
        dictionaries[256 * k : 256 * k + len(dictionary)] = np.frombuffer(dictionary, np.uint8)
    parts.append(_copied(dictionaries))
    return Block("lossless", count, parts, first - start, planes=tuple(planes))


def _signs(seed: int, dimension: int) -> Array:
    """The words of signs of all rounds."""
    words: Array = np.arange(1, 3 * ((dimension + 63) // 64) + 1, dtype=np.uint64)
    words = words * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return words


def _of_rotation(stored: CvcSlice, rows: Rows) -> Block:
    """A block of rot1 to rot4."""
    size = _row_bytes(stored)
    mean = stored.bytes[stored.rows * size : -8]
    seed = int.from_bytes(stored.bytes[-8:].tobytes(), "little")
    upper = _UPPER_LEVELS[ROTATED_BITS[stored.compression]]
    levels = np.array([*(-level for level in reversed(upper)), *upper], np.float32)
    tables = [mean, *(table.view(np.uint8) for table in (_signs(seed, stored.dimension), levels))]
    parts = [_codes_of(stored, rows, size), *map(_copied, tables)]
    return Block(stored.compression, rows.count * stored.dimension, parts)


@dataclass(frozen=True)
class CpuDecoder:
    """Decodes rows of a column of a chunk on the CPU; its checksum was compared before."""

    reader: CvcReader
    column: _info.Column
    index: int
    threads: int

    def decode(self, to: Array, first_row: int, rows: Rows, dtype: str, verify: bool) -> None:
        """Decodes rows of the chunk that starts at ``first_row`` into a buffer of bytes."""
        is_bfloat16 = dtype == "bfloat16"
        kind = "uint16" if is_bfloat16 else dtype
        array = to.view(kind).reshape(rows.count, self.column.dimension)
        target = (self.index, array, is_bfloat16)
        if rows.picked is None:
            place = (first_row + rows.first, rows.count)
            self.reader.read(
                [place],
                [target],
                are_fresh=False,
                threads=self.threads,
                verify=verify,
                on_corruption="raise",
                fill=0.0,
                progress=None,
            )
        else:
            requested = (rows.picked[0] + first_row).astype(np.uint64)
            self.reader.gather(
                requested, [target], are_fresh=False, threads=self.threads, verify=verify
            )

    def block(self, first_row: int, rows: Rows, dtype: str) -> Block:
        """A block that is decoded when it is written to a buffer."""
        values = rows.count * self.column.dimension

        def put(to: Array) -> None:
            self.decode(to, first_row, rows, dtype, verify=False)

        return Block("copy", values, [Part(values * SIZES[dtype], put)])


def is_long_rotation(compression: str, dimension: int) -> bool:
    """Whether rows are rotated and too long for the device."""
    return compression in ROTATED_BITS and dimension > _MAX_ROTATED_DIMENSION


def is_decoded_before(compression: str, dimension: int, rows: Rows) -> bool:
    """Whether the CPU decodes the rows: pco, long rotated ones, and single ones of lossless."""
    if compression == "lossless":
        return rows.picked is not None
    return compression == "pco" or is_long_rotation(compression, dimension)


def block_of_values(values: Array) -> Block:
    """A block of decoded rows, (n, values of a row)."""
    flat = values.reshape(-1)
    return Block("copy", flat.size, [_copied(flat.view(np.uint8))])


def make_block(stored: CvcSlice, rows: Rows, dtype: str, decoder: CpuDecoder) -> Block:
    """The block for rows of a stored slice."""
    if is_decoded_before(stored.compression, stored.dimension, rows):
        return decoder.block(stored.first_row, rows, dtype)
    if stored.compression == "lossless":
        return _of_planes(stored, rows)
    if stored.compression in ROTATED_BITS:
        return _of_rotation(stored, rows)
    return _of_codes(stored, rows, dtype)
