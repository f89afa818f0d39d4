#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times `numpact compress FILE.csv` on wide tables, compared with pyarrow and the encoder alone.

The goal for the command: at most twice the time of pyarrow.csv.read_csv and of numpact.compress of
the same columns in memory, added up, and one second.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpact
import numpy as np
import pyarrow as pa
import pyarrow.csv
from rounds import fastest

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "build/release/cli/numpact"

# Columns and rows.
SHAPES = [(200, 10_000), (3_000, 1_000)]
MORE_TIMES, MORE_SECONDS = 2.0, 1.0  # of the goal


def table(columns: int, rows: int) -> pa.Table:
    """Integers and floats by turns, of kinds that tables have."""
    rng = np.random.default_rng(columns)
    makers: list[Callable[[], np.ndarray]] = [
        lambda: rng.integers(0, 1000, rows),
        lambda: np.round(rng.gamma(2, 10, rows), 2),
        lambda: np.cumsum(rng.integers(0, 50, rows)) + 1_600_000_000,
        lambda: rng.normal(size=rows),
        lambda: rng.integers(-(2**62), 2**62, rows),
        lambda: np.round(np.cumsum(rng.normal(size=rows)), 4),
    ]
    return pa.table({f"c{i}": makers[i % len(makers)]() for i in range(columns)})


def measure(shape: tuple[int, int], folder: Path, program: str, rounds: int) -> bool:
    """Prints one line; true if the goal is met."""
    columns, rows = shape
    path, out = folder / "t.csv", folder / "out"
    pa.csv.write_csv(table(columns, rows), path)
    command = fastest(lambda: subprocess.run([program, "compress", path, "-f", "-o", out, "-q"],
                                          check=True), rounds)
    reader = fastest(lambda: pa.csv.read_csv(path), rounds)
    arrays = [column.to_numpy() for column in pa.csv.read_csv(path).columns]
    encoder = fastest(lambda: [numpact.compress(array) for array in arrays], rounds)
    goal = MORE_TIMES * (reader + encoder) + MORE_SECONDS
    print(f"{columns:>7} {rows:>7} {path.stat().st_size / 1e6:>7.1f} {command:>9.2f} "
          f"{reader:>9.2f} {encoder:>9.2f} {goal:>9.2f} {command / goal:>6.2f}", flush=True)
    shutil.rmtree(out)
    return command <= goal


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=str(PROGRAM), help="the command that is measured")
    parser.add_argument("--rounds", type=int, default=3, help="of which the fastest counts")
    parser.add_argument("--shape", action="append", metavar="COLUMNSxROWS",
                        help=f"instead of {', '.join(f'{c}x{r}' for c, r in SHAPES)}")
    options = parser.parse_args()
    shapes = [tuple(map(int, shape.split("x"))) for shape in options.shape or []] or SHAPES
    print("columns    rows      MB   command   pyarrow   encoder      goal  ratio")
    with tempfile.TemporaryDirectory() as folder:
        met = [measure((columns, rows), Path(folder), options.program, options.rounds)
               for columns, rows in shapes]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
