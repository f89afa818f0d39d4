# SPDX-License-Identifier: Apache-2.0
"""Columns drawn at random: a process, perhaps a change to it, and a type, each with parameters that
are drawn too. Nobody has tuned anything to them, so they show what a chooser misses.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Rng = np.random.Generator
LOG_N = (9, 17.5)  # least and greatest logarithm of the count
SHORT_LOG_N = (5, 11)


def _walk(rng: Rng, n: int) -> np.ndarray:
    return np.cumsum(rng.normal(0, 10 ** rng.uniform(0, 5), n))


def _noise(rng: Rng, n: int) -> np.ndarray:
    return rng.normal(0, 10 ** rng.uniform(1, 7), n)


def _season(rng: Rng, n: int) -> np.ndarray:
    phase = np.arange(n) * 2 * np.pi / rng.integers(5, 5000)
    return 10 ** rng.uniform(2, 5) * np.sin(phase) + rng.normal(0, 10 ** rng.uniform(-1, 3), n)


def _amounts(rng: Rng, n: int) -> np.ndarray:
    return rng.exponential(10 ** rng.uniform(0, 6), n)


def _arrivals(rng: Rng, n: int) -> np.ndarray:
    return np.cumsum(rng.exponential(10 ** rng.uniform(0, 4), n))


def _resonance(rng: Rng, n: int) -> np.ndarray:
    first, second = rng.uniform(-0.9, 0.99), rng.uniform(-0.5, 0.3)
    second *= 1 - abs(first)
    noise = rng.normal(0, 10 ** rng.uniform(1, 4), n)
    values = np.zeros(n)
    for i in range(2, n):
        values[i] = first * values[i - 1] + second * values[i - 2] + noise[i]
    return values


def _identifiers(rng: Rng, n: int) -> np.ndarray:
    known = rng.integers(0, 2 ** rng.integers(8, 40), rng.integers(2, 5000))
    ranks = rng.zipf(rng.uniform(1.1, 2.5), n) - 1
    return known[np.minimum(ranks, len(known) - 1)].astype(np.float64)


def _states(rng: Rng, n: int) -> np.ndarray:
    stays = rng.geometric(1 / rng.uniform(2, 200), n)
    return np.repeat(rng.integers(0, 10 ** rng.integers(1, 7), n), stays)[:n].astype(np.float64)


def _pattern(rng: Rng, n: int) -> np.ndarray:
    period = rng.normal(0, 10 ** rng.uniform(1, 5), rng.integers(3, max(4, n // 3)))
    values = np.resize(period, n).copy()
    others = rng.random(n) < rng.uniform(0, 0.2)
    values[others] = rng.normal(0, 1e4, int(others.sum()))
    return values


PROCESSES: list[Callable[[Rng, int], np.ndarray]] = [
    _walk,
    _noise,
    _season,
    _amounts,
    _arrivals,
    _resonance,
    _identifiers,
    _states,
    _pattern,
]


def _process(rng: Rng, n: int) -> np.ndarray:
    return PROCESSES[rng.integers(len(PROCESSES))](rng, n)


def _another_from_here(rng: Rng, values: np.ndarray) -> np.ndarray:
    at = int(rng.integers(len(values) // 10, len(values)))
    return np.concatenate([values[:at], _process(rng, len(values) - at)])


def _sparse(rng: Rng, values: np.ndarray) -> np.ndarray:
    return np.where(rng.random(len(values)) < rng.uniform(0.1, 0.99), 0.0, values)


def _streams_by_turns(rng: Rng, values: np.ndarray) -> np.ndarray:
    starts = rng.normal(0, 1e5, rng.integers(2, 9))
    return values + np.resize(starts, len(values))


def _sorted(rng: Rng, values: np.ndarray) -> np.ndarray:
    return np.sort(values)


def _as_it_is(rng: Rng, values: np.ndarray) -> np.ndarray:
    return values


CHANGES: list[Callable[[Rng, np.ndarray], np.ndarray]] = [
    _another_from_here,
    _sparse,
    _streams_by_turns,
    _sorted,
    _as_it_is,
    _as_it_is,
]


def _whole(values: np.ndarray) -> np.ndarray:
    return np.round(np.clip(values, -(2.0**62), 2.0**62)).astype(np.int64)


def _multiples(rng: Rng, values: np.ndarray) -> np.ndarray:
    base = int(rng.choice([1, 1, 7, 10, 48, 60, 1000, 3600, 1_000_000]))
    return np.clip(_whole(values), -(2**40), 2**40) * base + int(rng.integers(0, 10**12))


def _decimals(rng: Rng, values: np.ndarray) -> np.ndarray:
    return np.round(values, int(rng.integers(0, 4))) / float(rng.choice([1, 1, 3, 8, 10]))


def _with_base(rng: Rng, values: np.ndarray) -> np.ndarray:
    base = float(rng.choice([1e-6, 0.001, 0.01, 0.05, 0.1, 0.25, 1 / 3]))
    return np.round(values / 10.0 ** int(rng.integers(0, 3))) * base


TYPES: list[Callable[[Rng, np.ndarray], np.ndarray]] = [
    _multiples,
    lambda _, values: np.clip(_whole(values), -(2**31), 2**31 - 1).astype(np.int32),
    lambda _, values: (_whole(values) & 0xFFFF).astype(np.uint16),
    lambda _, values: (np.abs(_whole(values)) & 0xFF).astype(np.uint8),
    lambda _, values: values.astype(np.float32),
    lambda _, values: values.astype(np.float64),
    _decimals,
    _with_base,
]


def draw_column(seed: int, index: int, log_n: tuple[float, float] = LOG_N) -> np.ndarray:
    """Always the same one for a seed and an index, by one version of NumPy."""
    rng = np.random.default_rng([seed, index])
    n = int(2 ** rng.uniform(*log_n))
    values = CHANGES[rng.integers(len(CHANGES))](rng, _process(rng, n))
    return np.ascontiguousarray(TYPES[rng.integers(len(TYPES))](rng, values))
