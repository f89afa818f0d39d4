#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time and size of appending vectors to a collection that grows.

An append of 10,000 rows to 1,000,000 is compared with a file of the same rows, in turns, and 100
appends of 100 rows with one file of all of them.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

from numpact import cvc

DIMENSION = 384
OLD_BLOCK = 100_000  # rows that the collection is made of, ten times
NEW = 10_000
SMALL = 100
COMPRESSIONS = ("fp16", "int8_dim", "int4", "pco")


def timed(work: object, *arguments: object, **options: object) -> float:
    start = time.perf_counter()
    work(*arguments, **options)  # type: ignore[operator]
    return time.perf_counter() - start


def appending(place: Path, rows: np.ndarray, compression: str, rounds: int) -> None:
    grown, index = place / "grown", place / "grown/collection.json"
    columns = {"vectors": ((DIMENSION,), "float32")}
    with cvc.Writer(
        grown, append=True, columns=columns, compression=compression, rounding="nearest"
    ) as writer:
        for _ in range(10):
            writer.append(rows)
    appended, alone = [], []
    for number in range(rounds):
        # Each append is the first one after the 1,000,000 rows.
        before, files = index.read_bytes(), set(grown.iterdir())
        appended.append(timed(cvc.append, grown, rows[:NEW], rounding="nearest", threads=1))
        for path in set(grown.iterdir()) - files:
            path.unlink()
        index.write_bytes(before)
        path = place / f"{number}.cvc"
        options = {"rounding": "nearest", "threads": 1}
        data = {"vectors": rows[:NEW]}
        alone.append(timed(cvc.pack_cvc_columns, data, path, {"vectors": compression}, **options))
        os.remove(path)
    a, b = statistics.median(appended), statistics.median(alone)
    print(
        f"{compression}: append {1e3 * a:.1f} ms, file {1e3 * b:.1f} ms, ratio {a / b:.2f}; best "
        f"{1e3 * min(appended):.1f} and {1e3 * min(alone):.1f} ms, {min(appended) / min(alone):.2f}"
    )


def small_appends(place: Path, rows: np.ndarray, compression: str) -> None:
    folder, once = place / "small", place / "once.cvc"
    start = time.perf_counter()
    for first in range(0, NEW, SMALL):
        cvc.append(folder, rows[first : first + SMALL], compression=compression, sync=False)
    took = time.perf_counter() - start
    cvc.pack_cvc_columns({"vectors": rows[:NEW]}, once, {"vectors": compression})
    size = sum(path.stat().st_size for path in folder.iterdir())
    chunks = len(cvc.Reader(folder).info.chunks)
    print(
        f"{compression}: {NEW // SMALL} appends of {SMALL} rows: {size:,} bytes, {chunks} chunks, "
        f"{took:.2f} s; one file {once.stat().st_size:,} bytes, {size / once.stat().st_size:.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", help="where files are written; default: the temporary folder")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("compressions", nargs="*", default=COMPRESSIONS)
    args = parser.parse_args()
    rows = np.random.default_rng(1).standard_normal((OLD_BLOCK, DIMENSION), np.float32)
    for compression in args.compressions:
        with tempfile.TemporaryDirectory(dir=args.folder) as place:
            appending(Path(place), rows, compression, args.rounds)
            small_appends(Path(place), rows, compression)


if __name__ == "__main__":
    main()
