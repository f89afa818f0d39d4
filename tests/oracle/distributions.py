# SPDX-License-Identifier: Apache-2.0
"""Arrays of many kinds, for every number type: a function of (rng, dtype, count) for each kind."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Rng = np.random.Generator
Distribution = Callable[[Rng, np.dtype, int], np.ndarray]


def unsigned(dtype: np.dtype) -> np.dtype:
    return np.dtype(f"uint{dtype.itemsize * 8}")


def mantissa_bits(dtype: np.dtype) -> int:
    return np.finfo(dtype).nmant


def is_float(dtype: np.dtype) -> bool:
    return dtype.kind == "f"


def cast(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Floats as `dtype`; for integers rounded and wrapped."""
    with np.errstate(all="ignore"):
        if is_float(dtype):
            return values.astype(dtype)
        wrapped = np.fmod(np.nan_to_num(np.rint(values)), 2.0**63)
        return wrapped.astype(np.int64).astype(dtype)


def uniform_bits(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    return np.frombuffer(rng.bytes(count * dtype.itemsize), dtype).copy()


def constant(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    return np.repeat(uniform_bits(rng, dtype, 1), count)


def few_values(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    values = uniform_bits(rng, dtype, int(rng.integers(2, 30)))
    shares = rng.dirichlet(np.full(values.size, 0.4))
    return values[rng.choice(values.size, count, p=shares)]


def two_values(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    return uniform_bits(rng, dtype, 2)[(rng.random(count) < 0.01).astype(int)]


def normal(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    scale = 2.0 ** rng.uniform(1, min(60, dtype.itemsize * 8 - 3))
    if is_float(dtype):
        scale = 2.0 ** rng.uniform(-10, 10)
    return cast(rng.normal(rng.normal() * scale, scale, count), dtype)


def walk(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    steps = rng.normal(rng.normal(), 2.0 ** rng.uniform(0, 12), count)
    return cast(np.cumsum(steps), dtype)


def smooth(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    """An oscillation with a little noise: what Conv1 and high orders are for."""
    phase = np.arange(count) * rng.uniform(0.01, 0.5)
    height = 2.0 ** rng.uniform(4, min(14, dtype.itemsize * 8 - 2))
    return cast(height * np.sin(phase) + rng.normal(0, 1, count), dtype)


def polynomial(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    x = np.arange(count, dtype=np.float64)
    return cast(np.polyval(rng.integers(-9, 10, int(rng.integers(2, 6))), x), dtype)


def multiples(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    if is_float(dtype):
        base = float(10.0 ** rng.integers(-4, 2)) if rng.random() < 0.5 else rng.uniform(0.01, 9)
        return cast(rng.integers(-500, 500, count) * base, dtype)
    top = int(np.iinfo(dtype).max)
    base = int(rng.integers(2, max(3, min(10**9, top // 8))))
    times = rng.integers(0, max(2, min(1000, top // base)), count)
    return (times * base + int(rng.integers(0, base))).astype(np.uint64).astype(dtype)


def multiples_with_strays(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    values = multiples(rng, dtype, count)
    stray = rng.random(count) < 0.02
    values[stray] = uniform_bits(rng, dtype, count)[stray]
    return values


def sorted_times(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    start, gap = rng.integers(0, 2_000_000_000), 10.0 ** rng.uniform(0, 6)
    return cast(start + np.cumsum(rng.exponential(gap, count)), dtype)


def repeats(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    """A block that comes again and again, with a change here and there."""
    block = uniform_bits(rng, dtype, int(rng.integers(1, max(2, min(count, 900)))))
    values = np.resize(block, count) if count else block[:0]
    change = rng.random(count) < rng.choice([0.0, 0.03])
    values[change] = uniform_bits(rng, dtype, count)[change]
    return values


def runs(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    switches = np.cumsum(rng.random(count) < 0.05)
    return uniform_bits(rng, dtype, count + 1)[switches]


def all_magnitudes(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    bits = uniform_bits(rng, np.dtype(np.uint64), count)
    shift = rng.integers(64 - dtype.itemsize * 8, 64, count).astype(np.uint64)
    return (bits >> shift).astype(unsigned(dtype)).view(dtype)


def extremes(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    top = 2 ** (dtype.itemsize * 8)
    picks = [0, 1, 2, top - 1, top - 2, top // 2, top // 2 - 1, top // 2 + 1]
    return np.array(picks, unsigned(dtype)).view(dtype)[rng.integers(0, len(picks), count)]


def late_change(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    """Plain numbers, then something else near the end."""
    values = walk(rng, dtype, count)
    tail = int(rng.integers(0, count // 3 + 1))
    values[count - tail :] = uniform_bits(rng, dtype, tail)
    return values


def decimals(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    digits = int(rng.integers(0, 7))
    return cast(np.round(rng.normal(0, 10.0 ** rng.integers(-1, 4), count), digits), dtype)


def decimals_with_specials(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    values = decimals(rng, dtype, count)
    special = rng.random(count) < 0.05
    values[special] = specials(rng, dtype, count)[special]
    return values


def quantised(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    """Floats whose low mantissa bits are zero, but for a few."""
    k = int(rng.integers(1, mantissa_bits(dtype) + 1))
    bits = cast(rng.normal(0, 100, count), dtype).view(unsigned(dtype))
    kept = bits >> k << k
    stray = rng.random(count) < rng.choice([0.0, 0.02])
    return np.where(stray, bits, kept).astype(unsigned(dtype)).view(dtype)


def widened(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    """Numbers of a narrower float type."""
    narrow = np.float16 if dtype.itemsize < 8 else np.float32
    with np.errstate(all="ignore"):
        return rng.normal(0, 3, count).astype(narrow).astype(dtype)


def whole(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    """Whole numbers, up to far over what the mantissa holds exactly."""
    largest = 2.0 ** rng.uniform(3, 15 if dtype.itemsize == 2 else 70)
    with np.errstate(all="ignore"):
        return np.rint(rng.uniform(-largest, largest, count)).astype(dtype)


def specials(rng: Rng, dtype: np.dtype, count: int) -> np.ndarray:
    """Signed zeros, infinities, NaNs with payloads, subnormals, the largest and smallest."""
    info, width = np.finfo(dtype), unsigned(dtype)
    numbers = [0.0, -0.0, np.inf, -np.inf, info.max, info.min, info.tiny, -info.tiny, 1.0, -1.5]
    bits = np.array(numbers, dtype).view(width)
    inf = int(np.array(np.inf, dtype).view(width))
    quiet = 1 << (info.nmant - 1)
    sign = 1 << (dtype.itemsize * 8 - 1)
    nans = [inf | quiet, inf | 1, inf | quiet | 5, sign | inf | 3, sign | inf | quiet | 9]
    subnormals = [1, 2, quiet, sign | 1, sign | (quiet + 7)]
    pool = np.concatenate([bits, np.array(nans + subnormals, width)])
    return pool[rng.integers(0, pool.size, count)].view(dtype)


FOR_ALL: list[Distribution] = [
    uniform_bits, constant, few_values, two_values, normal, walk, smooth, polynomial, multiples,
    multiples_with_strays, sorted_times, repeats, runs, all_magnitudes, extremes, late_change,
]  # fmt: skip
FOR_FLOATS: list[Distribution] = [
    decimals, decimals_with_specials, quantised, widened, whole, specials,
]  # fmt: skip


def distributions(dtype: np.dtype) -> list[Distribution]:
    return FOR_ALL + (FOR_FLOATS if is_float(dtype) else [])
