#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Costs and benefits of a trailer: bytes, time to write, to decode, to open, to read little.

Every time is a ratio to the same work on the same file without a trailer, in the same rounds; one
thread but for the last column, where two decode a file that is one chunk.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpact
import numpy as np
from columns import columns, default_folder
from rounds import best_of_rounds

RESTART = 1 << 14
READ_N = 100
HEADER = (f"{'column':34} {'numbers':>9} {'bytes':>10} {'index':>7} {'points':>7} | "
          f"{'write':>6} {'points':>6} {'decode':>6} | {'open us':>9} {'index':>7} | "
          f"{'read us':>8} {'points':>7} | {'2 threads':>9}")


def measure(name: str, numbers: np.ndarray, rounds: int, seconds: float) -> str:
    numbers = numbers[: 1 << 24]
    plain = numpact.compress(numbers)
    index = numpact.compress(numbers, trailer=True)
    points = numpact.compress(numbers, trailer=RESTART)
    # All in one chunk: as few places to begin at as there can be.
    whole = [numpact.compress(numbers, paging=numbers.size, level=4, delta="consecutive=1",
                              trailer=trailer) for trailer in (False, RESTART)]
    out = np.empty_like(numbers)
    at = numbers.size // 3
    plain_file, point_file = numpact.open(plain), numpact.open(points)
    best, _ = best_of_rounds({
        "write": lambda: numpact.compress(numbers),
        "write index": lambda: numpact.compress(numbers, trailer=True),
        "write points": lambda: numpact.compress(numbers, trailer=RESTART),
        "decode": lambda: numpact.decompress_into(plain, out, threads=1),
        "decode index": lambda: numpact.decompress_into(index, out, threads=1),
        "open": lambda: numpact.open(plain),
        "open index": lambda: numpact.open(index),
        "read": lambda: plain_file[at : at + READ_N],
        "read points": lambda: point_file[at : at + READ_N],
        "one thread": lambda: numpact.decompress_into(whole[1], out, threads=1),
        "two threads": lambda: numpact.decompress_into(whole[1], out, threads=2),
    }, rounds, seconds)
    return (f"{name:34} {numbers.size:9} {len(plain):10} {len(index) - len(plain):7} "
            f"{len(points) - len(plain):7} | {best['write index'] / best['write']:6.3f} "
            f"{best['write points'] / best['write']:6.3f} "
            f"{best['decode index'] / best['decode']:6.3f} | "
            f"{best['open'] * 1e6:9.1f} {best['open index'] * 1e6:7.1f} | "
            f"{best['read'] * 1e6:8.1f} {best['read points'] * 1e6:7.1f} | "
            f"{best['one thread'] / best['two threads']:9.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pattern", nargs="?", default="", help="of names of columns")
    parser.add_argument("--data", type=Path, default=default_folder())
    parser.add_argument("--min-mb", type=float, default=8.0)
    parser.add_argument("--most", dest="max_columns", type=int, default=12, help="columns")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each column, at least")
    options = parser.parse_args()
    print(f"restart points every {RESTART} numbers, {READ_N} numbers read; numpact "
          f"{numpact.__version__}\n{HEADER}")
    found = columns(options.data, options.pattern, int(options.min_mb * 1e6))
    for done, (name, numbers) in enumerate(found):
        if done == options.max_columns:
            break
        print(measure(name, numbers, options.rounds, options.seconds), flush=True)


if __name__ == "__main__":
    main()
