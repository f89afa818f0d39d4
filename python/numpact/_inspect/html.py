# SPDX-License-Identifier: Apache-2.0
"""A chart of the bins of the first chunk, for notebooks."""

from __future__ import annotations

from html import escape

from .chunks import ChunkInfo, LatentVariableInfo

_WIDTH, _HEIGHT = 480, 96  # of a chart, in pixels


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


def figures_of(chunks: list[ChunkInfo]) -> str:
    """The bins of the first chunk."""
    return "".join(
        f"<figure><figcaption>{_caption(variable)}</figcaption>{bins_svg(variable)}</figure>"
        for variable in (chunks[0].variables if chunks else ())
    )
