#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Input of more than a GiB through the command, and what memory that takes: for ./dev big."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import peak_memory
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = Path(os.environ.get("NUMPACT_CLI", ROOT / "build/release/cli/numpact"))
MIB = 1 << 20
THREAD = 64  # MiB for each
ONCE = 24  # chunks of numbers, a window, a row group
BLOCK = 1 << 22


def run(folder: Path, words: str, stdin: str | None = None) -> int:
    """The maximum memory that a command took, in MiB."""
    report = folder / "peak"
    command = peak_memory.measured(report, [str(PROGRAM), *words.split()])
    with open(folder / stdin if stdin else os.devnull, "rb") as source:
        done = subprocess.run(command, cwd=folder, stdin=source, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"big: {words}: exit code {done.returncode}: {done.stderr.decode()}")
    return int(report.read_text()) // 1024


def make_inputs(folder: Path, count: int) -> None:
    """A walk in cents: a.raw, a.npy, a.parquet, a.csv."""
    rng = np.random.default_rng(1)
    last = 0.0
    out = np.lib.format.open_memmap(folder / "a.npy", "w+", np.float64, (count,))
    schema = pa.schema([("x", pa.float64()), ("n", pa.int64())])
    with open(folder / "a.raw", "wb") as raw, \
            pa.parquet.ParquetWriter(folder / "a.parquet", schema) as parquet, \
            pa.csv.CSVWriter(folder / "a.csv", schema) as csv:
        for first in range(0, count, BLOCK):
            n = min(BLOCK, count - first)
            walk = np.round(last + np.cumsum(rng.normal(size=n)), 2)
            last = float(walk[-1])
            raw.write(walk.tobytes())
            out[first : first + n] = walk
            table = pa.table({"x": walk, "n": np.arange(first, first + n)})
            parquet.write_table(table, row_group_size=1 << 20)
            csv.write_table(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--numbers", type=int, default=140_000_000)
    count = parser.parse_args().numbers
    with tempfile.TemporaryDirectory(prefix="numpact-big-", dir=ROOT / "build") as name:
        folder = Path(name)
        make_inputs(folder, count)
        for file in sorted(folder.iterdir()):
            print(f"{file.name}: {file.stat().st_size / MIB:,.0f} MiB")
        program = run(folder, "--version")
        print(f"the program alone: {program} MiB")
        failed = False
        for threads in (1, 2):
            for words, stdin in [
                ("compress a.raw --dtype f64 -f -o a.pco", None),
                ("compress a.npy -f -o a.pco", None),
                ("compress - --dtype f64 -f -o a.pco", "a.raw"),
                ("compress a.npy --append -o a.pco", None),
                ("verify a.pco", None),
                ("index --restart 65536 a.pco", None),
                ("inspect a.pco", None),
                ("decompress a.pco -f -o b.raw", None),
                ("decompress a.pco -f -o b.npy", None),
                ("decompress - --to raw", "a.pco"),
                ("compress a.parquet -f -o p", None),
                ("compress a.csv -f -o c", None),
                ("compress - --from csv --column x -f -o x.pco", "a.csv"),
                ("decompress p -f -o b.parquet", None),
                ("decompress c -f -o b.csv", None),
            ]:
                maximum = program + THREAD * threads + ONCE
                takes_threads = words.split()[0] not in ("index", "inspect")
                words += f" -j {threads}" if takes_threads else ""
                held = run(folder, words, stdin)
                failed |= held > maximum
                print(f"{held:5} MiB of {maximum}{' TOO MUCH' if held > maximum else ''}  "
                      f"{words}", flush=True)
        sys.exit(failed)


if __name__ == "__main__":
    main()
