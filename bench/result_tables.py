# SPDX-License-Identifier: Apache-2.0
"""The tables of peers and levels as CSV files, for the documents and the chart of the README."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from measure import Column
from report import codec_means, column_cells, throughput

COLUMN_TITLES = [
    "column", "type", "mb", "ratio", "size_of_pcodec", "compress_mb_s", "compress_of_pcodec",
    "decompress_mb_s", "decompress_of_pcodec", "pcodec_file_of_pcodec", "pcodec_file_of_memcpy",
    "own_file_of_pcodec", "own_file_of_memcpy",
]
CODEC_TITLES = ["codec", "columns", "raw_bytes", "bytes", "ratio", "mean_ratio",
                "decompress_mb_s", "mean_decompress_mb_s"]
LEVEL_TITLES = ["codec", "level", "bytes", "ratio", "mean_ratio", "compress_mb_s",
                "mean_compress_mb_s", "decompress_mb_s", "mean_decompress_mb_s"]


def number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def codec_rows(columns: Sequence[Column]) -> list[list[str]]:
    """Over the columns that a codec could do: sums, and geometric means over columns."""
    rows = []
    for means in codec_means(columns):
        done = [c for c in columns if f"decompress.{means.name}" in c.seconds]
        raw = sum(c.raw for c in done)
        size = sum(c.sizes.get(means.name, 0) for c in done)
        rows.append([means.name, str(len(done)), str(raw), str(size or ""),
                     number(raw / size if size else None, 3), number(means.ratio, 2),
                     number(throughput(done, f"decompress.{means.name}"), 0),
                     number(means.decompress, 0)])
    return rows


def write_csv(path: Path, titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(titles)
        writer.writerows(rows)


def write_tables(columns: Sequence[Column], folder: Path) -> None:
    write_csv(folder / "codecs.csv", CODEC_TITLES, codec_rows(columns))
    rows = ([cell.rstrip("%") for cell in column_cells(column)] for column in columns)
    write_csv(folder / "columns.csv", COLUMN_TITLES, rows)
