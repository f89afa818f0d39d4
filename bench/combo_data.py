# SPDX-License-Identifier: Apache-2.0
"""Made-up numbers for which each mode with each delta encoding is the right choice, and numbers of
special kinds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpact_ctypes import DTYPES, Config

COUNT = 1 << 20
SEED = 20

# The modes of a kind of type, and the deltas, each with its order. Conv1 is for 32 bits and less.
MODES = {"u": ("classic", "int_mult", "dict"), "i": ("classic", "int_mult", "dict"),
         "f": ("classic", "float_mult", "float_quant", "dict")}
DELTAS = (("none", 0), ("consecutive", 1), ("consecutive", 2), ("consecutive", 7),
          ("lookback", 0), ("conv1", 1), ("conv1", 8), ("conv1", 32))

INT_BASES = {8: 3, 16: 10, 32: 60, 64: 1000}
FLOAT_BASE = 0.01
QUANT_BITS = {16: 4, 32: 12, 64: 29}
MANTISSA = {16: 10, 32: 23, 64: 52}
DICT_ENTRIES = {8: 40, 16: 200, 32: 200, 64: 200}
# How many values the steps of other modes take, by the width of the type.
STEPS = {8: 80, 16: 1500, 32: 1 << 20, 64: 1 << 40}


@dataclass(frozen=True)
class Combo:
    """Numbers and how they should be encoded."""

    name: str
    numbers: np.ndarray
    config: Config


def steps(rng: np.random.Generator, delta: str, order: int, top: int, count: int) -> np.ndarray:
    """Whole numbers from 0 up to `top` that a delta encoding suits."""
    if delta == "none":
        spread = np.abs(rng.normal(size=count)) * (top / 6)
        return np.minimum(spread, top).astype(np.int64)
    if delta == "lookback":
        return _repeats(rng, top, count)
    # A slow wave, slower for high orders, whose differences are small, and some noise on it.
    time = np.arange(count) * (2 * np.pi / (40_000 if order < 2 else 400_000))
    signal = np.sin(time) + 0.3 * np.sin(2.7 * time)
    noise = rng.normal(scale=max(0.7, top / 5e4), size=count)
    return np.clip(np.rint((signal + 1.3) * (top / 2.6) + noise), 0, top).astype(np.int64)


def _repeats(rng: np.random.Generator, top: int, count: int) -> np.ndarray:
    """Strings that occurred some numbers before, with new ones between."""
    out = rng.integers(0, top, count)
    distances = rng.integers(50, 1500, 12)
    at = 1500
    while at < count:
        length = int(rng.integers(60, 500))
        distance = int(rng.choice(distances))
        block = out[at - distance : at - distance + min(length, distance, count - at)]
        out[at : at + block.size] = block
        at += length + int(rng.integers(0, 4))
    return out


def _small_extras(rng: np.random.Generator, top: int, count: int) -> np.ndarray:
    """Mostly 0, for the secondary latents."""
    return rng.integers(0, top, count) * (rng.random(count) < 0.1)


def _as_signed(values: np.ndarray, type_name: str) -> np.ndarray:
    """Ints around 0 for signed types."""
    dtype = DTYPES[type_name]
    if type_name[0] == "i":
        values = values - min(int(values.max()) // 2, np.iinfo(dtype).max)
    return values.astype(dtype)


def _float_bits(offsets: np.ndarray, bits: int) -> np.ndarray:
    """Floats from 1.0 on, `offsets` representable ones away."""
    one = np.array(1.0, f"f{bits // 8}").view(f"u{bits // 8}")
    return (offsets.astype(f"u{bits // 8}") + one).view(f"f{bits // 8}")


def make_numbers(type_name: str, mode: str, delta: str, order: int, count: int = COUNT
                 ) -> np.ndarray:
    """Numbers of a type that a mode and a delta encoding suit."""
    rng = np.random.default_rng([SEED, *f"{type_name} {mode} {delta} {order}".encode()])
    dtype = DTYPES[type_name]
    bits = dtype.itemsize * 8
    if mode == "dict":
        entries = rng.choice(_any_values(rng, dtype), DICT_ENTRIES[bits], replace=False)
        return np.sort(entries)[steps(rng, delta, order, DICT_ENTRIES[bits] - 1, count)]
    if mode == "int_mult":
        base = INT_BASES[bits]
        whole = steps(rng, delta, order, STEPS[bits], count)
        return _as_signed(whole * base + _small_extras(rng, base, count), type_name)
    if mode == "float_mult":
        whole = steps(rng, delta, order, min(STEPS[bits], 1 << 20), count)
        product = (whole.astype(dtype) * dtype.type(FLOAT_BASE)).view(f"u{dtype.itemsize}")
        product += _small_extras(rng, 3, count).astype(product.dtype)
        return product.view(dtype)
    if mode == "float_quant":
        k = QUANT_BITS[bits]
        high = steps(rng, delta, order, min(STEPS[bits], 1 << (MANTISSA[bits] - k + 2)), count)
        return _float_bits((high << k) + _small_extras(rng, 1 << k, count), bits)
    if type_name[0] == "f":
        return _float_bits(steps(rng, delta, order, STEPS[bits], count), bits)
    return _as_signed(steps(rng, delta, order, STEPS[bits], count), type_name)


def _any_values(rng: np.random.Generator, dtype: np.dtype) -> np.ndarray:
    """Many different values, without a pattern."""
    if dtype.kind == "f":
        return np.unique(rng.normal(size=4000).astype(dtype))
    if dtype.itemsize == 1:
        return np.arange(256, dtype=np.uint8).view(dtype)
    return np.unique(rng.integers(0, np.iinfo(dtype).max, 4000, dtype=dtype))


def mode_value(mode: str, type_name: str) -> float:
    bits = DTYPES[type_name].itemsize * 8
    if mode == "int_mult":
        return INT_BASES[bits]
    if mode == "float_mult":
        return float(DTYPES[type_name].type(FLOAT_BASE))
    return QUANT_BITS[bits] if mode == "float_quant" else 0


def combo_specs() -> Iterator[tuple[str, str, str, int]]:
    """(type, mode, delta, order) of all that can be combined."""
    for type_name in sorted(DTYPES, key=lambda name: ("uif".index(name[0]), int(name[1:]))):
        for mode in MODES[type_name[0]]:
            for delta, order in DELTAS:
                if delta != "conv1" or not type_name.endswith("64"):
                    yield type_name, mode, delta, order


def combo_name(type_name: str, mode: str, delta: str, order: int) -> str:
    return f"{type_name}/{mode}/{delta}" + (f"={order}" if order else "")


def make_combo(type_name: str, mode: str, delta: str, order: int, level: int, count: int = COUNT
               ) -> Combo:
    config = Config(level, mode, mode_value(mode, type_name), delta, order)
    name = combo_name(type_name, mode, delta, order)
    return Combo(name, make_numbers(type_name, mode, delta, order, count), config)


def special_specs() -> Iterator[tuple[str, str]]:
    """(type, kind)"""
    for type_name in DTYPES:
        yield from ((type_name, kind) for kind in ("constant", "two", "three", "runs"))
    for width in (8, 16, 20, 32, 64):
        for type_name in ("u8", "u16", "u32", "u64"):
            if width <= int(type_name[1:]):
                yield type_name, f"bin{width}"


def special_name(type_name: str, kind: str) -> str:
    return f"special/{type_name}/{kind}"


def make_special(type_name: str, kind: str, level: int, count: int = COUNT) -> Combo:
    """Constant; two or three values; runs of a value; or one bin of a width in bits."""
    rng = np.random.default_rng([SEED, *f"{type_name} {kind}".encode()])
    dtype = DTYPES[type_name]
    config = Config(level, "classic", 0, "none", 0)
    if kind.startswith("bin"):
        top = (1 << int(kind[3:])) - 1
        numbers = rng.integers(0, top, count, dtype=dtype, endpoint=True)
        config = Config(0, "classic", 0, "none", 0)  # level 0 makes one bin
    elif kind == "runs":
        values = rng.choice(_any_values(rng, dtype), count // 50)
        numbers = np.resize(np.repeat(values, rng.integers(1, 200, values.size)), count)
        config = Config(level)
    else:
        values = rng.choice(_any_values(rng, dtype), {"constant": 1, "two": 2, "three": 3}[kind],
                            replace=False)
        numbers = values[rng.choice(values.size, count, p=_falling(values.size))]
    return Combo(special_name(type_name, kind), np.ascontiguousarray(numbers), config)


def _falling(count: int) -> np.ndarray:
    weights = 1.0 / (1 << np.arange(count))
    return weights / weights.sum()
