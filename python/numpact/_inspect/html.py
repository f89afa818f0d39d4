# SPDX-License-Identifier: Apache-2.0
"""Chunks as HTML for notebooks: a table, and a chart of the bins of the first chunk."""

from __future__ import annotations

from html import escape

from .chunks import ChunkInfo, LatentVariableInfo
from .text import MAX_SHOWN_CHUNKS

_WIDTH, _HEIGHT = 480, 96  # of a chart, in pixels
_COLUMNS = ["chunk", "numbers", "type", "mode", "delta", "bins", "bytes", "bits a number"]


def _row(cells: list[str], tag: str = "td") -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _chunk_row(index: int, chunk: ChunkInfo) -> str:
    return _row(
        [
            str(index),
            f"{chunk.count:,}",
            chunk.type,
            chunk.mode,
            chunk.delta,
            chunk.bins_text(),
            f"{chunk.bytes:,}",
            f"{chunk.bits_per_number:.2f}",
        ]
    )


def bins_svg(variable: LatentVariableInfo) -> str:
    """A bar for each bin, in ascending order: height is its share of latents, darkness its offset
    bits.
    """
    bins = variable.bins
    if not bins:
        return ""
    max_weight = max(b.weight for b in bins)
    total = sum(b.weight for b in bins)
    step = _WIDTH / len(bins)
    bars = []
    for i, b in enumerate(bins):
        height = max(1.0, b.weight / max_weight * _HEIGHT)
        light = 80 - 55 * b.offset_bits / max(1, variable.latent_bits)
        title = f"from {b.lower}, {b.offset_bits} bits of offset, {100 * b.weight / total:.2f} %"
        bars.append(
            f'<rect x="{i * step:.2f}" y="{_HEIGHT - height:.2f}" width="{step * 0.92:.2f}" '
            f'height="{height:.2f}" fill="hsl(210,60%,{light:.0f}%)"><title>{title}</title></rect>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" role="img" '
        f'aria-label="bins of the {escape(variable.variable)} latents">{"".join(bars)}</svg>'
    )


def _caption(variable: LatentVariableInfo) -> str:
    return (
        f"{len(variable.bins)} bins of the {escape(variable.variable)} latents, chunk 0: "
        f"{variable.code_bits // 8:,} bytes of codes, "
        f"{variable.offset_bits // 8:,} of offsets"
    )


def chunk_table(chunks: list[ChunkInfo], chunk_count: int) -> str:
    """The first chunks as a table, how many follow, and the bins of the first one.

    Args:
        chunks: Those that are described.
        chunk_count: All chunks of the file.
    """
    shown = chunks[:MAX_SHOWN_CHUNKS]
    rows = [_chunk_row(index, chunk) for index, chunk in enumerate(shown)]
    if chunk_count > len(shown):
        rows.append(_row([f"and {chunk_count - len(shown)} more"]))
    if not rows:
        return ""
    table = f"<table>{_row(_COLUMNS, 'th')}{''.join(rows)}</table>"
    figures = [
        f"<figure><figcaption>{_caption(variable)}</figcaption>{bins_svg(variable)}</figure>"
        for variable in (chunks[0].variables if chunks else ())
    ]
    return table + "".join(figures)
