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
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = Path(os.environ.get("NUMPACT_CLI", ROOT / "build/release/cli/numpact"))
MIB = 1 << 20
THREAD = 64  # MiB for each
ONCE = 24  # chunks of numbers, a window, a row group
TABLE = 60  # more for CSV and Parquet: Arrow's blocks and pages, in its own threads
PIECE = 1 << 22


def run(folder: Path, words: str, stdin: str | None = None) -> int:
    """The most memory that a command took, in MiB."""
    with open(folder / stdin if stdin else os.devnull, "rb") as source, \
            subprocess.Popen([str(PROGRAM), *words.split()], cwd=folder, stdin=source,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        said = process.stderr.read() if process.stderr else b""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"big: {words}: exit code {process.returncode}: {said.decode()}")
    return usage.ru_maxrss // 1024


def make_inputs(folder: Path, count: int) -> None:
    """A walk in cents: a.raw, a.npy, a.parquet, a.csv."""
    rng = np.random.default_rng(1)
    last = 0.0
    out = np.lib.format.open_memmap(folder / "a.npy", "w+", np.float64, (count,))
    schema = pa.schema([("x", pa.float64()), ("n", pa.int64())])
    with open(folder / "a.raw", "wb") as raw, \
            pa.parquet.ParquetWriter(folder / "a.parquet", schema) as parquet, \
            pa.csv.CSVWriter(folder / "a.csv", schema) as csv:
        for first in range(0, count, PIECE):
            n = min(PIECE, count - first)
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
            for table, words, stdin in [
                (False, "compress a.raw --dtype f64 -f -o a.pco", None),
                (False, "compress a.npy -f -o a.pco", None),
                (False, "compress - --dtype f64 -f -o a.pco", "a.raw"),
                (False, "compress a.npy --append -o a.pco", None),
                (False, "verify a.pco", None),
                (False, "decompress a.pco -f -o b.raw", None),
                (False, "decompress a.pco -f -o b.npy", None),
                (False, "decompress - --to raw", "a.pco"),
                (True, "compress a.parquet -f -o p", None),
                (True, "compress a.csv -f -o c", None),
                (True, "compress - --from csv --column x -f -o x.pco", "a.csv"),
                (True, "decompress p -f -o b.parquet", None),
                (True, "decompress c -f -o b.csv", None),
            ]:
                most = program + THREAD * threads + ONCE + (TABLE if table else 0)
                held = run(folder, f"{words} -j {threads}", stdin)
                failed |= held > most
                print(f"{held:5} MiB of {most}{' TOO MUCH' if held > most else ''}  "
                      f"-j {threads} {words}", flush=True)
        sys.exit(failed)


if __name__ == "__main__":
    main()
