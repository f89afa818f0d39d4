# SPDX-License-Identifier: Apache-2.0
"""A file's inside for notebooks: a table of chunks, and the bins of the first as a picture."""

from __future__ import annotations

from html import escape

from ._inspect import ChunkInfo, FileInfo, LatentVariableInfo
from ._inspect_text import MOST_CHUNKS

_WIDTH, _HEIGHT = 480, 96


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
    """The bins from the lowest on: height is the share of latents, darkness the bits of offset."""
    bins = variable.bins
    if not bins:
        return ""
    most = max(b.weight for b in bins)
    total = sum(b.weight for b in bins)
    step = _WIDTH / len(bins)
    bars = []
    for i, b in enumerate(bins):
        height = max(1.0, b.weight / most * _HEIGHT)
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


def as_html(info: FileInfo) -> str:
    major, minor = info.format_version
    summary = (
        f"<b>Pco {major}.{minor}</b>: {info.count:,} x {escape(info.type or 'no type')}, "
        f"{info.file_bytes:,} bytes, {info.bits_per_number:.2f} bits a number, "
        f"{info.ratio:.2f} times smaller"
    )
    head = ["chunk", "numbers", "type", "mode", "delta", "bins", "bytes", "bits a number"]
    rows = [_chunk_row(i, chunk) for i, chunk in enumerate(info.chunks[:MOST_CHUNKS])]
    shown = min(MOST_CHUNKS, len(info.chunks))
    if info.chunk_count > shown:
        rows.append(_row([f"and {info.chunk_count - shown} more"]))
    parts = [f"<p>{summary}</p>"]
    if rows:
        parts.append(f"<table>{_row(head, 'th')}{''.join(rows)}</table>")
        for variable in info.chunks[0].variables:
            caption = (
                f"{len(variable.bins)} bins of the {escape(variable.variable)} latents, chunk 0: "
                f"{variable.code_bits // 8:,} bytes of codes, "
                f"{variable.offset_bits // 8:,} of offsets"
            )
            parts.append(f"<figure><figcaption>{caption}</figcaption>{bins_svg(variable)}</figure>")
    return "<div>" + "".join(parts) + "</div>"
