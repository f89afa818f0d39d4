#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sizes alone, against the reference and other codecs: by column, by dataset, and in all.

A dataset is a file: its columns together. A codec with several settings among the peers has one
more row, "openzl, best": for each column its smallest file. No column should be larger than what
pcodec makes of it, but for 0.1 % and 64 bytes. Every file of ours is read back by numpact and by
pcodec. Exits with 1 if one is not.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import peer_list
from columns import columns, default_folder
from goals import geometric_mean
from measure import Column, Measurement, Plan
from options import add_target, use_target
from peer_codecs import Codec, Setting
from reference_cache import ReferenceCache
from report import NOTABLE, markdown_table, plain_table

REFERENCE = "pcodec"
PER_MILLE = 1  # what a column may be larger by
BYTES = 64
PEERS = ("pcodec-12,openzl,openzl-7,zstd-22,bzip2-shuffle,vortex-compact,blosc2-zstd-9,"
         "blosc2-zstd-9-bits,blosc2-zstd-9-delta,parquet-best")
BEST = ", best"


@dataclass(frozen=True)
class Dataset:
    """Sums over the columns of a file, by codec; without codecs that could not do all of them."""

    name: str
    columns: int
    raw: int
    sizes: dict[str, int]

    def ratio(self, codec: str) -> float | None:
        return self.raw / self.sizes[codec] if codec in self.sizes else None

    def best_peer(self) -> str | None:
        """The smallest that is neither ours nor the reference."""
        peers = [name for name in self.sizes if name != "ours" and family_of(name) != REFERENCE]
        return min(peers, key=lambda name: self.sizes[name], default=None)


def dataset_name(column: str) -> str:
    """Columns are called FILE.NAME, arrays FILE."""
    return column.split(".", 1)[0]


def family_of(codec: str) -> str:
    """The codec without its setting: openzl-7 is openzl."""
    return codec.split(",", 1)[0].split("-", 1)[0]


def add_best(column: Column) -> None:
    """The smallest file of each codec that made several of this column."""
    families: dict[str, list[int]] = {}
    for name, size in column.sizes.items():
        families.setdefault(family_of(name), []).append(size)
    column.sizes |= {family + BEST: min(sizes) for family, sizes in families.items()
                     if len(sizes) > 1 and family != REFERENCE}


def add_sizes(found: Sequence[Column]) -> dict[str, int]:
    """By codec, of those that did every column."""
    names = dict.fromkeys(name for column in found for name in column.sizes)
    return {name: sum(column.sizes[name] for column in found) for name in names
            if all(name in column.sizes for column in found)}


def datasets_of(found: Sequence[Column]) -> list[Dataset]:
    groups: dict[str, list[Column]] = {}
    for column in found:
        groups.setdefault(dataset_name(column.name), []).append(column)
    return [Dataset(name, len(group), sum(column.raw for column in group), add_sizes(group))
            for name, group in groups.items()]


def is_too_large(ours: int, theirs: int) -> bool:
    return 1000 * (ours - theirs - BYTES) > PER_MILLE * theirs


def mean_ratio(pairs: Sequence[dict[str, int]], codec: str) -> float | None:
    """Geometric mean of our bytes over a codec's, where there are both."""
    return geometric_mean(sizes["ours"] / sizes[codec] for sizes in pairs
                          if codec in sizes and "ours" in sizes)


def column_lines(found: Sequence[Column]) -> list[str]:
    """Columns that are larger than they should be, the worst first."""
    large = [(c.sizes["ours"] / c.sizes[REFERENCE], c) for c in found
             if REFERENCE in c.sizes and "ours" in c.sizes
             and is_too_large(c.sizes["ours"], c.sizes[REFERENCE])]
    lines = [f"columns over {REFERENCE} by more than {PER_MILLE / 1000:.1%} and {BYTES} bytes: "
             f"{len(large)} of {len(found)}"]
    for ratio, column in sorted(large, key=lambda pair: -pair[0]):
        lines.append(f"  {column.name} {ratio:.4f} ({column.sizes['ours']:,} against "
                     f"{column.sizes[REFERENCE]:,})")
    return lines


SUM_TITLES = ["codec", "columns", "bytes", "ours in the same", "ours / this", "mean of columns",
              "mean of datasets"]


def sum_rows(found: Sequence[Column], datasets: Sequence[Dataset]) -> list[list[str]]:
    """A row for each codec, over the columns that it did."""
    rows = []
    for name in dict.fromkeys(name for column in found for name in column.sizes):
        done = [c for c in found if name in c.sizes and "ours" in c.sizes]
        size = sum(column.sizes[name] for column in done)
        ours = sum(column.sizes["ours"] for column in done)
        means = [mean_ratio([c.sizes for c in done], name),
                 mean_ratio([d.sizes for d in datasets], name)]
        rows.append([name, str(len(done)), f"{size:,}", f"{ours:,}", f"{ours / max(1, size):.4f}",
                     *("" if mean is None else f"{mean:.4f}" for mean in means)])
    return rows


DATASET_TITLES = ["dataset", "columns", "raw", "ours", "raw / ours", f"ours / {REFERENCE}",
                  "best other", "raw / it", "ours / it"]


def dataset_row(dataset: Dataset) -> list[str]:
    def text(value: float | None, digits: int) -> str:
        return "" if value is None else f"{value:.{digits}f}"

    def against(codec: str | None) -> float | None:
        sizes = dataset.sizes
        return sizes["ours"] / sizes[codec] if codec in sizes and "ours" in sizes else None

    best = dataset.best_peer()
    return [dataset.name, str(dataset.columns), f"{dataset.raw:,}",
            f"{dataset.sizes.get('ours', 0):,}", text(dataset.ratio("ours"), 3),
            text(against(REFERENCE), 4), best or "", text(dataset.ratio(best or ""), 3),
            text(against(best), 4)]


def smaller_lines(found: Sequence[Column]) -> list[str]:
    """For each codec the columns on which it is smaller by more than NOTABLE."""
    lines = []
    for name in dict.fromkeys(name for column in found for name in column.sizes):
        ratios = [(c.sizes["ours"] / c.sizes[name], c.name) for c in found
                  if name != "ours" and name in c.sizes and "ours" in c.sizes]
        smaller = sorted(((ratio, column) for ratio, column in ratios if ratio > NOTABLE),
                         reverse=True)
        if smaller:
            text = ", ".join(f"{column} {ratio:.3f}" for ratio, column in smaller)
            lines.append(f"{name}: smaller than ours by over {NOTABLE - 1:.0%} on {len(smaller)} "
                         f"of {len(ratios)} columns, ours / it: {text}")
    return lines


def lost_line(datasets: Sequence[Dataset]) -> str:
    """Where another codec, the reference among them, is smaller."""
    lost = []
    for dataset in datasets:
        ours = dataset.sizes.get("ours", 0)
        smaller = [f"{name} {size / ours:.3f}" for name, size in dataset.sizes.items()
                   if name != "ours" and size < ours]
        if smaller:
            lost.append(f"{dataset.name} ({', '.join(smaller)})")
    return (f"datasets where ours is the smallest: {len(datasets) - len(lost)} of {len(datasets)}"
            + (f"; smaller than ours: {'; '.join(lost)}" if lost else ""))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=default_folder(),
                        help="folder or file with columns (default: %(default)s)")
    parser.add_argument("--columns", default="", metavar="REGEX", help="only names that match")
    parser.add_argument("--level", type=int, default=8, help="for numpact and pcodec")
    parser.add_argument("--peers", default=PEERS, metavar="a,b",
                        help=f"compared in addition to pcodec: any of {', '.join(peer_list.PEERS)} "
                             "(default: %(default)s)")
    add_target(parser)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    parser.add_argument("--markdown", action="store_true", help="print tables for the docs")
    return parser.parse_args()


def chosen_codecs(arguments: argparse.Namespace) -> list[Codec]:
    try:
        names = peer_list.chosen_names(f"{REFERENCE},{arguments.peers}")
    except ValueError as error:
        sys.exit(str(error))
    names = [name for name in names if name != "memcpy"]
    setting = Setting(arguments.level)
    codecs, skipped = peer_list.make_codecs(names, setting)
    if skipped:
        peer_list.install_missing()
        codecs, skipped = peer_list.make_codecs(names, setting)
    for name, reason in skipped.items():
        print(f"skipped {name}: {reason}", file=sys.stderr)
    return codecs


def measure_all(arguments: argparse.Namespace, codecs: list[Codec]) -> list[Column]:
    plan = Plan(level=arguments.level, target=arguments.target, only_size=True)
    cache = ReferenceCache()
    found = []
    for name, numbers in columns(arguments.folder, arguments.columns):
        found.append(Measurement(name, numbers, plan, codecs, cache).run())
        add_best(found[-1])
        for failure in found[-1].failures:
            print(f"FAILED {name}: {failure}", file=sys.stderr, flush=True)
    return found


def main() -> int:
    arguments = parse_arguments()
    use_target(arguments.target)
    codecs = chosen_codecs(arguments)
    found = measure_all(arguments, codecs)
    if not found:
        sys.exit(f"no columns in {arguments.folder}")
    datasets = datasets_of(found)
    table = markdown_table if arguments.markdown else plain_table
    packages = ", ".join(dict.fromkeys(codec.package for codec in codecs if codec.package))
    print(f"{arguments.folder.name}: {len(found)} columns in {len(datasets)} datasets, level "
          f"{arguments.level}; {packages}\n")
    print("\n".join(table(SUM_TITLES, sum_rows(found, datasets))))
    print("\n" + "\n".join(table(DATASET_TITLES, [dataset_row(d) for d in datasets])))
    print("\n" + "\n".join([*column_lines(found), *smaller_lines(found), lost_line(datasets)]))
    if arguments.json:
        everything = {"columns": [asdict(c) for c in found],
                      "datasets": [asdict(d) for d in datasets]}
        arguments.json.write_text(json.dumps(everything, indent=1) + "\n")
    return 1 if any(column.failures for column in found) else 0


if __name__ == "__main__":
    sys.exit(main())
