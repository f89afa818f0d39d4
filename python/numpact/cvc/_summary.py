# SPDX-License-Identifier: Apache-2.0
"""The report of a CVC file: that of ``numpact cvc info``."""

from __future__ import annotations

from .._views import MAX_SHOWN_ROWS, Table, View
from ._info import Chunk, Info


def view_of(info: Info, name: str) -> View:
    """Columns and chunks of a file.

    Args:
        info: The content of its header.
        name: Of the file.
    """
    major, minor = info.version
    layout = "columnar" if info.is_columnar else "paged" if info.is_paged else "single"
    facts = [
        ("rows", f"{info.rows:,}"),
        ("as float32", f"{4 * info.rows * info.dimension:,} bytes"),
    ]
    return View(
        f"{name}: CVC {major}.{minor}, {layout}", facts, [_columns_table(info), _chunks_table(info)]
    )


def _columns_table(info: Info) -> Table:
    rows = [
        [column.name, f"{column.dimension:,}", column.dtype, column.compression]
        for column in info.columns[:MAX_SHOWN_ROWS]
    ]
    return Table("", ["column", ">dimension", "dtype", "compression"], rows, len(info.columns))


def _chunks_table(info: Info) -> Table:
    rows = [_chunk_cells(index, chunk) for index, chunk in enumerate(info.chunks[:MAX_SHOWN_ROWS])]
    titles = [">chunk", ">first row", ">rows", ">offset", ">bytes", "compression"]
    return Table("", titles, rows, len(info.chunks))


def _chunk_cells(index: int, chunk: Chunk) -> list[str]:
    return [
        str(index),
        str(chunk.first_row),
        f"{chunk.rows:,}",
        "-" if chunk.offset is None else str(chunk.offset),
        "-" if chunk.payload_bytes is None else f"{chunk.payload_bytes:,}",
        ",".join(part.compression for part in chunk.slices[:MAX_SHOWN_ROWS]),
    ]


def line_of(info: Info, name: str) -> str:
    """What ``repr`` gives."""
    major, minor = info.version
    columns = ", ".join(
        f"{c.name + ': ' if c.name else ''}{c.dimension} x {c.compression}" for c in info.columns
    )
    return f"<numpact.cvc.Reader {name}: v{major}.{minor}, {info.rows:,} rows, {columns}>"
