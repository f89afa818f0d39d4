#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Columns on which OpenZL is smaller than numpact, and what a change of Pco would give there.

Makes of each column what Pco 4.1 cannot hold: a table of the different numbers that is compressed,
places in it or differences whose matches are paid once for each match, bytes coded apart. These
are sizes of experiments, without headers; docs/benchmarks/beyond-pco.md has the results.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpact_ctypes as numpact
import numpy as np
import zstandard
from columns import columns, default_folder
from peer_formats import OpenZl
from report import NOTABLE, markdown_table

LEVELS = (None, 7)  # of OpenZL
MAX_LEVEL = 12  # of numpact
ZSTD = zstandard.ZstdCompressor(level=22)


def pco(numbers: np.ndarray, **settings: object) -> int:
    return len(numpact.compress(np.ascontiguousarray(numbers), numpact.Config(**settings)))


def zstd(numbers: np.ndarray) -> int:
    return len(ZSTD.compress(np.ascontiguousarray(numbers).tobytes()))


def byte_planes(numbers: np.ndarray) -> int:
    """zstd of the lowest bytes, of the next ones, and so on."""
    planes = np.ascontiguousarray(numbers).view(np.uint8).reshape(-1, numbers.itemsize)
    return sum(zstd(planes[:, i]) for i in range(numbers.itemsize))


def places(numbers: np.ndarray) -> tuple[np.ndarray, int]:
    """For each number its place in the sorted table of those that occur; the bytes of the table."""
    table, found = np.unique(numbers, return_inverse=True)
    kind = np.uint8 if table.size <= 1 << 8 else np.uint16 if table.size <= 1 << 16 else np.uint32
    return found.astype(kind), min(pco(table), table.nbytes)


def differences(numbers: np.ndarray) -> np.ndarray:
    """Of the bits of floats, as Pco takes them too; small integers in 32 bits."""
    if numbers.dtype.kind == "f":
        return np.diff(numbers.view(f"i{numbers.itemsize}"))
    return np.diff(numbers if numbers.itemsize >= 4 else numbers.astype(np.int32))


def experiments(numbers: np.ndarray) -> dict[str, int]:
    in_table, table = places(numbers)
    gaps = differences(numbers)
    in_gaps, gap_table = places(gaps)
    return {
        "table coded": table + pco(in_table),
        "matches of places": table + min(zstd(in_table), byte_planes(in_table)),
        "matches of differences": gap_table + min(zstd(in_gaps), byte_planes(in_gaps)),
        "bytes apart": min(byte_planes(numbers), byte_planes(gaps)),
    }


def smallest_openzl(numbers: np.ndarray) -> int:
    return min(len(OpenZl(level).writer(numbers)[1]()) for level in LEVELS)


def best_pco(numbers: np.ndarray) -> int:
    """What another setting of numpact writes: level 12, or Dict."""
    settings: list[dict[str, object]] = [{"level": MAX_LEVEL}, {"mode": "dict"}]
    return min(pco(numbers, **setting) for setting in settings)


def row_of(name: str, numbers: np.ndarray) -> list[str] | None:
    ours, other = pco(numbers), smallest_openzl(numbers)
    if ours <= NOTABLE * other:
        return None
    found = experiments(numbers)
    best = min(found.values())
    marked: Callable[[int], str] = lambda size: f"**{size:,}**" if size == best else f"{size:,}"
    return [name, f"{ours:,}", f"{min(ours, best_pco(numbers)):,}", f"{other:,}",
            f"{ours / other:.3f}", *map(marked, found.values())]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=default_folder(),
                        help="folder or file with columns (default: %(default)s)")
    parser.add_argument("--columns", default="", metavar="REGEX", help="only names that match")
    arguments = parser.parse_args()
    rows = [row for name, numbers in columns(arguments.folder, arguments.columns)
            if (row := row_of(name, numbers)) is not None]
    titles = ["column", "level 8", "best Pco", "OpenZL", "level 8 / OpenZL", "table coded",
              "matches of places", "matches of differences", "bytes apart"]
    print("\n".join(markdown_table(titles, rows)))


if __name__ == "__main__":
    main()
