# SPDX-License-Identifier: Apache-2.0
"""Short arrays of kinds that programs keep many of, each of every number type that it fits."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator

import numpy as np
from columns import columns, default_folder

Rng = np.random.Generator
LENGTHS = (32, 50, 64, 100, 128, 200, 250, 256, 300, 400, 500, 700, 1000, 1500, 2000)

WHOLE = ("u64", "i64", "u32", "i32", "u16", "i16", "u8", "i8")
WIDE = ("u64", "i64", "u32", "i32")
FLOATS = ("f64", "f32", "f16")
_DTYPES = {name: np.dtype(f"{ {'u': 'uint', 'i': 'int', 'f': 'float'}[name[0]] }{name[1:]}")
           for name in WHOLE + FLOATS}


def _counter(_: Rng, n: int) -> np.ndarray:
    return 1_000_000 + np.arange(n)


def _sparse_counter(rng: Rng, n: int) -> np.ndarray:
    """Some numbers are left out."""
    return 40_000 + np.cumsum(1 + (rng.random(n) < 0.1))


def _steps(rng: Rng, n: int) -> np.ndarray:
    """Every minute or so."""
    return 60_000 * np.arange(n) + rng.integers(-200, 201, n)


def _walk(scale: float) -> Callable[[Rng, int], np.ndarray]:
    return lambda rng, n: np.cumsum(np.round(rng.normal(0, scale, n)))


def _second_walk(rng: Rng, n: int) -> np.ndarray:
    return np.cumsum(np.cumsum(rng.integers(-3, 4, n)))


def _seconds(rng: Rng, n: int) -> np.ndarray:
    return 1_600_000_000 + np.cumsum(rng.integers(0, 400, n))


def _microseconds(rng: Rng, n: int) -> np.ndarray:
    return 1_600_000_000_000_000 + np.cumsum(rng.exponential(3e6, n)).astype(np.int64)


def _sine(period: float, height: float, noise: float) -> Callable[[Rng, int], np.ndarray]:
    def draw(rng: Rng, n: int) -> np.ndarray:
        phase = rng.uniform(0, 2 * np.pi) + np.arange(n) * 2 * np.pi / period
        return height * np.sin(phase) + rng.normal(0, noise, n)
    return draw


def _codes(rng: Rng, n: int) -> np.ndarray:
    return rng.choice([3, 3, 3, 7, 9, 20, 100], n)


def _flags(rng: Rng, n: int) -> np.ndarray:
    return rng.random(n) < 0.1


def _states(rng: Rng, n: int) -> np.ndarray:
    """Values that stay for a while."""
    return np.repeat(rng.integers(0, 120, n), rng.geometric(0.1, n))[:n]


def _ids(rng: Rng, n: int) -> np.ndarray:
    """Few of many, in any order."""
    return rng.choice(rng.integers(0, 2**31, 20), n, p=rng.dirichlet(np.ones(20) * 0.5))


def _keys(rng: Rng, n: int) -> np.ndarray:
    return np.sort(rng.integers(0, 2**31, n))


def _noise(rng: Rng, n: int) -> np.ndarray:
    return rng.integers(0, 2**31, n)


def _amounts(rng: Rng, n: int) -> np.ndarray:
    return rng.exponential(500, n)


def _prices(rng: Rng, n: int) -> np.ndarray:
    """An array of one share."""
    return np.round(100 + np.cumsum(rng.normal(0, 0.05, n)), 2)


def _purchases(rng: Rng, n: int) -> np.ndarray:
    return np.round(rng.exponential(40, n), 2)


def _degrees(rng: Rng, n: int) -> np.ndarray:
    return np.round(15 + np.cumsum(rng.normal(0, 0.2, n)), 1)


def _places(rng: Rng, n: int) -> np.ndarray:
    return np.round(48.1 + np.cumsum(rng.normal(0, 1e-4, n)), 6)


def _rounded_sine(period: float) -> Callable[[Rng, int], np.ndarray]:
    sine = _sine(period, 0.2, 0)
    return lambda rng, n: np.round(sine(rng, n), 6)


def _normal(rng: Rng, n: int) -> np.ndarray:
    return rng.normal(0, 1, n)


def _whole_floats(rng: Rng, n: int) -> np.ndarray:
    return np.round(rng.normal(0, 300, n))


# name: (types, draw)
KINDS: dict[str, tuple[tuple[str, ...], Callable[[Rng, int], np.ndarray]]] = {
    "counter": (WIDE + ("f64", "f32"), _counter),
    "counter of small": (("u16", "i16"), lambda rng, n: np.arange(n) + 7),
    "counter with gaps": (WIDE, _sparse_counter),
    "walk of 3": (("i64", "i32", "i16"), _walk(3)),
    "walk of 40": (("i64", "i32", "i16"), _walk(40)),
    "walk of 3000": (("i64", "i32"), _walk(3000)),
    "walk of a half in bytes": (("i8",), _walk(0.5)),
    "walk of walk": (("i64", "i32"), _second_walk),
    "walk of floats": (("f64", "f32"), lambda rng, n: np.cumsum(rng.normal(0, 1, n))),
    "steps": (("i64", "u32"), _steps),
    "seconds": (WIDE, _seconds),
    "microseconds": (("i64", "u64"), _microseconds),
    "codes": (WHOLE, _codes),
    "flags": (("u8", "i32", "f64"), _flags),
    "states": (("u8", "i32", "u64"), _states),
    "ids": (("u64", "i64", "u32"), _ids),
    "keys": (("u64", "u32"), _keys),
    "noise": (("u64", "u32"), _noise),
    "amounts": (("i64", "u32", "i16", "f64", "f32"), _amounts),
    "prices": (("f64", "f32"), _prices),
    "purchases": (("f64", "f32"), _purchases),
    "degrees": (("f64", "f32"), _degrees),
    "places": (("f64",), _places),
    "normal": (FLOATS, _normal),
    "whole floats": (FLOATS, _whole_floats),
    "singles in doubles": (("f64",), lambda rng, n: rng.normal(0, 1, n).astype(np.float32)),
}
for _period in (7.3, 12.5, 16, 25, 31.25, 50, 62.5, 100, 365, 1000):
    KINDS[f"sine of {_period}"] = (("i16", "i32"), _sine(_period, 1000, 0.5))
    KINDS[f"large sine of {_period}"] = (("i32", "i64"), _sine(_period, 1e6, 0))
    KINDS[f"sine of {_period} in floats"] = (FLOATS, _sine(_period, 1, 0))
    KINDS[f"sine of {_period} in places"] = (("f64", "f32"), _rounded_sine(_period))
    KINDS[f"sine of {_period} in bytes"] = (("i8",), _sine(_period, 100, 0.5))


def made(lengths: tuple[int, ...] = LENGTHS) -> Iterator[tuple[str, np.ndarray]]:
    """(name, numbers), always the same ones by one version of NumPy."""
    for kind, (types, draw) in KINDS.items():
        for n in lengths:
            values = draw(np.random.default_rng([n, zlib.crc32(kind.encode())]), n)
            for name in types:
                whole = name[0] != "f" and values.dtype.kind == "f"
                numbers = (np.round(values).astype(np.int64) if whole else values)
                yield f"{kind}, {name}, {n}", numbers.astype(_DTYPES[name])


def slices(lengths: tuple[int, ...], of_each: int) -> Iterator[tuple[str, np.ndarray]]:
    """`of_each` slices of each length out of every real column that is at hand."""
    for name, numbers in columns(default_folder()):
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        for n in lengths:
            for _ in range(of_each if numbers.size > n else 0):
                at = int(rng.integers(0, numbers.size - n))
                yield f"{name}[{at}:{at + n}]", numbers[at : at + n].copy()
