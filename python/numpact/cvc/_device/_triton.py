# SPDX-License-Identifier: Apache-2.0
"""Decodes with Triton: bytes of many chunks are copied together and decoded by one launch.

While one buffer is decoded, the next one is filled and copied on a separate stream. With
TRITON_INTERPRET=1 in the environment the same kernels run on the CPU.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ..._errors import InvalidArgumentError
from .._backends import is_interpreted
from ._arrays import DeviceArray, on_stream
from ._blocks import ROTATED_BITS, SIZES, Block, Part
from ._packages import import_torch

Array = npt.NDArray[Any]

#: Size of a buffer, which is copied at a time.
BUFFER_BYTES = 32 << 20
_MIN_THREADED_BYTES = 4 << 20  # fewer bytes are copied by one thread
_MAX_COPY_THREADS = 4  # more threads do not increase the bandwidth
#: Limits of a block: the kernels count values, and bits of codes of lossless, in 32 bits.
_MAX_VALUES = (1 << 31) - (1 << 20)
_MAX_LOSSLESS_VALUES = _MAX_VALUES // 8
#: Programs that decode rotated rows at a time, which need memory: enough to fill every device.
_MAX_ROTATING_PROGRAMS = 2048


def _aligned(size: int) -> int:
    return (size + 15) & ~15


# ---- buffers ----


class _Lane(Protocol):
    """Transfers bytes to the device."""

    def buffer(self, size: int) -> Array:
        """A buffer of this size on the host, to be filled."""
        ...

    def send(self, size: int) -> Any:
        """Copies the buffer; returns the bytes on the device, valid for later launches."""
        ...

    def launched(self) -> None:
        """Call after the launch of all kernels that read the bytes."""
        ...


class _CpuLane:
    """For the interpreter: no copy is necessary."""

    def buffer(self, size: int) -> Array:
        torch = import_torch()
        self._bytes = torch.empty(size, dtype=torch.uint8)
        buffer: Array = self._bytes.numpy()
        return buffer

    def send(self, size: int) -> Any:
        return self._bytes[:size]

    def launched(self) -> None:
        return


class _Slot:
    """A buffer on the host and one on the device, with events for the end of their use."""

    def __init__(self, stream: Any) -> None:
        torch = import_torch()
        self.here = torch.empty(0, dtype=torch.uint8)
        self.there = self.here
        self.copied = torch.cuda.Event()
        self.decoded = torch.cuda.Event()
        self.decoded.record(stream)


class _GpuLane:
    """Two buffers in turn; copies run on a separate stream, concurrently with the kernels."""

    def __init__(self, device: int) -> None:
        torch = import_torch()
        self._device = device
        self._kernels = torch.cuda.current_stream(device)
        self._copies = torch.cuda.Stream(device)
        self._slots = [_Slot(self._kernels), _Slot(self._kernels)]

    def buffer(self, size: int) -> Array:
        torch = import_torch()
        slot = self._slots[0]
        slot.copied.synchronize()
        if slot.here.numel() < size:
            slot.here = torch.empty(size, dtype=torch.uint8, pin_memory=True)
            slot.there = torch.empty(size, dtype=torch.uint8, device=f"cuda:{self._device}")
            # The previous owner of the new memory may still be using it.
            slot.decoded.record(self._kernels)
        buffer: Array = slot.here.numpy()
        return buffer

    def send(self, size: int) -> Any:
        torch = import_torch()
        slot = self._slots[0]
        self._copies.wait_event(slot.decoded)
        with torch.cuda.stream(self._copies):
            slot.there[:size].copy_(slot.here[:size], non_blocking=True)
            slot.copied.record(self._copies)
        self._kernels.wait_event(slot.copied)
        return slot.there[:size]

    def launched(self) -> None:
        self._slots[0].decoded.record(self._kernels)
        self._slots.reverse()


# ---- batches ----


def _stream_of(output: DeviceArray) -> AbstractContextManager[None]:
    return nullcontext() if is_interpreted() else on_stream(output)


class _Load(NamedTuple):
    block: Block
    output: DeviceArray
    out_row: int
    places: Array | None  # the row of the output for each row; None: from out_row on
    flag: int

    @property
    def launch(self) -> tuple[int, str, bool]:
        """The key of a launch: equal for loads that are decoded together."""
        return id(self.output), self.block.kind, self.places is not None

    @property
    def bytes(self) -> int:
        mapped = 0 if self.places is None else 8 * len(self.places)
        return sum(_aligned(part.bytes + 1) for part in self.block.parts) + _aligned(mapped)


class TritonDecoder:
    """Collects blocks and decodes them in batches; ``finish`` decodes the last one.

    Args:
        threads: Number of threads that fill a buffer; 0: one per processor.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads or os.cpu_count() or 1
        self._loads: list[_Load] = []
        self._bytes = 0
        self._flagged: list[Any] = []  # tags of the blocks that may fail
        # For each batch: an output, its flags, and the index in _flagged of the first flag.
        self._flags: list[tuple[DeviceArray, Any, int]] = []
        self._lane: _Lane | None = None

    def add(
        self, block: Block, output: DeviceArray, out_row: int, places: Array | None, tag: Any
    ) -> None:
        """Adds a block for the rows from ``out_row`` on, or for ``places``; see ``finish``."""
        if block.values == 0:
            return
        if block.values > (_MAX_LOSSLESS_VALUES if block.planes else _MAX_VALUES):
            raise InvalidArgumentError(
                "the Triton backend takes no rows of 2^31 values, or 2^28 of lossless"
            )
        flag = -1
        if block.may_fail:
            flag = len(self._flagged)
            self._flagged.append(tag)
        load = _Load(block, output, out_row, places, flag)
        if self._loads and self._bytes + load.bytes > BUFFER_BYTES:
            self._flush()
        self._loads.append(load)
        self._bytes += load.bytes

    def finish(self) -> list[Any]:
        """Decodes the rest; returns the tags of corrupt blocks, and waits only if some may be."""
        self._flush()
        bad = []
        for output, flags, first in self._flags:
            with _stream_of(output):
                found = flags.cpu().numpy().nonzero()[0]
            bad += [self._flagged[first + int(i)] for i in found]
        return bad

    def _flush(self) -> None:
        if not self._loads:
            return
        loads, self._loads, self._bytes = self._loads, [], 0
        with _stream_of(loads[0].output):
            if self._lane is None:
                self._lane = _CpuLane() if is_interpreted() else _GpuLane(loads[0].output.device)
            self._run(loads, self._lane)

    def _run(self, loads: list[_Load], lane: _Lane) -> None:
        torch = import_torch()
        groups: dict[tuple[int, str, bool], list[_Load]] = {}
        for load in loads:
            groups.setdefault(load.launch, []).append(load)
        flagged = [load.flag for load in loads if load.flag >= 0]
        first_flag = flagged[0] if flagged else 0
        launches = [_Launch(group, first_flag) for group in groups.values()]
        size = 0
        for launch in launches:
            size = launch.arrange(size)
        buffer = lane.buffer(size)
        _put_all([task for launch in launches for task in launch.fill(buffer)], self._threads)
        sent = lane.send(size)
        flags = torch.zeros(max(len(flagged), 1), dtype=torch.int32, device=sent.device)
        if flagged:
            self._flags.append((loads[0].output, flags, first_flag))
        with np.errstate(all="ignore"):  # the interpreter computes with NumPy
            for launch in launches:
                launch.run(sent, flags)
        lane.launched()


def _put_all(tasks: list[tuple[Part, Array]], threads: int) -> None:
    """Writes parts to the buffer, with several threads if there are many bytes."""
    count = min(threads, _MAX_COPY_THREADS, len(tasks))
    if count == 1 or sum(part.bytes for part, _ in tasks) < _MIN_THREADED_BYTES:
        for part, buffer in tasks:
            part.put(buffer)
        return
    with ThreadPoolExecutor(count) as pool:
        for done in [pool.submit(part.put, buffer) for part, buffer in tasks]:
            done.result()


class _Launch:
    """The loads that are decoded by one launch."""

    def __init__(self, loads: list[_Load], first_flag: int) -> None:
        from . import _kernels

        self._loads = loads
        self._first_flag = first_flag
        self._output = loads[0].output
        self._kernels = _kernels
        self._block = 1 << 14 if is_interpreted() else 1 << 11
        self._bits = ROTATED_BITS.get(loads[0].block.kind, 0)
        if self._bits > 0:  # whole rows
            dimension = self._output.dimension
            self._part = 1 << (dimension.bit_length() - 1)
            self._size = self._part if self._part == dimension else 2 * self._part
            self._rows = max(1, self._block // self._size)
            self._block = self._rows * dimension
        self._blocks = [-(-load.block.values // self._block) for load in loads]
        self._places: list[list[int]] = []
        self._maps: list[int] = []
        self._layout = self._kernels.DENSE.value
        if loads[0].places is not None:
            self._layout = self._kernels.MAPPED.value
        elif self._output.stride != self._output.dimension:
            self._layout = self._kernels.APART.value
        self._unit = self._find_unit()

    def _find_unit(self) -> int:
        """Values per store: 16 if these are always of one block and aligned, else 1."""
        if self._layout != self._kernels.DENSE.value or self._output.pointer % 16 != 0:
            return 1
        if self._bits > 0:
            return 1
        wide = all(
            load.block.values % 16 == 0
            and load.out_row * self._output.dimension % 16 == 0
            and load.block.lead == 0
            for load in self._loads
        )
        return 16 if wide else 1

    def arrange(self, start: int) -> int:
        """Assigns positions in the buffer from ``start`` on; returns the end."""
        for load in self._loads:
            places = []
            for part in load.block.parts:
                places.append(start)
                start += _aligned(part.bytes + 1)  # kernels read a byte after a plane of lossless
            self._places.append(places)
            self._maps.append(start)
            start += 0 if load.places is None else _aligned(8 * len(load.places))
        table_bytes: int = 8 * self._kernels.FIELDS.value * len(self._loads)
        self._table_at = start
        self._table_end = start + table_bytes
        self._tasks_end = self._table_end + _aligned(4 * sum(self._blocks))
        return self._tasks_end

    def fill(self, buffer: Array) -> Iterator[tuple[Part, Array]]:
        """Writes the table; yields the parts of blocks and their positions in the buffer."""
        table = buffer[self._table_at : self._table_end].view(np.int64)
        table = table.reshape(len(self._loads), self._kernels.FIELDS.value)
        table[:] = 0
        tasks = buffer[self._table_end : self._tasks_end].view(np.int32)
        numbers = np.repeat(np.arange(len(self._loads), dtype=np.int32), self._blocks)
        tasks[: len(numbers)] = numbers
        first_block = 0
        for i, load in enumerate(self._loads):
            for part, place in zip(load.block.parts, self._places[i], strict=True):
                yield part, buffer[place : place + part.bytes]
            if load.places is not None:
                place = self._maps[i]
                buffer[place : place + 8 * len(load.places)].view(np.int64)[:] = load.places
            self._describe(load, i, table[i], first_block)
            first_block += self._blocks[i]

    def _describe(self, load: _Load, i: int, row: Array, first_block: int) -> None:
        """Fills a row of the table."""
        k = self._kernels
        block = load.block
        row[k.FIRST_BLOCK.value] = first_block
        row[k.VALUES.value] = block.values // self._unit
        row[k.LEAD.value] = block.lead
        if load.places is not None:
            row[k.OUT.value] = self._maps[i] // 8
        elif self._layout == k.DENSE.value:
            row[k.OUT.value] = load.out_row * self._output.dimension // self._unit
        else:
            row[k.OUT.value] = load.out_row
        places = [place // 16 for place in self._places[i]]
        row[k.PLACES.value : k.PLACES.value + len(places[:4])] = places[:4]
        if block.planes:
            infos = [k.plane_info(*plane) for plane in block.planes]
            row[k.INFOS.value : k.INFOS.value + 4] = infos
            row[k.DICTIONARIES.value] = places[4]
            row[k.FLAG.value] = load.flag - self._first_flag
        else:
            row[k.INFOS.value : k.INFOS.value + 2] = block.range_bits

    def run(self, sent: Any, flags: Any) -> None:
        torch = import_torch()
        k = self._kernels
        kind = self._loads[0].block.kind
        output = self._output
        size = SIZES.get(output.dtype if kind == "copy" else kind, 1)
        bits = output.bits()
        views = {1: torch.uint8, 2: torch.int16, 4: torch.int32}
        types = {"float32": k.FLOAT32, "float16": k.FLOAT16, "bfloat16": k.BFLOAT16}
        kinds: dict[str, Any] = {
            **types, "copy": k.COPY, "int8": k.INT8, "int8_row": k.INT8_ROW,
            "int8_dim": k.INT8_DIM, "int4": k.INT4, "lossless": k.LOSSLESS,
        }  # fmt: skip
        memory = (
            bits,
            sent.view(bits.dtype if kind == "copy" else views[size]),
            sent.view(torch.int32),
            sent.view(torch.int64),
            sent[self._table_at : self._table_end].view(torch.int64),
            sent[self._table_end : self._tasks_end].view(torch.int32),
        )
        options = {
            "TYPE": (k.COPY if kind == "copy" else types.get(output.dtype, k.COPY)).value,
            "LAYOUT": self._layout,
            "ARITHMETIC": k.PLAIN.value if is_interpreted() else k.PTX.value,
            "num_warps": 4,
            "enable_fp_fusion": False,
        }
        if self._bits > 0:
            self._run_rotated(memory, options)
            return
        decode: Any = k.decode
        decode[(sum(self._blocks),)](
            *memory,
            flags,
            output.dimension,
            output.stride,
            KIND=kinds[kind].value,
            UNIT=self._unit,
            SIZE=size,
            BLOCK=self._block,
            **options,
        )

    def _run_rotated(self, memory: tuple[Any, ...], options: dict[str, Any]) -> None:
        from . import _rotation_kernel

        torch = import_torch()
        blocks, scratch = sum(self._blocks), 0
        programs = blocks
        if self._size > self._part:
            programs = min(blocks, _MAX_ROTATING_PROGRAMS)
            scratch = programs * self._rows * self._size
        decode: Any = _rotation_kernel.decode
        decode[(programs,)](
            *memory,
            self._output.dimension,
            self._output.stride,
            float(np.float32(1 / np.sqrt(self._part))),
            blocks,
            torch.empty(max(1, scratch), dtype=torch.float32, device=memory[0].device),
            BITS=self._bits,
            ROWS=self._rows,
            PART=self._part,
            SIZE=self._size,
            STEPS=self._part.bit_length() - 1,
            **{**options, "num_warps": max(4, self._size // 512)},
        )
