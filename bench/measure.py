# SPDX-License-Identifier: Apache-2.0
"""Sizes, round trips and times of one column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpact_ctypes as numpact
import numpy as np
from peer_codecs import Action, Codec
from reference_cache import ColumnCache, ReferenceCache
from rounds import best_of_rounds

PCO = ("ours", "pcodec")  # codecs that read each other's files
ONCE_OVER = 1.0  # seconds of compressing after which a peer is timed no more


@dataclass
class Plan:
    """How each column is measured."""

    level: int = 8
    rounds: int = 5  # at least
    seconds: float = 1.2  # a column's rounds go on for so long
    threads: int = 1
    target: str = ""
    only_size: bool = False
    only_decode: bool = False
    fresh: bool = False


@dataclass
class Column:
    """The outcome. Keys of `seconds`: compress, decompress, and cross (ours reading the file that
    pcodec wrote, and the other way round), each with the codec, as in "compress.ours"."""

    name: str
    type: str
    count: int
    raw: int
    sizes: dict[str, int] = field(default_factory=dict)
    choices: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    rounds: int = 0
    failures: list[str] = field(default_factory=list)
    unfit: dict[str, str] = field(default_factory=dict)  # peers that cannot do this column

    def speed_ratio(self, ours: str, peer: str) -> float | None:
        """How many times as fast the first is."""
        if ours not in self.seconds or peer not in self.seconds:
            return None
        return self.seconds[peer] / self.seconds[ours]

    def size_ratio(self, peer: str) -> float | None:
        if "ours" not in self.sizes or peer not in self.sizes:
            return None
        return self.sizes["ours"] / self.sizes[peer]

    def compression_ratio(self, codec: str) -> float | None:
        return self.raw / self.sizes[codec] if self.sizes.get(codec) else None


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and np.array_equal(a.view(np.uint8), b.view(np.uint8))


def choice_text(file: bytes) -> str:
    """The modes and deltas of a file's chunks, the most frequent first."""
    chunks = numpact.inspect(file)["chunks"]
    counts = Counter(f"{chunk['mode']} {chunk['delta']}" for chunk in chunks)
    return ", ".join(f"{text} x{n}" if n > 1 else text for text, n in counts.most_common())


class Measurement:
    """All that is measured for one column, in one process."""

    def __init__(self, name: str, numbers: np.ndarray, plan: Plan, codecs: list[Codec],
                 cache: ReferenceCache):
        self._numbers = numbers
        self._plan = plan
        self._codecs = {codec.name: codec for codec in codecs}
        self._cache: ColumnCache = cache.of(numbers)
        self._files: dict[str, bytes] = {}
        type_name = numpact.TYPE_NAMES[numbers.dtype]
        self.column = Column(name, type_name, numbers.size, numbers.nbytes)

    def run(self) -> Column:
        for codec in self._codecs.values():
            self._attempt(codec, "compress", lambda: self._make_file(codec))
        for name in [name for name in PCO if name in self._files]:
            self.column.choices[name] = choice_text(self._files[name])
        for writer, reader in self._pairs():
            self._attempt(reader, f"{writer} -> {reader.name}",
                          lambda: self._check(writer, reader))
        if not self._plan.only_size and not self.column.failures:
            self._time()
        return self.column

    def _make_file(self, codec: Codec) -> None:
        _, make = codec.writer(self._numbers)
        file = self._cache.file(codec.cache_key, make) if codec.cache_key else make()
        self._files[codec.name] = file
        if codec.name != "memcpy":
            self.column.sizes[codec.name] = len(file)

    def _pairs(self) -> list[tuple[str, Codec]]:
        """(writer, reader): each codec its own file, and those that share a format all of them."""
        return [(writer, reader) for name, reader in self._codecs.items()
                for writer in (PCO if name in PCO else (name,)) if writer in self._files]

    def _attempt(self, codec: Codec, what: str, action: Callable[[], None]) -> None:
        """Peers of other formats may fail: that is noted and they are left out."""
        try:
            action()
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic of the pcodec package is not an Exception
            if codec.name in PCO:
                self.column.failures.append(f"{what}: {error}")
            else:
                self.column.unfit[codec.name] = f"{what}: {error}"
                self._files.pop(codec.name, None)

    def _check(self, writer: str, reader: Codec) -> None:
        out = np.zeros_like(self._numbers)
        result = reader.reader(self._files[writer], out)()
        found = reader.numbers(result, out)
        if not same_bits(found, self._numbers):
            if found.nbytes != self._numbers.nbytes:
                raise RuntimeError(f"{found.size} numbers of {found.dtype}")
            first = int(np.argmax(found.view(np.uint8) != self._numbers.view(np.uint8)))
            index = first // self._numbers.itemsize
            raise RuntimeError(f"numbers differ, the first at index {index}")

    def _compressing(self) -> dict[str, Action]:
        actions: dict[str, Action] = {}
        for name in [name for name in self._codecs if name in self._files]:
            compress, _ = self._codecs[name].writer(self._numbers)
            if compress is not None:
                actions[f"compress.{name}"] = compress
        return actions

    def _decompressing(self) -> dict[str, Action]:
        """All into the same array."""
        out = np.zeros_like(self._numbers)
        actions: dict[str, Action] = {}
        for writer, reader in self._pairs():
            what = "decompress" if writer == reader.name else "cross"
            actions[f"{what}.{reader.name}"] = reader.reader(self._files[writer], out)
        return actions

    def _time(self) -> None:
        plan, column = self._plan, self.column
        seconds = plan.seconds
        if not plan.only_decode:
            seconds /= 2
            column.seconds, _ = best_of_rounds(self._compressing(), plan.rounds, seconds,
                                               ONCE_OVER, [f"compress.{name}" for name in PCO])
        times, column.rounds = best_of_rounds(self._decompressing(), plan.rounds, seconds)
        column.seconds |= times
