# SPDX-License-Identifier: Apache-2.0
"""Selects rows of chunks and handles damaged chunks, as src/cvc/file/read_rows.cpp."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..._errors import (
    CancelledError,
    ChecksumError,
    CorruptError,
    InvalidArgumentError,
    TypeMismatchError,
)
from ._arrays import DeviceArray
from ._blocks import (
    CpuDecoder,
    Rows,
    block_of_values,
    is_decoded_before,
    make_block,
    row_cost,
)
from ._cuda import CudaDecoder
from ._triton import BUFFER_BYTES, TritonDecoder

if TYPE_CHECKING:
    from ..._core import CvcReader, CvcSlice
    from ..._progress import CoreProgress
    from .._backends import Place
    from .._info import Info

Array = npt.NDArray[Any]
_FLOATS = ("float32", "float16", "bfloat16")


class Source(NamedTuple):
    """The file and options of a call."""

    reader: CvcReader
    info: Info
    place: Place
    threads: int
    is_remote: bool


class _ChunkRows(NamedTuple):
    chunk: int
    rows: Rows


def _cut(info: Info, ranges: Sequence[tuple[int, int]]) -> Iterator[_ChunkRows]:
    """Splits ranges at the ends of chunks; their rows are concatenated in the output."""
    starts = [chunk.first_row for chunk in info.chunks]
    out_row = 0
    for first, count in ranges:
        if first < 0 or count < 0 or first + count > info.rows:
            raise InvalidArgumentError("rows past the end of the file")
        while count > 0:
            chunk = bisect_right(starts, first) - 1
            inside = first - starts[chunk]
            some = min(count, info.chunks[chunk].rows - inside)
            yield _ChunkRows(chunk, Rows(inside, some, out_row))
            first, count, out_row = first + some, count - some, out_row + some


def _group(info: Info, requested: Array) -> Iterator[_ChunkRows]:
    """Single rows, sorted and grouped by chunk."""
    if requested.size and int(requested.max()) >= info.rows:
        raise InvalidArgumentError("rows past the end of the file")
    order = np.argsort(requested, kind="stable")
    ascending = requested[order]
    starts = np.array([chunk.first_row for chunk in info.chunks], np.uint64)
    chunks = np.searchsorted(starts, ascending, side="right") - 1
    breaks = np.flatnonzero(np.diff(chunks)) + 1
    for places in np.split(np.arange(len(ascending)), breaks) if len(ascending) else ():
        chunk = int(chunks[places[0]])
        rows = (ascending[places] - starts[chunk]).astype(np.int64)
        picked = (rows, order[places].astype(np.int64))
        yield _ChunkRows(chunk, Rows(0, len(rows), 0, picked))


def _check_type(info: Info, chunk: int, output: DeviceArray) -> None:
    column = info.columns[output.column]
    compression = info.chunks[chunk].slices[output.column].compression
    is_kept = compression in ("none", "pco") and column.dtype not in _FLOATS
    if output.dtype != column.dtype if is_kept else output.dtype not in _FLOATS:
        raise TypeMismatchError(
            "the column's values cannot be read as this type, but as float32, float16 and "
            "bfloat16; integers that are stored unchanged as their own",
            None,
            chunk,
        )


def _fill_bits(dtype: str, value: float) -> int:
    """The bits of a fill value, converted as on the CPU, as a signed integer."""
    if dtype == "bfloat16":
        bits = int(np.array(value, np.float32).view(np.uint32))
        high = bits >> 16
        if bits & 0x7FFFFFFF > 0x7F800000:
            high = high if high & 0x7F else high | 1
        else:
            high = (bits + 0x7FFF + (high & 1)) >> 16
        return int(np.array(high, np.uint16).view(np.int16))
    if dtype in _FLOATS:
        with np.errstate(over="ignore"):
            return int(np.array(value, dtype).view("int16" if dtype == "float16" else "int32"))
    if value != value:
        return 0
    limits = np.iinfo(dtype)
    whole = int(min(max(value, float(limits.min)), float(limits.max)))
    whole = min(max(whole, int(limits.min)), int(limits.max))
    return whole - 256 if dtype == "uint8" and whole > 127 else whole


def _parts(rows: Rows, row_bytes: int) -> Iterator[Rows]:
    """Splits rows into blocks of about a quarter of a buffer."""
    step = BUFFER_BYTES // 4 // max(1, row_bytes)
    # Multiples of 16 rows, so that all blocks are aligned if the first one is.
    step = step // 16 * 16 if step >= 16 else max(1, step)
    for start in range(0, rows.count, step):
        yield rows.part(start, min(step, rows.count - start))


class _Work:
    """Passes rows to a decoder."""

    def __init__(self, source: Source, outputs: Sequence[DeviceArray]) -> None:
        self._source = source
        self._outputs = outputs
        self._cuda = CudaDecoder() if source.place.backend == "cuda" else None
        self._triton = None if self._cuda else TritonDecoder(source.threads)

    def add(self, item: _ChunkRows, is_checked: bool) -> None:
        """Adds rows of a chunk; raises ChecksumError before decoding any of them."""
        found = []
        for i, output in enumerate(self._outputs):
            # Once is enough, unless the bytes are fetched again.
            verify = is_checked and (i == 0 or self._source.is_remote)
            found.append(self._find(item, output, verify))
        for one, output in zip(found, self._outputs, strict=True):
            if isinstance(one, np.ndarray):
                self._add_values(one, item.rows, output)
            elif self._cuda is not None:
                self._cuda.add(one, item.rows, output)
            else:
                self._add_blocks(one, item.rows, output)

    def _find(self, item: _ChunkRows, output: DeviceArray, verify: bool) -> CvcSlice | Array:
        """The stored slice; or the decoded values, if they would be fetched twice otherwise."""
        source = self._source
        chunk = source.info.chunks[item.chunk]
        compression = chunk.slices[output.column].compression
        is_before = is_decoded_before(compression, output.dimension, item.rows)
        is_twice = source.is_remote and is_before
        if self._triton is None or not is_twice:
            return source.reader.stored_slice(item.chunk, output.column, source.threads, verify)
        kind = "uint16" if output.dtype == "bfloat16" else output.dtype
        values = np.empty((item.rows.count, output.dimension), kind)
        to = values.reshape(-1).view(np.uint8)
        decoder = self._decoder(output)
        decoder.decode(to, chunk.first_row, item.rows, output.dtype, verify)
        return values

    def _decoder(self, output: DeviceArray) -> CpuDecoder:
        column = self._source.info.columns[output.column]
        return CpuDecoder(self._source.reader, column, output.column, self._source.threads)

    def _add_blocks(self, stored: CvcSlice, all_rows: Rows, output: DeviceArray) -> None:
        assert self._triton is not None
        decoder = self._decoder(output)
        for rows in _parts(all_rows, row_cost(stored, output.dtype)):
            block = make_block(stored, rows, output.dtype, decoder)
            places = None if rows.picked is None else rows.picked[1]
            tag = (stored.first_row + rows.first, rows.count, output)
            self._triton.add(block, output, rows.out_row, places, tag)

    def _add_values(self, values: Array, all_rows: Rows, output: DeviceArray) -> None:
        assert self._triton is not None
        start = 0
        for rows in _parts(all_rows, values.itemsize * output.dimension):
            block = block_of_values(values[start : start + rows.count])
            places = None if rows.picked is None else rows.picked[1]
            self._triton.add(block, output, rows.out_row, places, None)
            start += rows.count

    def finish(self) -> None:
        if self._cuda is not None:
            self._cuda.finish()
            return
        assert self._triton is not None
        for first, count, output in self._triton.finish()[:1]:
            # Decoding on the CPU raises the error with its details.
            buffer = np.empty((count, output.dimension), np.float32)
            target = (output.column, buffer, False)
            self._source.reader.read(
                [(first, count)],
                [target],
                are_fresh=True,
                threads=self._source.threads,
                verify=False,
                on_corruption="raise",
                fill=0.0,
                progress=None,
            )
            raise CorruptError("lossless: a code is past its dictionary")


def read_ranges(
    source: Source,
    ranges: Sequence[tuple[int, int]],
    outputs: Sequence[DeviceArray],
    verify: bool,
    on_corruption: str,
    fill_value: float,
    progress: CoreProgress,
) -> tuple[int, list[tuple[int, int, int]]]:
    """Reads ranges into all outputs.

    Returns:
        The count of rows, and (chunk, first row, rows) of each damaged chunk.
    """
    if on_corruption not in ("raise", "fill", "drop"):
        raise InvalidArgumentError(f"unknown on_corruption {on_corruption!r}: raise, fill or drop")
    info = source.info
    items = list(_cut(info, ranges))
    for item in items:
        for output in outputs:
            _check_type(info, item.chunk, output)
    has_all = {output.column for output in outputs} == set(range(len(info.columns)))
    work = _Work(source, outputs)
    corrupt: list[tuple[int, int, int]] = []
    dropped = numbers = size = 0
    for item in items if outputs else ():
        chunk = info.chunks[item.chunk]
        count = item.rows.count
        is_checked = info.version[0] != 0 and (verify or (has_all and count == chunk.rows))
        placed = replace(item.rows, out_row=item.rows.out_row - dropped)
        try:
            work.add(_ChunkRows(item.chunk, placed), is_checked)
        except ChecksumError:
            if on_corruption == "raise":
                raise
            corrupt.append((item.chunk, chunk.first_row + item.rows.first, count))
            if on_corruption == "drop":
                dropped += count
            else:
                for output in outputs:
                    output.fill(placed.out_row, count, _fill_bits(output.dtype, fill_value))
        numbers += count * sum(output.dimension for output in outputs)
        size += chunk.payload_bytes or 0
        if progress is not None and not progress(numbers, size):
            raise CancelledError("the progress callback asked to stop")
    work.finish()
    return sum(item.rows.count for item in items) - dropped, corrupt


def gather(source: Source, requested: Array, output: DeviceArray, verify: bool) -> None:
    """Reads single rows, in any order and with repetitions."""
    work = _Work(source, [output])
    for item in list(_group(source.info, requested)):
        _check_type(source.info, item.chunk, output)
        work.add(item, verify and source.info.version[0] != 0)
    work.finish()
