#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Blocks of 64 KiB to 1 MiB, each by itself, as column stores compress them: sizes and speeds of
numpact, zstd and LZ4.

Contexts and memory are kept between calls. A block that does not get smaller is stored as it is.
Random numbers come last: how soon does a codec know that they do not get smaller?
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from columns import columns, default_folder
from goals import geometric_mean
from measure import same_bits
from peer_codecs import Codec, Lz4, Ours, Setting, Zstd
from report import cpu_name, markdown_table
from result_tables import write_csv

KIB = 1024
TITLES = ["block", "codec", "ratio, all bytes", "ratio, mean", "compress MB/s", "decompress MB/s",
          "blocks stored"]
CSV_TITLES = ["block_kib", "codec", "ratio_all", "ratio_mean", "compress_mb_s", "decompress_mb_s",
              "blocks", "blocks_stored"]

Actions = dict[str, list[Callable[[], object]]]


def best_seconds(actions: Actions, rounds: int) -> dict[str, float]:
    """The least processor time of each, which other programs of the machine disturb less than they
    disturb the clock. They take turns, in another order each time."""
    best = dict.fromkeys(actions, math.inf)
    for round_ in range(rounds):
        for name in random.Random(round_).sample(list(actions), len(actions)):
            start = time.thread_time_ns()
            for action in actions[name]:
                action()
            best[name] = min(best[name], (time.thread_time_ns() - start) * 1e-9)
    return best


@dataclass
class Sums:
    """The result of one codec and one size of blocks, over all columns."""

    raw: int = 0
    bytes: int = 0
    blocks: int = 0
    stored: int = 0
    ratios: list[float] = field(default_factory=list)
    compress: list[float] = field(default_factory=list)  # MB/s by column
    decompress: list[float] = field(default_factory=list)

    def cells(self, block: int, name: str) -> list[str]:
        speeds = [geometric_mean(values) or 0 for values in (self.compress, self.decompress)]
        return [f"{block // KIB} KiB", name, f"{self.raw / self.bytes:.3f}",
                f"{geometric_mean(self.ratios):.3f}", *(f"{speed:,.0f}" for speed in speeds),
                f"{self.stored:,} of {self.blocks:,}"]

    def csv_cells(self, block: int, name: str) -> list[str]:
        _, _, *cells, _ = self.cells(block, name)
        return [str(block // KIB), name, *(cell.replace(",", "") for cell in cells),
                str(self.blocks), str(self.stored)]


def codecs_of(plan: argparse.Namespace) -> list[tuple[str, Codec]]:
    ours = [(f"numpact-{level}", Ours(Setting(level))) for level in plan.levels]
    return ours + [(codec.name, codec) for codec in (*map(Zstd, plan.zstd), Lz4())]


def blocks_of(numbers: np.ndarray, block: int) -> Iterator[np.ndarray]:
    step = block // numbers.itemsize
    return (numbers[at : at + step] for at in range(0, numbers.size, step))


def measure(numbers: np.ndarray, block: int, plan: argparse.Namespace,
            sums: dict[tuple[int, str], Sums]) -> None:
    actions: Actions = {}
    for name, codec in codecs_of(plan):
        found = sums.setdefault((block, name), Sums())
        writers, readers, size = [], [], 0
        for part in blocks_of(numbers, block):
            compress, make = codec.writer(part)
            file = make()
            writers.append(compress or make)
            found.blocks += 1
            if len(file) >= part.nbytes:
                found.stored += 1
                size += part.nbytes
                continue
            size += len(file)
            out = np.zeros_like(part)
            readers.append(codec.reader(file, out))
            readers[-1]()
            if not same_bits(out, part):
                raise RuntimeError(f"{name} changes numbers")
        found.raw, found.bytes = found.raw + numbers.nbytes, found.bytes + size
        found.ratios.append(numbers.nbytes / size)
        actions |= {f"compress.{name}": writers, f"decompress.{name}": readers}
    if plan.only_size:
        return
    best = best_seconds(actions, plan.rounds)
    for name, _ in codecs_of(plan):
        found = sums[block, name]
        found.compress.append(numbers.nbytes / best[f"compress.{name}"] / 1e6)
        if best[f"decompress.{name}"] > 1e-6:  # else all blocks were stored
            found.decompress.append(numbers.nbytes / best[f"decompress.{name}"] / 1e6)


def middle(numbers: np.ndarray, limit: int) -> np.ndarray:
    """`limit` bytes from the middle of a column, in memory of its own."""
    count = min(numbers.size, limit // numbers.itemsize)
    start = (numbers.size - count) // 2
    return np.array(numbers[start : start + count])


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=default_folder())
    parser.add_argument("--columns", default="", metavar="REGEX", help="only these columns")
    parser.add_argument("--limit", type=int, default=1024, help="KiB of each column")
    parser.add_argument("--blocks", type=int, nargs="+", default=[64, 256, 1024], help="KiB")
    parser.add_argument("--levels", type=int, nargs="+", default=[1, 4, 8], help="of numpact")
    parser.add_argument("--zstd", type=int, nargs="+", default=[1, 3, 9], help="levels of zstd")
    parser.add_argument("--rounds", type=int, default=3, help="the best one counts")
    parser.add_argument("--only-size", action="store_true", help="do not time")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the table")
    return parser.parse_args()


def main() -> int:
    plan = parse_arguments()
    sums: dict[tuple[int, str], Sums] = {}
    count = 0
    for _, whole in columns(plan.folder, plan.columns):
        for block in sorted(plan.blocks):
            measure(middle(whole, plan.limit * KIB), block * KIB, plan, sums)
        count += 1
        print(f"\r{count} columns", end="", file=sys.stderr, flush=True)
    found = sorted(sums.items(), key=lambda item: item[0][0])
    print(f"\n{count} columns, at most {plan.limit} KiB of each; {cpu_name()}\n")
    print("\n".join(markdown_table(TITLES, [s.cells(*key) for key, s in found])))
    if plan.csv:
        write_csv(plan.csv, CSV_TITLES, [s.csv_cells(*key) for key, s in found])
    if not plan.only_size:
        noise: dict[tuple[int, str], Sums] = {}
        numbers = np.frombuffer(np.random.default_rng(1).bytes(1024 * KIB), np.int64)
        measure(numbers, 64 * KIB, plan, noise)
        print("\nrandom i64, MB/s until it is known not to fit: "
              + ", ".join(f"{name} {s.compress[0]:,.0f}" for (_, name), s in noise.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
