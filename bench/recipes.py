#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Encodes columns in short series, each with a choice of its own and all with one recipe.

One series in eight is the sample that the recipe is chosen from; the others are timed, in a C++
program (recipe_calls.cpp) with warm contexts, both ways in turns.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpact_ctypes as numpact
import numpy as np
from columns import columns, default_folder
from goals import geometric_mean
from options import add_target, use_target

PROGRAM = "recipe_calls"
# Kept of a column.
MAX_NUMBERS = 300_000


def measure(path: Path, level: int, length: int, arguments: argparse.Namespace) -> dict[str, Any]:
    program = numpact.library_path().parent / PROGRAM
    command = [program, level, length, arguments.series, arguments.rounds, path]
    done = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def line(row: dict[str, Any]) -> str:
    count = row["series"] * row["length"]
    chosen, with_recipe = row["chosen"], row["with_recipe"]
    return (f"{row['name'][:44]:44} {row['length']:6} {chosen['ns'] / count:8.1f} "
            f"{with_recipe['ns'] / count:8.1f} {row['speed']:6.2f} {row['size']:7.4f} "
            f"{row['choosing_ns'] / 1e6:8.2f}  {row['recipe'][:60]}")


def summary(rows: list[dict[str, Any]]) -> list[str]:
    lines = []
    for length in sorted({row["length"] for row in rows}):
        group = [row for row in rows if row["length"] == length]
        speeds = [row["speed"] for row in group]
        lines.append(f"{length} numbers: {len(group)} columns; speed mean "
                     f"{geometric_mean(speeds):.2f}, least {min(speeds):.2f}; bytes mean "
                     f"{geometric_mean(row['size'] for row in group):.4f}, most "
                     f"{max(row['size'] for row in group):.4f}")
    return lines


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("place", nargs="?", type=Path, default=default_folder(),
                        help="a Parquet or NPY file, or a folder of them")
    parser.add_argument("--columns", default="", metavar="REGEX", help="of the columns' names")
    parser.add_argument("--lengths", default="100,300,1000", metavar="a,b")
    parser.add_argument("--level", type=int, default=8)
    parser.add_argument("--series", type=int, default=200, metavar="N",
                        help="of each length, out of a column (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N",
                        help="the fastest counts (default: %(default)s)")
    add_target(parser)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    use_target(arguments.target)
    lengths = [int(length) for length in arguments.lengths.split(",")]
    print(f"{'column':44} {'length':>6} {'ns each':>8} {'recipe':>8} {'speed':>6} {'bytes':>7} "
          f"{'chosen':>8}  recipe")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, values in columns(arguments.place, arguments.columns):
            numbers = np.ascontiguousarray(values[:MAX_NUMBERS])
            if numbers.size < 16 * max(lengths):
                continue
            path = Path(folder, "column.pco")
            path.write_bytes(numpact.compress(numbers, numpact.Config(level=4)))
            for length in lengths:
                row = measure(path, arguments.level, length, arguments)
                row.update(name=name, length=length,
                           speed=row["chosen"]["ns"] / row["with_recipe"]["ns"],
                           size=row["with_recipe"]["bytes"] / row["chosen"]["bytes"])
                rows.append(row)
                print(line(row), flush=True)
    print("\n".join(summary(rows)))
    print("nanoseconds of a number with a choice for each series and with the recipe; speed: the\n"
          "ratio; bytes: with the recipe over chosen; chosen: milliseconds to choose the recipe")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
