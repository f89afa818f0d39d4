#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory that writing and reading CVC files takes at its peak, in chunks for each thread.

Each case runs in a process of its own; the kernel's high-water mark of that process is what counts
(VmHWM of /proc/self/status), less what it had before. Rows are written in small blocks, and read
from an open file, not from a mapping.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from numpact import cvc

BLOCK = 5000  # rows that are appended at a time


def high_water() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise OSError("no VmHWM")


def forget_high_water() -> int:
    Path("/proc/self/clear_refs").write_text("5")
    return high_water()


def write(path: str, compression: str, threads: int, rows: int, dimension: int, chunk: int) -> int:
    block = np.random.default_rng(1).normal(size=(BLOCK, dimension)).astype(np.float32)
    with cvc.Writer(None, compression=compression) as small:
        small.append(block[:100])  # what is loaded once
    before = forget_high_water()
    with cvc.Writer(path, compression=compression, chunk_size=chunk, threads=threads) as writer:
        for _ in range(rows // BLOCK):
            writer.append(block)
    return high_water() - before


def read(path: str, threads: int, rows: int, dimension: int, chunk: int) -> int:
    out = np.full((rows // 2, dimension), 1, np.float32)
    with open(path, "rb") as file:
        reader = cvc.Reader(file, threads=threads)
        reader.read(0, 10, out=out[:10])
        before = forget_high_water()
        reader.read(chunk // 3, len(out), out=out)
        return high_water() - before


def measure(arguments: list[str]) -> float:
    done = subprocess.run(
        [sys.executable, __file__, "--case", *arguments], check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--dimension", type=int, default=256)
    parser.add_argument("--chunk-rows", type=int, default=50_000)
    parser.add_argument("--case", nargs=6, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        path, compression, threads, *sizes = options.case
        rows, dimension, chunk = map(int, sizes)
        if compression == "read":
            print(read(path, int(threads), rows, dimension, chunk))
        else:
            print(write(path, compression, int(threads), rows, dimension, chunk))
        return
    sizes = [str(options.rows), str(options.dimension), str(options.chunk_rows)]
    chunk_bytes = 4 * options.dimension * options.chunk_rows
    print(f"a chunk: {chunk_bytes / 1e6:.1f} MB of float32; peak in chunks for each thread")
    print(f"{'':10} {'threads':>8} {'writing':>8} {'reading half, without the output':>34}")
    with tempfile.TemporaryDirectory() as folder:
        for compression in ("fp16", "int8", "int8_dim", "int4", "lossless", "pco"):
            for threads in ("1", "2"):
                path = os.path.join(folder, f"{compression}.cvc")
                written = measure([path, compression, threads, *sizes]) / chunk_bytes
                stored = os.path.getsize(path) / (options.rows / options.chunk_rows)
                seen = measure([path, "read", threads, *sizes]) / stored
                share = int(threads)
                print(
                    f"{compression:10} {threads:>8} {written / share:8.2f} {seen / share:14.2f} "
                    f"(of {stored / 1e6:.1f} MB stored)"
                )


if __name__ == "__main__":
    main()
