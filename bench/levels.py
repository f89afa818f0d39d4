#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time and size of each level on columns of real numbers, compared with the reference's levels.

One thread. For every numeric column of a folder, every level compresses and its file is read back;
then all levels are timed in the same rounds. A level is on the front if no other row of the table
is both smaller and faster to compress. Exits with 1 if a round trip failed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from columns import columns, default_folder
from goals import geometric_mean
from measure import same_bits
from options import add_target, use_target
from peer_codecs import Codec, Ours, Pcodec, Setting
from report import cpu_name, markdown_table, plain_table
from result_tables import LEVEL_TITLES, write_csv
from rounds import best_of_rounds

REFERENCE = "pcodec 8"
THEIRS = "0,4,8,12"


@dataclass
class Timed:
    """One column: bytes and seconds by codec and level, as in "ours 8"."""

    name: str
    raw: int
    sizes: dict[str, int] = field(default_factory=dict)
    compress: dict[str, float] = field(default_factory=dict)
    decode: dict[str, float] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Standing:
    """One codec and level over all columns. Speeds are in MB of numbers a second."""

    name: str
    bytes: int
    ratio: float  # raw / bytes
    size: float | None  # geometric mean over columns of bytes / those of the reference
    compress: float  # all bytes by all time
    compress_mean: float | None  # geometric mean over columns
    decode: float
    decode_mean: float | None
    mean_ratio: float | None = None  # geometric mean over columns of raw / bytes


def make_codecs(levels: Sequence[int], theirs: Sequence[int]) -> dict[str, Codec]:
    codecs: dict[str, Codec] = {f"ours {level}": Ours(Setting(level)) for level in levels}
    return codecs | {f"pcodec {level}": Pcodec(Setting(level)) for level in theirs}


def measure(name: str, numbers: np.ndarray, codecs: dict[str, Codec], rounds: int,
            seconds: float) -> Timed:
    timed = Timed(name, numbers.nbytes)
    out = np.zeros_like(numbers)
    compressing: dict[str, Callable[[], object]] = {}
    decoding: dict[str, Callable[[], object]] = {}
    for key, codec in codecs.items():
        action, make = codec.writer(numbers)
        file = make()
        timed.sizes[key] = len(file)
        decode = codec.reader(file, out)
        out.fill(0)
        decode()
        if not same_bits(out, numbers):
            timed.failures.append(key)
        assert action is not None
        compressing[key], decoding[key] = action, decode
    timed.compress, _ = best_of_rounds(compressing, rounds, seconds)
    timed.decode, _ = best_of_rounds(decoding, rounds, seconds)
    return timed


def standing(key: str, found: Sequence[Timed]) -> Standing:
    raw = sum(column.raw for column in found)
    size = sum(column.sizes[key] for column in found)

    def speeds(seconds: Callable[[Timed], float]) -> tuple[float, float | None]:
        total = sum(seconds(column) for column in found)
        return raw / total / 1e6, geometric_mean(c.raw / seconds(c) / 1e6 for c in found)

    compress, decode = speeds(lambda c: c.compress[key]), speeds(lambda c: c.decode[key])
    ratios = [c.sizes[key] / c.sizes[REFERENCE] for c in found if REFERENCE in c.sizes]
    return Standing(key, size, raw / size, geometric_mean(ratios), *compress, *decode,
                    geometric_mean(c.raw / c.sizes[key] for c in found))


def on_front(one: Standing, others: Sequence[Standing], size: Callable[[Standing], float | None],
             speed: Callable[[Standing], float | None]) -> bool:
    """Whether none of the others is smaller and as fast, or faster and as small."""
    def pair(row: Standing) -> tuple[float, float]:
        return size(row) or 0, -(speed(row) or 0)

    mine = pair(one)
    return not any(theirs != mine and theirs[0] <= mine[0] and theirs[1] <= mine[1]
                   for theirs in map(pair, others))


def fronts(one: Standing, all_rows: Sequence[Standing]) -> str:
    """By the sums over all columns, and by the means over columns."""
    words = []
    if on_front(one, all_rows, lambda row: row.bytes, lambda row: row.compress):
        words.append("sums")
    if on_front(one, all_rows, lambda row: row.size, lambda row: row.compress_mean):
        words.append("means")
    return ", ".join(words) or "no"


TITLES = ["level", "bytes", "raw / bytes", f"size / {REFERENCE}, mean", "compress MB/s",
          "compress, mean", "decode MB/s", "decode, mean", "on the front"]


def cells(one: Standing, all_rows: Sequence[Standing]) -> list[str]:
    def number(value: float | None, digits: int) -> str:
        return "" if value is None else f"{value:.{digits}f}"

    return [one.name, f"{one.bytes:,}", f"{one.ratio:.3f}", number(one.size, 4),
            f"{one.compress:.1f}", number(one.compress_mean, 1), f"{one.decode:.0f}",
            number(one.decode_mean, 0), fronts(one, all_rows)]


def csv_cells(one: Standing) -> list[str]:
    numbers = (one.mean_ratio, one.compress, one.compress_mean, one.decode, one.decode_mean)
    return [*one.name.split(), str(one.bytes), f"{one.ratio:.3f}",
            *("" if number is None else f"{number:.2f}" for number in numbers)]


def levels_of(text: str) -> list[int]:
    """The levels that "0-4,8" means."""
    levels: list[int] = []
    for word in filter(None, text.split(",")):
        first, _, last = word.partition("-")
        levels += range(int(first), int(last or first) + 1)
    return levels


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=default_folder(),
                        help="folder or file with columns (default: %(default)s)")
    parser.add_argument("--columns", default="", metavar="REGEX", help="only names that match")
    parser.add_argument("--min-bytes", type=int, default=0, help="only columns of this size")
    parser.add_argument("--levels", type=levels_of, default=levels_of("0-12"), metavar="A-B,C",
                        help="ours (default: 0-12)")
    parser.add_argument("--theirs", type=levels_of, default=levels_of(THEIRS), metavar="A-B,C",
                        help=f"pcodec's, to which 8 is added (default: {THEIRS})")
    parser.add_argument("--rounds", type=int, default=3, help="at least this many for each column")
    parser.add_argument("--seconds", type=float, default=0.3,
                        help="small columns get more rounds, for so long")
    add_target(parser)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    parser.add_argument("--csv", type=Path, metavar="FOLDER",
                        help="write levels.csv, for the documents and the chart")
    parser.add_argument("--markdown", action="store_true", help="print the table for the docs")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    use_target(arguments.target)
    codecs = make_codecs(arguments.levels, sorted({8, *arguments.theirs}))
    found = []
    for name, numbers in columns(arguments.folder, arguments.columns, arguments.min_bytes):
        found.append(measure(name, numbers, codecs, arguments.rounds, arguments.seconds))
        print(f"{len(found)} {name}", file=sys.stderr, flush=True)
    if not found:
        sys.exit(f"no columns in {arguments.folder}")
    rows = [standing(key, found) for key in codecs]
    table = markdown_table if arguments.markdown else plain_table
    print("\n".join(table(TITLES, [cells(row, rows) for row in rows])))
    packages = {codec.package for codec in codecs.values() if codec.package}
    setting = (f"{arguments.folder.name}: {len(found)} columns, {sum(c.raw for c in found):,} "
               f"bytes; one thread, best of at least {arguments.rounds} rounds; "
               f"{', '.join(sorted(packages))}; {cpu_name()}")
    print(f"\n{setting}")
    if arguments.json:
        everything = {"setting": setting, "levels": [asdict(row) for row in rows],
                      "columns": [asdict(column) for column in found]}
        arguments.json.write_text(json.dumps(everything, indent=1) + "\n")
    if arguments.csv:
        write_csv(arguments.csv / "levels.csv", LEVEL_TITLES, map(csv_cells, rows))
    failures = [f"{key} of {column.name}" for column in found for key in column.failures]
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
