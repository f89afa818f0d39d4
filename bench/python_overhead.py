#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The overhead of the Python package over the library, measured in one run.

Small: calls of numpact on 1,000 numbers, compared with the package pcodec. Large: calls on many
numbers, compared with the same work of the C++ library through the shim (numpact_ctypes.py), with
outputs that are there before ("into") and outputs that are allocated by the call. One thread each.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpact
import numpact_ctypes as cpp
import numpy as np
from pcodec import ChunkConfig, standalone
from rounds import best_of_rounds

SMALL_N = 1000
CALLS = 200  # of a small call, timed together

Action = Callable[[], object]
Pairs = dict[str, tuple[Action, Action]]


def make_numbers(dtype: str, n: int) -> np.ndarray:
    walk = np.random.default_rng(0).normal(size=n).cumsum()
    return np.round(walk, 3) if dtype == "float64" else (walk * 1000).astype(dtype)


def small_arrays() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {"walk, int64": make_numbers("int64", SMALL_N),
            "walk, float64": make_numbers("float64", SMALL_N),
            "normal, float64": rng.normal(size=SMALL_N),
            "integers below 1,000": rng.integers(0, 1000, SMALL_N),
            "all the same, int64": np.full(SMALL_N, 7)}


def many(action: Action) -> Action:
    def calls() -> None:
        for _ in range(CALLS):
            action()

    return calls


def small_pairs(numbers: np.ndarray) -> Pairs:
    """By name: ours, and pcodec's; files are pcodec's."""
    config = ChunkConfig()
    file, out = standalone.simple_compress(numbers, config), np.empty_like(numbers)
    pairs: Pairs = {
        "decompress": (lambda: numpact.decompress(file),
                       lambda: standalone.simple_decompress(file)),
        "decompress_into": (lambda: numpact.decompress_into(file, out),
                            lambda: standalone.simple_decompress_into(file, out)),
        "compress": (lambda: numpact.compress(numbers),
                     lambda: standalone.simple_compress(numbers, config)),
    }
    return {name: (many(mine), many(theirs)) for name, (mine, theirs) in pairs.items()}


def large_pairs(numbers: np.ndarray) -> Pairs:
    """By name: ours, and the shim's."""
    file = numpact.compress(numbers)
    chunks = numpact.open(file).chunks
    # One for both: how the system laid out its pages makes several percent.
    out = np.empty_like(numbers)

    def fresh() -> object:
        new = np.empty(numbers.size, numbers.dtype)
        cpp.Decompressor(file, new, warm=False).run()
        return new

    def compressed() -> object:
        compressor = cpp.Compressor(numbers, warm=False)
        return compressor.result(compressor.run())

    return {
        "decompress_into": (lambda: numpact.decompress_into(file, out, threads=1),
                            cpp.Decompressor(file, out, warm=False).run),
        "decompress": (lambda: numpact.decompress(file, threads=1), fresh),
        "open(chunks=)[:]": (lambda: numpact.open(file, threads=1, chunks=chunks)[:], fresh),
        "open().chunks": (lambda: numpact.open(file, threads=1).chunks,
                          lambda: cpp.count_numbers(file)),
        "compress": (lambda: numpact.compress(numbers, threads=1), compressed),
    }


def show(title: str, other: str, pairs: Pairs, scale: float, seconds: float) -> None:
    flat = {f"{name} {i}": action for name, pair in pairs.items() for i, action in enumerate(pair)}
    best, _ = best_of_rounds(flat, 5, seconds)
    print(f"\n{title}\n{'':18} {'numpact':>9} {other:>9} {'ratio':>7}")
    for name in pairs:
        a, b = best[f"{name} 0"] * scale, best[f"{name} 1"] * scale
        print(f"{name:18} {a:9.2f} {b:9.2f} {a / b:7.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--numbers", type=int, default=10_000_000, help="in a large call")
    parser.add_argument("--seconds", type=float, default=15, help="for each table")
    options = parser.parse_args()
    for kind, numbers in small_arrays().items():
        show(f"{SMALL_N} numbers ({kind}): microseconds a call", "pcodec", small_pairs(numbers),
             1e6 / CALLS, options.seconds / 4)
    for dtype in ("int64", "float64"):
        show(f"{options.numbers:,} {dtype}: milliseconds a call", "C++",
             large_pairs(make_numbers(dtype, options.numbers)), 1e3, options.seconds)


if __name__ == "__main__":
    main()
