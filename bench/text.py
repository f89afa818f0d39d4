#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times of CSV written by `numpact decompress` and read by `numpact compress`, compared with
pyarrow's writer and reader on the same columns in the same rounds.

Times of the command include its start, decoding and files in memory (--folder). Encoding is
subtracted from reading: the time that numpact.compress takes for the columns as they are read, in
memory, at the same level, 0, without verification. Ratios are pyarrow's time / numpact's: above 1
numpact is faster.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpact
import numpy as np
import pyarrow as pa
import pyarrow.csv
from rounds import best_of_rounds

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "build/release/cli/numpact"


def columns(rows: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    steps = rng.integers(0, 10**6, rows).cumsum()
    return {
        "f64, 17 digits": rng.normal(size=rows) * 100,
        "f64, prices": np.round(rng.normal(size=rows) * 100, 2),
        "f32": rng.normal(size=rows).astype(np.float32),
        "i64, 9 digits": rng.integers(-(10**6), 10**9, rows),
        "i64, below 100": rng.integers(0, 100, rows),
        "timestamps": np.datetime64("2024-01-01", "us") + steps.astype("m8[us]"),
    }


def encode(arrays: list[np.ndarray], threads: int) -> None:
    """Several arrays at the same time, as the command does it."""
    if len(arrays) == 1:
        numpact.compress(arrays[0], level=0, threads=threads)
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda array: numpact.compress(array, level=0, threads=1), arrays))


def measure(name: str, table: pa.Table, folder: Path, arguments: argparse.Namespace) -> None:
    """Prints one line."""
    packed, text, threads = folder / "packed", folder / "t.csv", str(arguments.threads)

    def command(*words: object) -> None:
        subprocess.run([arguments.program, *map(str, words), "-q", "-j", threads], check=True)

    pa.set_cpu_count(arguments.threads)
    pa.csv.write_csv(table, text)
    shutil.rmtree(packed, ignore_errors=True)
    command("compress", text, "-o", packed, "--level", 2)
    best, _ = best_of_rounds({
        "pyarrow": lambda: pa.csv.write_csv(table, text),
        "numpact": lambda: command("decompress", packed, "-o", text, "-f"),
    }, arguments.rounds, arguments.seconds)
    write, pyarrow_write = best["numpact"], best["pyarrow"]
    options = pa.csv.ReadOptions(use_threads=arguments.threads > 1)
    # CSV states no types: numbers of f32 are read as f64, and encoded as such.
    as_read = pa.csv.read_csv(text)
    arrays = [(as_read[name] if column.type == pa.float32() else column).to_numpy()
              for name, column in zip(table.column_names, table.columns, strict=True)]
    arrays = [a.view(np.int64) if a.dtype.kind == "M" else a for a in arrays]
    best, _ = best_of_rounds({
        "pyarrow": lambda: pa.csv.read_csv(text, options),
        "numpact": lambda: command("compress", text, "-o", packed, "-f", "--level", 0,
                                   "--no-verify"),
        "encode": lambda: encode(arrays, arguments.threads),
    }, arguments.rounds, arguments.seconds)
    read, pyarrow_read, encoding = best["numpact"], best["pyarrow"], best["encode"]
    size = text.stat().st_size / 1e6
    print(f"{name:16} {size:6.0f} {write:8.2f} {pyarrow_write:8.2f} {pyarrow_write / write:6.2f} "
          f"{read - encoding:8.2f} {pyarrow_read:8.2f} {pyarrow_read / (read - encoding):6.2f}",
          flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.0, help="more rounds for so long")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--program", default=str(PROGRAM))
    parser.add_argument("--folder", default="/dev/shm", help="where the files are")
    arguments = parser.parse_args()
    made = columns(arguments.rows)
    print(f"{'column':16} {'MB':>6} {'write s':>8} {'pyarrow':>8} {'ratio':>6} {'read s':>8} "
          f"{'pyarrow':>8} {'ratio':>6}")
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        for name, numbers in made.items():
            measure(name, pa.table({name: numbers}), Path(folder), arguments)
        measure("all six", pa.table(made), Path(folder), arguments)


if __name__ == "__main__":
    main()
