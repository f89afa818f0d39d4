#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CVC files compared with the package decompressed, in one run, files in memory (tmpfs).

Vectors are 200,000 x 256 standard normal float32 unless said otherwise. The reference packs and
reads lossless data by loops of Python: there it gets fewer rows, and times are for each value.
--growing measures appends to a collection instead, --rounding the cost of rounding for searches.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import decompressed as theirs
import numpy as np
from numpact import cvc as ours
from rounds import best_of_rounds, seconds_of

Action = Callable[[], object]
REFERENCE_LOSSLESS_ROWS = 2000
OWN = ("bfloat16", "int8_row", "int8_dim", "int4", "pco")
# Of --growing: rows of the collection, of an append, and of each of many small appends.
GROWN_ROWS, NEW_ROWS, SMALL_ROWS, GROWN_DIMENSION = 1_000_000, 10_000, 100, 384


def quietly(action: Action) -> Action:
    def run() -> object:
        with contextlib.redirect_stdout(io.StringIO()):
            return action()

    return run
# Of --rounding: values of a file, enough for the speed of large chunks.
ROUNDED_VALUES = 4_000_000


class Bench:
    def __init__(self, folder: Path, vectors: np.ndarray, seconds: float) -> None:
        self.folder, self.vectors, self.seconds = folder, vectors, seconds

    def compare(self, what: str, mine: Action, reference: Action, scale: float = 1.0) -> None:
        """`scale`: how many times as many values the first one has."""
        best, _ = best_of_rounds({"mine": mine, "theirs": quietly(reference)}, 3, self.seconds)
        a, b = best["mine"], best["theirs"] * scale
        speed = self.vectors.nbytes / a / 1e9
        print(f"{what:34} {a * 1e3:9.1f} {b * 1e3:10.1f} {b / a:8.1f} {speed:7.2f}")

    def compression(self, compression: str, threads: int) -> None:
        slow = compression == "lossless"
        some = self.vectors[: REFERENCE_LOSSLESS_ROWS if slow else None]
        scale = len(self.vectors) / len(some)
        mine, reference = str(self.folder / "mine.cvc"), str(self.folder / "theirs.cvc")
        title = f"{compression}, {threads} thread{'s' if threads > 1 else ''}"
        self.compare(f"write {title}",
                     lambda: ours.pack_cvc(self.vectors, mine, compression, threads=threads),
                     lambda: theirs.pack_cvc(some, reference, compression), scale)
        out = np.empty_like(self.vectors)
        reader = ours.Reader(mine, threads=threads)
        load: Action = partial(theirs.load_cvc, reference)
        self.compare(f"read {title}", lambda: ours.load_cvc(mine, threads=threads), load, scale)
        self.compare(f"read {title}, into an array", lambda: reader.read(out=out), load, scale)

    def own(self) -> None:
        """Compressions that the reference does not have."""
        path, out = str(self.folder / "own.cvc"), np.empty_like(self.vectors)
        print(f"\n{'one thread, GB/s of float32':34} {'write':>9} {'nearest':>9} {'read':>9}")

        def write(compression: str, rounding: str) -> None:
            with ours.Writer(path, compression=compression, rounding=rounding, threads=1) as writer:
                writer.append(self.vectors)

        for compression in OWN:
            write(compression, "search")
            reader = ours.Reader(path, threads=1)
            actions: dict[str, Action] = {
                "write": partial(write, compression, "search"),
                "nearest": partial(write, compression, "nearest"),
                "read": partial(reader.read, out=out),
            }
            best, _ = best_of_rounds(actions, 2, self.seconds)
            speeds = [self.vectors.nbytes / best[name] / 1e9 for name in actions]
            print(f"{compression:34}" + "".join(f" {speed:9.2f}" for speed in speeds))

    def columns(self) -> None:
        path = str(self.folder / "columns.cvc")
        parts = np.split(self.vectors[:, : self.vectors.shape[1] // 10 * 10], 10, axis=1)
        ours.pack_cvc_columns({f"c{i}": np.ascontiguousarray(p) for i, p in enumerate(parts)}, path)
        self.compare("one column of ten (fp16)",
                     lambda: ours.load_cvc_columns(path, ["c3"], threads=1),
                     lambda: theirs.load_cvc_columns(path, ["c3"]))

    def gather(self, rows: int) -> None:
        path = self.folder / "gather.cvc"
        chosen = np.random.default_rng(1).integers(0, rows, 10_000)
        with ours.Writer(path, compression="int8") as writer:
            for first in range(0, rows, len(self.vectors)):
                writer.append(self.vectors[: min(len(self.vectors), rows - first)])
        reader = ours.Reader(path, threads=1)
        best, _ = best_of_rounds({"gather": lambda: reader.gather(chosen)}, 3, self.seconds / 2)
        shape = f"{rows:,} x {self.vectors.shape[1]}"
        print(f"\ngather of 10,000 random rows of {shape} int8: {best['gather'] * 1e3:.1f} ms")


def rounding(compression: str, dimension: int) -> None:
    """Microseconds of the processor for a row: other programs disturb them less than wall time."""
    rows = ROUNDED_VALUES // dimension
    vectors = np.random.default_rng(0).normal(size=(rows, dimension)).astype(np.float32)
    best = {"nearest": float("inf"), "search": float("inf")}
    for name in 4 * list(best):
        start = time.process_time()
        with ours.Writer(None, compression=compression, rounding=name, threads=1) as writer:
            writer.append(vectors)
        best[name] = min(best[name], (time.process_time() - start) / rows * 1e6)
    print(f"{compression:10} {dimension:6}" + "".join(f" {each:9.2f}" for each in best.values()))


def growing(place: Path, compression: str, grown_rows: int, rounds: int) -> None:
    """An append and a file of the same rows, in turns; then many small appends."""
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((max(NEW_ROWS, grown_rows // 10), GROWN_DIMENSION), np.float32)
    grown, new = place / "grown", rows[:NEW_ROWS]
    columns = {"vectors": ((GROWN_DIMENSION,), "float32")}
    with ours.Writer(grown, append=True, columns=columns, compression=compression,
                     rounding="nearest") as writer:
        for _ in range(10):
            writer.append(rows)
    index, one = grown / "collection.json", place / "one.cvc"
    before, files = index.read_bytes(), set(grown.iterdir())
    appended, alone = [], []
    for _ in range(rounds):
        appended.append(seconds_of(lambda: ours.append(grown, new, rounding="nearest", threads=1)))
        alone.append(seconds_of(lambda: ours.pack_cvc_columns(
            {"vectors": new}, one, {"vectors": compression}, rounding="nearest", threads=1)))
        for path in set(grown.iterdir()) - files:  # each append is the first one
            path.unlink()
        index.write_bytes(before)
    folder = place / "small"
    for first in range(0, NEW_ROWS, SMALL_ROWS):
        ours.append(folder, new[first : first + SMALL_ROWS], compression=compression, sync=False)
    ours.pack_cvc_columns({"vectors": new}, one, {"vectors": compression})
    size, single = sum(path.stat().st_size for path in folder.iterdir()), one.stat().st_size
    a, b = statistics.median(appended) * 1e3, statistics.median(alone) * 1e3
    print(f"{compression:10} append {a:.1f} ms, file {b:.1f} ms, ratio {a / b:.2f}; "
          f"{NEW_ROWS // SMALL_ROWS} appends {size:,} bytes, one file {single:,}, "
          f"{size / single:.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--dimension", type=int, default=256)
    parser.add_argument("--gather-rows", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seconds", type=float, default=4, help="for each line")
    parser.add_argument("--growing", type=int, metavar="ROWS", nargs="?", const=GROWN_ROWS,
                        help="rows of the collection that is appended to (default: %(const)s)")
    parser.add_argument("--rounds", type=int, default=11, help="of --growing")
    parser.add_argument("--rounding", action="store_true", help="of 64, 768 and 4,096 dimensions")
    parser.add_argument("--folder", help="for the files (default: tmpfs)")
    options = parser.parse_args()
    if options.rounding:
        print(f"{'us for a row':17} {'nearest':>9} {'search':>9}")
        for dimension in (64, 768, 4096):
            for compression in ("int8_dim", "int4"):
                rounding(compression, dimension)
        return
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=options.folder or memory) as folder:
        if options.growing:
            for compression in ("fp16", "int8_dim", "int4", "pco"):
                with tempfile.TemporaryDirectory(dir=folder) as place:
                    growing(Path(place), compression, options.growing, options.rounds)
            return
        shape = (options.rows, options.dimension)
        vectors = np.random.default_rng(0).normal(size=shape).astype(np.float32)
        bench = Bench(Path(folder), vectors, options.seconds)
        print(f"{'':34} {'numpact':>9} {'reference':>10} {'ratio':>8} {'GB/s':>7}")
        out = np.empty_like(vectors)
        bench.compare("copy of the array", lambda: np.copyto(out, vectors), vectors.copy)
        for threads in options.threads:
            for compression in ("fp16", "int8", "lossless"):
                bench.compression(compression, threads)
        bench.columns()
        bench.own()
        bench.gather(options.gather_rows)


if __name__ == "__main__":
    main()
