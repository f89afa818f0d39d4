#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times single calls on files of 1,000 numbers: the fixed cost of a call.

Ours is timed inside a C++ program (calls.cpp), with warm contexts; pcodec through its Python
package, whose calls cost something of their own, so it is there for information only.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpact_ctypes as numpact
import numpy as np
from combo_data import combo_name, make_combo
from combos import reference_config
from options import add_target, json_lines, use_target
from pcodec import standalone

# (type, mode, delta, order); the first one is the case that matters most.
CASES = [(t, "classic", "consecutive", 1)
         for t in ("i64", "i32", "i16", "i8", "u64", "u32", "u16", "u8", "f64", "f32", "f16")]
CASES += [("i64", "classic", "none", 0), ("i64", "int_mult", "consecutive", 1),
          ("f64", "float_mult", "consecutive", 1), ("f64", "float_quant", "none", 0),
          ("i64", "dict", "none", 0), ("i64", "classic", "lookback", 0)]


def percentiles(action: Callable[[], object], calls: int) -> dict[str, int]:
    """Nanoseconds of a call."""
    times = []
    for _ in range(calls):
        start = time.perf_counter_ns()
        action()
        times.append(time.perf_counter_ns() - start)
    times.sort()
    return {"median_ns": times[len(times) // 2], "p99_ns": times[len(times) * 99 // 100]}


def reference_times(numbers: np.ndarray, file: bytes, calls: int) -> dict[str, dict[str, int]]:
    out = np.zeros_like(numbers)
    config = reference_config(numpact.Config())
    return {
        "decode": percentiles(lambda: standalone.simple_decompress_into(file, out), calls),
        "encode": percentiles(lambda: standalone.simple_compress(numbers, config), calls // 10 + 1),
    }


def our_times(files: list[bytes], calls: int) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"{index}.pco") for index in range(len(files))]
        for path, file in zip(paths, files, strict=True):
            path.write_bytes(file)
        return json_lines("calls", "small", calls, *paths)


def line(row: dict[str, Any]) -> str:
    cells = []
    for what in ("decode", "encode"):
        ours, theirs = ([times[what][key] / 1e3 for key in ("median_ns", "p99_ns")]
                        for times in (row["ours"], row["pcodec"]))
        cells.append(f"{ours[0]:8.2f} {ours[1]:8.2f} {row['ours'][what]['allocations']:6.2f} "
                     f"{theirs[0]:8.2f} {theirs[1]:8.2f}")
    return f"{row['name']:28} {row['ours']['bytes']:6} {' | '.join(cells)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000, help="numbers in a file")
    parser.add_argument("--calls", type=int, default=20_000, help="a tenth as many for encoding")
    add_target(parser)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    arguments = parser.parse_args()
    use_target(arguments.target)
    combos = [make_combo(*case, level=8, count=arguments.count) for case in CASES]
    files = [numpact.compress(combo.numbers, combo.config) for combo in combos]
    group = f"{'median':>8} {'p99':>8} {'alloc':>6} {'pcodec':>8} {'p99':>8}"
    print(f"{'':28} {'':6} decode{'':37}| encode\n{'numbers':28} {'bytes':>6} {group} | {group}")
    rows = []
    for case, combo, file, ours in zip(CASES, combos, files, our_times(files, arguments.calls),
                                       strict=True):
        theirs = reference_times(combo.numbers, file, arguments.calls)
        rows.append({"name": combo_name(*case), "ours": ours, "pcodec": theirs})
        print(line(rows[-1]), flush=True)
    print("microseconds of a call; alloc: allocations of a call; ours in C++, encoding with the\n"
          "default config; pcodec through Python on the same files, for information")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
