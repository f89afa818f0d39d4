# SPDX-License-Identifier: Apache-2.0
"""Draws compression ratio against speed of decompressing."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

from measure import Column
from report import codec_means

COLOURS = {"ours": "tab:red", "pcodec": "tab:blue"}


def draw(columns: Sequence[Column], path: Path, title: str) -> None:
    """A point for each codec, the geometric mean over columns, and faint ones for each column of
    ours and pcodec. The name of the file says which format it has."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9, 6.5), layout="constrained")
    for name, colour in COLOURS.items():
        key = f"decompress.{name}"
        timed = [c for c in columns if key in c.seconds]
        axes.scatter([c.raw / c.seconds[key] / 1e6 for c in timed],
                     [c.compression_ratio(name) for c in timed],
                     s=9, alpha=0.25, color=colour, linewidths=0)
    for means in codec_means(columns):
        if means.decompress is None:
            continue
        ratio = means.ratio or 1.0  # memcpy
        axes.scatter([means.decompress], [ratio], s=70, zorder=3,
                     color=COLOURS.get(means.name, "tab:grey"), edgecolors="black")
        axes.annotate(means.name, (means.decompress, ratio), zorder=4, fontsize=9,
                      xytext=(6, 5), textcoords="offset points")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("decompress, MB of numbers a second")
    axes.set_ylabel("raw / compressed")
    axes.set_title("\n".join(textwrap.wrap(title, 130)), fontsize=8)
    axes.grid(True, which="both", alpha=0.2)
    figure.savefig(path)
    pyplot.close(figure)
