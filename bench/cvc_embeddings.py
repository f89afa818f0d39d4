#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real embeddings in CVC files: sizes and decode speed of the lossless compressions, compared with
zstd and blosc2, and the loss of recall by the others.

Every .npy file of a folder is a matrix (default: ../shared/data).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import blosc2
import numpy as np
import pyarrow as pa
import zstandard
from numpact import cvc
from rounds import best_of_rounds

ROOT = Path(__file__).resolve().parents[1]
TOOL = ROOT / "build" / "release" / "cli" / "numpact"
CODED = ["int8", "int8_row", "int8_dim", "int4", "rot4", "rot3", "rot2", "rot1"]

# The compressed bytes, and how to get the matrix back into memory that is there already.
Packed = tuple[bytes, Callable[[], object]]


def with_cvc(matrix: np.ndarray, compression: str, out: np.ndarray) -> Packed:
    with cvc.Writer(None, compression=compression, threads=1) as writer:
        writer.append(matrix)
    reader = cvc.Reader(writer.contents, threads=1)
    return writer.contents, lambda: reader.read(out=out, verify=True)


def with_blosc2(matrix: np.ndarray, shuffle: blosc2.Filter, out: np.ndarray) -> Packed:
    packed = blosc2.compress2(matrix, typesize=matrix.itemsize, codec=blosc2.Codec.ZSTD, clevel=9,
                              filters=[shuffle], nthreads=1)
    return packed, lambda: blosc2.decompress2(packed, dst=out, nthreads=1)


def with_zstd(matrix: np.ndarray) -> Packed:
    packed = zstandard.ZstdCompressor(level=19).compress(matrix.tobytes())
    return packed, lambda: zstandard.ZstdDecompressor().decompress(packed)


def with_arrow(matrix: np.ndarray) -> Packed:
    """As a table kept such lists before they were CVC files."""
    lists = pa.FixedSizeListArray.from_arrays(pa.array(matrix.reshape(-1)), matrix.shape[1])
    table, sink = pa.table({"v": lists}), pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(sink, table.schema, options=options) as writer:
        writer.write_table(table, 65_536)
    packed = sink.getvalue()
    return packed, lambda: pa.ipc.open_file(packed).read_all()


def sizes(name: str, matrix: np.ndarray, seconds: float) -> None:
    out, floats = np.empty_like(matrix), np.empty(matrix.shape, np.float32)
    packed: dict[str, Packed] = {
        "pco": with_cvc(matrix, "pco", out),
        "lossless": with_cvc(matrix, "lossless", floats),
        "zstd -19": with_zstd(matrix),
        "Arrow, zstd": with_arrow(matrix),
        "blosc2 shuffle": with_blosc2(matrix, blosc2.Filter.SHUFFLE, out),
        "blosc2 bitshuffle": with_blosc2(matrix, blosc2.Filter.BITSHUFFLE, out),
    }
    times, _ = best_of_rounds({what: unpack for what, (_, unpack) in packed.items()}, 3, seconds)
    rows, dimension = matrix.shape
    print(f"\n{name}, {rows} x {dimension} {matrix.dtype}, {matrix.nbytes:,} bytes")
    print(f"{'':20} {'bytes':>12} {'part':>7} {'decode GB/s':>12}")
    for what, (data, _) in packed.items():
        speed = (floats if what == "lossless" else matrix).nbytes / times[what] / 1e9
        print(f"{what:20} {len(data):12,} {len(data) / matrix.nbytes:7.4f} {speed:12.2f}")


def losses(path: Path, metric: str, rounding: str) -> None:
    command = [TOOL, "cvc", "quality", path, "--queries", "all", "--sample", "all", "--metric",
               metric, "--rounding", rounding, "--compression", ",".join(CODED), "--json"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    recalls = {each["name"]: each["recall"] for each in found["compressions"]}
    base = 1 - recalls["int8"]["mean"]
    print(f"neighbours lost of 10, {metric}, all rows as queries (95 % interval; part of int8's)")
    for name in CODED:
        mean, low, high = (1 - recalls[name][key] for key in ("mean", "high", "low"))
        part = f"{mean / base:.2f}" if base > 0 else "-"
        print(f"  {name:10} {mean:8.3%}  ({low:.3%} to {high:.3%})  {part}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT.parent / "shared" / "data")
    parser.add_argument("--metric", nargs="+", default=["l2"], choices=["l2", "cosine", "dot"])
    parser.add_argument("--rounding", default="auto", choices=["auto", "search", "nearest"])
    parser.add_argument("--seconds", type=float, default=3, help="for the times of each matrix")
    options = parser.parse_args()
    for path in sorted(options.folder.glob("*.npy")) or sys.exit("no .npy files"):
        matrix = np.ascontiguousarray(np.load(path, allow_pickle=False))
        sizes(path.stem, matrix, options.seconds)
        for metric in options.metric:
            losses(path, metric, options.rounding)


if __name__ == "__main__":
    main()
