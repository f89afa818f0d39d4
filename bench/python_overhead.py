#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The overhead of the Python package over the library, measured in one run.

Small: calls of numpact and numpact.pcodec on 1,000 numbers, compared with the package pcodec.
Large: calls on many numbers, compared with the same work of the C++ library through the shim
(numpact_ctypes.py), with outputs that are there before ("into") and outputs that are allocated by
the call. One thread each.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpact_ctypes as cpp
import numpy as np
from rounds import best_of_rounds

ROOT = Path(__file__).resolve().parent.parent
SMALL_N = 1000
CALLS = 200  # of a small call, timed together

Action = Callable[[], object]


def import_package() -> object:
    """The package of this checkout if its extension lies there, else the one that is installed."""
    if any((ROOT / "python" / "numpact").glob("_core.*.so")):
        sys.path.insert(0, str(ROOT / "python"))
    try:
        import numpact
    except ImportError as error:
        raise SystemExit(f"the Python package is missing ({error}): pip install .") from None
    return numpact


def make_numbers(dtype: str, n: int) -> np.ndarray:
    walk = np.random.default_rng(0).normal(size=n).cumsum()
    return np.round(walk, 3) if dtype == "float64" else (walk * 1000).astype(dtype)


def many(action: Action) -> Action:
    def calls() -> None:
        for _ in range(CALLS):
            action()

    return calls


def small_arrays() -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    return {
        "walk, int64": make_numbers("int64", SMALL_N),
        "walk, float64": make_numbers("float64", SMALL_N),
        "normal, float64": random.normal(size=SMALL_N),
        "integers below 1,000": random.integers(0, 1000, SMALL_N),
        "all the same, int64": np.full(SMALL_N, 7),
    }


def small_actions(numpact, numbers: np.ndarray) -> dict[str, tuple[Action, Action]]:
    """By name: ours, and pcodec's; files are pcodec's."""
    import numpact.pcodec as drop_in
    from pcodec import ChunkConfig, standalone

    config = ChunkConfig()
    file = standalone.simple_compress(numbers, config)
    out = np.empty_like(numbers)
    return {
        "simple_decompress": (
            lambda: drop_in.standalone.simple_decompress(file),
            lambda: standalone.simple_decompress(file),
        ),
        "simple_decompress_into": (
            lambda: drop_in.standalone.simple_decompress_into(file, out),
            lambda: standalone.simple_decompress_into(file, out),
        ),
        "decompress": (
            lambda: numpact.decompress(file),
            lambda: standalone.simple_decompress(file),
        ),
        "decompress_into": (
            lambda: numpact.decompress_into(file, out),
            lambda: standalone.simple_decompress_into(file, out),
        ),
        "compress": (
            lambda: numpact.compress(numbers),
            lambda: standalone.simple_compress(numbers, config),
        ),
    }


def large_actions(numpact, numbers: np.ndarray) -> dict[str, tuple[Action, Action]]:
    """By name: ours, and the shim's."""
    file = numpact.compress(numbers)
    # One for both: how the system laid out its pages makes several percent.
    out = np.empty_like(numbers)
    into = cpp.Decompressor(file, out, warm=False)

    def fresh() -> object:
        new = np.empty(numbers.size, numbers.dtype)
        cpp.Decompressor(file, new, warm=False).run()
        return new

    def compressed() -> object:
        compressor = cpp.Compressor(numbers, warm=False)
        return compressor.result(compressor.run())

    def read() -> object:
        return numpact.open(file, threads=1, chunks=chunks)[:]

    chunks = numpact.open(file).chunks
    print(f"{numbers.nbytes / len(file):.1f} times smaller")
    return {
        "decompress_into": (lambda: numpact.decompress_into(file, out, threads=1), into.run),
        "decompress": (lambda: numpact.decompress(file, threads=1), fresh),
        "open(chunks=)[:]": (read, fresh),
        "open().chunks": (
            lambda: numpact.open(file, threads=1).chunks,
            lambda: cpp.count_numbers(file),
        ),
        "compress": (lambda: numpact.compress(numbers, threads=1), compressed),
    }


def measure(
    pairs: dict[str, tuple[Action, Action]], seconds: float
) -> dict[str, tuple[float, ...]]:
    flat = {f"{name} {i}": action for name, pair in pairs.items() for i, action in enumerate(pair)}
    best, _ = best_of_rounds(flat, 5, seconds)
    return {name: (best[f"{name} 0"], best[f"{name} 1"]) for name in pairs}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--numbers", type=int, default=10_000_000, help="in a large call")
    parser.add_argument("--seconds", type=float, default=15, help="for each table")
    options = parser.parse_args()
    numpact = import_package()

    for kind, numbers in small_arrays().items():
        print(f"\n{SMALL_N} numbers ({kind}): microseconds a call")
        print(f"{'':22} {'numpact':>9} {'pcodec':>9} {'ratio':>7}")
        pairs = small_actions(numpact, numbers)
        looped = {name: (many(ours), many(theirs)) for name, (ours, theirs) in pairs.items()}
        for name, (ours, theirs) in measure(looped, options.seconds / 4).items():
            a, b = ours / CALLS * 1e6, theirs / CALLS * 1e6
            print(f"{name:22} {a:9.2f} {b:9.2f} {a / b:7.3f}")

    for dtype in ("int64", "float64"):
        print(f"\n{options.numbers:,} {dtype}: milliseconds a call")
        print(f"{'':18} {'numpact':>9} {'C++':>9} {'ratio':>7}")
        pairs = large_actions(numpact, make_numbers(dtype, options.numbers))
        for name, (ours, theirs) in measure(pairs, options.seconds).items():
            print(f"{name:18} {ours * 1e3:9.2f} {theirs * 1e3:9.2f} {ours / theirs:7.3f}")


if __name__ == "__main__":
    main()
