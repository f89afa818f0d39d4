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
    points = sorted((means.decompress, means.ratio or 1.0, means.name)  # memcpy has no ratio
                    for means in codec_means(columns) if means.decompress is not None)
    for index, (speed, ratio, name) in enumerate(points):
        axes.scatter([speed], [ratio], s=70, zorder=3, color=COLOURS.get(name, "tab:grey"),
                     edgecolors="black")
        axes.annotate(name, (speed, ratio), zorder=4, fontsize=9, ha="center",
                      xytext=(0, 8 if index % 2 == 0 else -16), textcoords="offset points")
    axes.set_xscale("log")
    axes.set_yscale("log")
    if points:  # columns far outside are cut off
        speeds, ratios = [p[0] for p in points], [p[1] for p in points]
        axes.set_xlim(min(speeds) / 2, max(speeds) * 2)
        axes.set_ylim(min(ratios) / 1.5, max(ratios) * 4)
    axes.set_xlabel("decompress, MB of numbers a second")
    axes.set_ylabel("raw / compressed")
    axes.set_title("\n".join(textwrap.wrap(title, 130)), fontsize=8)
    axes.grid(True, which="both", alpha=0.2)
    figure.savefig(path)
    pyplot.close(figure)
