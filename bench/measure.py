# SPDX-License-Identifier: Apache-2.0
"""Sizes, round trips and times of one column."""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpact_ctypes as numpact
import numpy as np
from peer_codecs import Action, Codec, Ours, Pcodec, Zstd
from reference_cache import ReferenceCache

MAX_ROUNDS = 200


@dataclass
class Plan:
    """What to do with each column."""

    level: int = 8
    peers: tuple[str, ...] = ("pcodec", "zstd")
    rounds: int = 5  # at least
    seconds: float = 1.2  # a column's rounds go on for so long
    only_size: bool = False
    fresh: bool = False


@dataclass
class Column:
    """The outcome. Keys of `seconds`: compress, decompress, and cross (reading a file that the
    reference wrote), each with the codec, as in "compress.ours"."""

    name: str
    type: str
    count: int
    raw: int
    sizes: dict[str, int] = field(default_factory=dict)
    choices: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    rounds: int = 0
    failures: list[str] = field(default_factory=list)

    def speed_ratio(self, ours: str, peer: str) -> float | None:
        """How many times as fast ours is."""
        if ours not in self.seconds or peer not in self.seconds:
            return None
        return self.seconds[peer] / self.seconds[ours]

    def size_ratio(self, peer: str) -> float | None:
        if "ours" not in self.sizes or peer not in self.sizes:
            return None
        return self.sizes["ours"] / self.sizes[peer]


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and np.array_equal(a.view(np.uint8), b.view(np.uint8))


def choice_text(file: bytes) -> str:
    """The modes and deltas of a file's chunks, the most frequent first."""
    chunks = numpact.inspect(file)["chunks"]
    counts = Counter(f"{chunk['mode']} {chunk['delta']}" for chunk in chunks)
    return ", ".join(f"{text} x{n}" if n > 1 else text for text, n in counts.most_common())


class Measurement:
    """All that is measured for one column, in one process."""

    def __init__(self, name: str, numbers: np.ndarray, plan: Plan, cache: ReferenceCache):
        self._numbers = numbers
        self._plan = plan
        self._cache = cache
        self._files: dict[str, bytes] = {}
        type_name = numpact.TYPE_NAMES[numbers.dtype]
        self.column = Column(name, type_name, numbers.size, numbers.nbytes)

    def run(self) -> Column:
        codecs = self._codecs()
        self._make_files(codecs)
        self._check_round_trips(codecs)
        if not self._plan.only_size and not self.column.failures:
            self._time(self._actions(codecs))
        return self.column

    def _codecs(self) -> list[Codec]:
        plan = self._plan
        codecs: list[Codec] = [Ours(plan.level, plan.fresh)]
        if "pcodec" in plan.peers:
            codecs.append(Pcodec(plan.level))
        if "zstd" in plan.peers:
            codecs.append(Zstd())
        return codecs

    def _make_files(self, codecs: list[Codec]) -> None:
        for codec in codecs:
            _, make = codec.writer(self._numbers)
            try:
                self._files[codec.name] = self._file_of(codec, make)
            except numpact.NumpactError as error:
                self.column.failures.append(f"compress: {error}")
                continue
            self.column.sizes[codec.name] = len(self._files[codec.name])
        for name in {"ours", "pcodec"} & self._files.keys():
            self._attempt(f"inspect {name}", lambda: self._describe(name))

    def _file_of(self, codec: Codec, make: Callable[[], bytes]) -> bytes:
        if codec.name == "ours":
            return make()
        package = {"pcodec": "pcodec", "zstd": "zstandard"}[codec.name]
        level = self._plan.level if codec.name == "pcodec" else 3
        return self._cache.file(self._numbers, package, level, make)

    def _describe(self, name: str) -> None:
        self.column.choices[name] = choice_text(self._files[name])

    def _attempt(self, what: str, action: Action) -> None:
        try:
            action()
        except (numpact.NumpactError, RuntimeError) as error:
            self.column.failures.append(f"{what}: {error}")

    def _check_round_trips(self, codecs: list[Codec]) -> None:
        readers = {codec.name: codec for codec in codecs if codec.name != "zstd"}
        for writer in self._files.keys() & readers.keys():
            for reader in readers.values():
                self._attempt(f"{writer} -> {reader.name}", lambda: self._check(writer, reader))

    def _check(self, writer: str, reader: Codec) -> None:
        out = np.zeros_like(self._numbers)
        reader.reader(self._files[writer], out)()
        if not same_bits(out, self._numbers):
            first = int(np.argmax(out.view(np.uint8) != self._numbers.view(np.uint8)))
            index = first // self._numbers.itemsize
            raise RuntimeError(f"numbers differ, the first at index {index}")

    def _actions(self, codecs: list[Codec]) -> dict[str, Action]:
        """Compression by each, then decoding by each into the same array."""
        out = np.zeros_like(self._numbers)
        actions = {f"compress.{c.name}": c.writer(self._numbers)[0] for c in codecs}
        for codec in codecs:
            actions[f"decompress.{codec.name}"] = codec.reader(self._files[codec.name], out)
        if "pcodec" in self._files:
            actions["cross.ours"] = codecs[0].reader(self._files["pcodec"], out)
        return actions

    def _time(self, actions: dict[str, Action]) -> None:
        """Best of interleaved rounds; each round starts with another action."""
        plan, column = self._plan, self.column
        names = list(actions)
        column.seconds = dict.fromkeys(names, float("inf"))
        gc.collect()
        gc.disable()
        try:
            end = time.perf_counter() + plan.seconds
            while column.rounds < plan.rounds or (
                time.perf_counter() < end and column.rounds < MAX_ROUNDS
            ):
                start = column.rounds % len(names)
                for name in names[start:] + names[:start]:
                    elapsed = _seconds_of(actions[name])
                    column.seconds[name] = min(column.seconds[name], elapsed)
                column.rounds += 1
        finally:
            gc.enable()


def _seconds_of(action: Action) -> float:
    start = time.perf_counter_ns()
    action()
    return (time.perf_counter_ns() - start) * 1e-9
