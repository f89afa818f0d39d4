#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Encodes columns in short series, each with a choice of its own and all with one recipe.

One series in eight is the sample that the recipe is chosen from; the others are timed, in a C++
program (calls.cpp) with warm contexts, both ways in turns.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpact_ctypes as numpact
import numpy as np
from columns import columns, default_folder
from goals import geometric_mean
from options import add_target, json_lines, use_target

MAX_NUMBERS = 300_000  # kept of a column


def line(row: dict[str, Any]) -> str:
    count = row["series"] * row["length"]
    return (f"{row['name'][:44]:44} {row['length']:6} {row['chosen']['ns'] / count:8.1f} "
            f"{row['with_recipe']['ns'] / count:8.1f} {row['speed']:6.2f} {row['size']:7.4f} "
            f"{row['choosing_ns'] / 1e6:8.2f}  {row['recipe'][:60]}")


def summary(rows: list[dict[str, Any]]) -> list[str]:
    lines = []
    for length in sorted({row["length"] for row in rows}):
        speeds, sizes = ([row[key] for row in rows if row["length"] == length]
                         for key in ("speed", "size"))
        lines.append(f"{length} numbers: {len(speeds)} columns; speed mean "
                     f"{geometric_mean(speeds):.2f}, least {min(speeds):.2f}; bytes mean "
                     f"{geometric_mean(sizes):.4f}, most {max(sizes):.4f}")
    return lines


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("place", nargs="?", type=Path, default=default_folder(),
                        help="a Parquet or NPY file, or a folder of them")
    parser.add_argument("--columns", default="", metavar="REGEX", help="of the columns' names")
    parser.add_argument("--lengths", type=int, nargs="+", default=[100, 300, 1000])
    parser.add_argument("--level", type=int, default=8)
    parser.add_argument("--series", type=int, default=200, metavar="N",
                        help="of each length, out of a column (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="the fastest counts")
    add_target(parser)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    use_target(arguments.target)
    print(f"{'column':44} {'length':>6} {'ns each':>8} {'recipe':>8} {'speed':>6} {'bytes':>7} "
          f"{'chosen':>8}  recipe")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "column.pco")
        for name, values in columns(arguments.place, arguments.columns):
            numbers = np.ascontiguousarray(values[:MAX_NUMBERS])
            if numbers.size < 16 * max(arguments.lengths):
                continue
            path.write_bytes(numpact.compress(numbers, numpact.Config(level=4)))
            for length in arguments.lengths:
                [row] = json_lines("calls", "recipe", arguments.level, length, arguments.series,
                                   arguments.rounds, path)
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
