# SPDX-License-Identifier: Apache-2.0
"""Random cases: an array and how to compress it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from distributions import distributions, is_float, mantissa_bits
from numpact_ctypes import DTYPES, Config

COUNTS = [1, 2, 3, 255, 256, 257, 511, 512, 513, 1000, 5000]
INT_MODES = ["auto", "classic", "int_mult", "dict"]
FLOAT_MODES = ["auto", "classic", "float_mult", "float_quant", "dict"]


def modes(type_name: str) -> list[str]:
    return FLOAT_MODES if type_name[0] == "f" else INT_MODES


def deltas(type_name: str) -> list[str]:
    every = ["auto", "none", "consecutive", "lookback", "conv1"]
    return every[:-1] if type_name.endswith("64") else every


SPECS = [(t, mode, delta) for t in DTYPES for mode in modes(t) for delta in deltas(t)]
#: Half of them, with each mode and each delta of each type: what a usual run takes.
USUAL_SPECS = {
    (t, mode, delta)
    for t in DTYPES
    for i, mode in enumerate(modes(t))
    for j, delta in enumerate(deltas(t))
    if (i + j) % 2 == 0
}


@dataclass(frozen=True)
class Case:
    type: str
    distribution: str
    numbers: np.ndarray
    config: Config

    def __str__(self) -> str:
        return f"{self.type} x {self.numbers.size} {self.distribution}, {self.config}"


def random_count(rng: np.random.Generator) -> int:
    if rng.random() < 0.6:
        return int(rng.choice(COUNTS))
    return int(2 ** rng.uniform(0, 13.5))


def mode_value(rng: np.random.Generator, mode: str, dtype: np.dtype) -> float:
    if mode == "int_mult":
        top = 2 ** (dtype.itemsize * 8) - 1
        picks = [1, 2, 3, 10, 60, 100, 256, 1000, 86400, top, top // 2 + 1, rng.integers(1, 99)]
        return int(min(top, int(rng.choice(np.array(picks, dtype=object)))))
    if mode == "float_mult":
        picks = [0.01, 0.1, 1.0, 0.5, 1 / 3, 7.0, 1e-4, -0.25, np.pi, float(np.finfo(dtype).tiny),
                 float(np.finfo(dtype).smallest_subnormal), rng.uniform(0.001, 100)]
        return float(dtype.type(rng.choice(picks)))
    if mode == "float_quant":
        return int(rng.integers(1, mantissa_bits(dtype) + 1))
    return 0


def delta_order(rng: np.random.Generator, delta: str) -> int:
    if delta == "consecutive":
        return int(rng.integers(0, 8))
    if delta == "conv1":
        return int(rng.choice([1, 2, 3, 4, 8, 31, 32]))
    return 0


def random_sizes(rng: np.random.Generator, count: int) -> tuple[int, ...]:
    """Sizes of at least 1 that add up to count."""
    cuts = np.unique(rng.integers(1, count, int(rng.integers(0, 6)))) if count > 1 else []
    return tuple(int(size) for size in np.diff([0, *cuts, count]))


def with_paging(rng: np.random.Generator, config: Config, count: int) -> Config:
    choice = rng.random()
    if choice < 0.6 or count == 0:
        return config
    if choice < 0.8:
        return replace(config, max_page_n=int(rng.integers(max(1, count // 6), count + 2)))
    return replace(config, page_sizes=random_sizes(rng, count))


def random_level(rng: np.random.Generator) -> int:
    return 8 if rng.random() < 0.4 else int(rng.integers(0, 13))


def random_case(rng: np.random.Generator, type_name: str, mode: str, delta: str) -> Case:
    dtype, count = DTYPES[type_name], random_count(rng)
    available = distributions(dtype)
    make = available[rng.integers(0, len(available))]
    config = Config(
        level=random_level(rng),
        mode=mode,
        mode_value=mode_value(rng, mode, dtype),
        delta=delta,
        delta_order=delta_order(rng, delta),
        uniform_type=bool(rng.random() < 0.5),
    )
    numbers = make(rng, dtype, count)
    assert numbers.dtype == dtype and numbers.size == count
    return Case(type_name, make.__name__, numbers, with_paging(rng, config, count))


def random_spec(rng: np.random.Generator, type_name: str) -> tuple[str, str]:
    return str(rng.choice(modes(type_name))), str(rng.choice(deltas(type_name)))


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.size == b.size and a.tobytes() == b.tobytes()


def expect_same(what: str, got: np.ndarray | None, case: Case) -> None:
    """Fails with the first difference."""
    if got is None:
        raise AssertionError(f"{what}: more numbers than were put in")
    if got.size != case.numbers.size:
        raise AssertionError(f"{what}: {got.size} numbers instead of {case.numbers.size}")
    if not same_bits(got, case.numbers):
        size = case.numbers.itemsize
        as_bytes = [array.view(np.uint8).reshape(-1, size) for array in (got, case.numbers)]
        i = int(np.argmax((as_bytes[0] != as_bytes[1]).any(axis=1)))
        raise AssertionError(f"{what}: differs first at {i}: {got[i]!r} for {case.numbers[i]!r}")


class Reporter:
    """Turns any failure within into one that names the case and keeps its numbers."""

    def __init__(self, case: Case, number: int, folder: Path):
        self._case, self._number, self._folder = case, number, folder

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        if error is None or isinstance(error, KeyboardInterrupt):
            return
        path = self._folder / "numbers.npy"
        np.save(path, self._case.numbers)
        pytest.fail(f"case {self._number}: {self._case}\n{type(error).__name__}: {error}\n"
                    f"numbers kept in {path}", pytrace=not isinstance(error, AssertionError))


def is_float_type(type_name: str) -> bool:
    return is_float(DTYPES[type_name])
