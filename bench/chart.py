#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the chart of the README: compression ratio against decode speed.

Reads levels.csv, which `levels --csv FOLDER` writes, and codecs.csv, which `peers --csv FOLDER`
writes: a line for the levels of numpact and of pcodec, and points for the other codecs. A setting
is left out if another setting of the same codec has a higher ratio and is not slower. Writes
speed-light.svg and speed-dark.svg, whose text depends on the two tables only.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "docs" / "benchmarks" / "data"
IMAGES = ROOT / "docs" / "images"
NAMES = {"ours": "numpact", "lz4": "LZ4", "blosc2-zstd": "Blosc2, zstd",
         "blosc2-lz4": "Blosc2, LZ4", "blosc2-zstd-9": "Blosc2, zstd 9",
         "blosc2-zstd-9-bits": "Blosc2, bits", "blosc2-zstd-9-delta": "Blosc2, delta",
         "parquet-plain": "Parquet, plain", "parquet-dict": "Parquet, dict",
         "parquet-delta": "Parquet, delta", "parquet-split": "Parquet, split",
         "parquet-best": "Parquet, best", "bzip2-shuffle": "bzip2", "vortex": "Vortex",
         "vortex-compact": "Vortex, compact", "openzl": "OpenZL", "openzl-7": "OpenZL 7"}
LABELLED = {"0", "1", "4", "8", "12"}  # levels with a label at their point
WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 60, 30, 46, 56  # margins around the axes
POINT = 4  # radius
LETTER = 7.4  # mean width of a letter of a name, in pixels
LINE = 13  # height of a name, in pixels


@dataclass(frozen=True)
class Theme:
    text: str
    grid: str
    ours: str
    pcodec: str
    other: str


THEMES = {"light": Theme("#1f2328", "#d1d9e0", "#cf222e", "#0969da", "#57606a"),
          "dark": Theme("#e6edf3", "#3d444d", "#ff7b72", "#58a6ff", "#9198a1")}


@dataclass(frozen=True)
class Point:
    codec: str
    level: str  # empty for a codec without levels
    ratio: float
    speed: float  # MB of numbers per second


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def family_of(codec: str) -> str:
    """The codec without its setting: openzl-7 is openzl."""
    return codec.split("-", 1)[0]


def is_beaten(point: Point, others: Sequence[Point]) -> bool:
    """Whether another setting of the same codec is smaller and as fast."""
    return any(other.ratio > point.ratio and other.speed >= point.speed for other in others
               if family_of(other.codec) == family_of(point.codec))


def read_points(folder: Path) -> list[Point]:
    """The levels, then the better settings of the other codecs that have a ratio and could do every
    column."""
    points = [Point(row["codec"], row["level"], float(row["mean_ratio"]),
                    float(row["mean_decompress_mb_s"])) for row in read_rows(folder / "levels.csv")]
    codecs = read_rows(folder / "codecs.csv")
    max_columns = max(int(row["columns"]) for row in codecs)
    with_levels = {point.codec for point in points}
    others = [Point(row["codec"], "", float(row["mean_ratio"]), float(row["mean_decompress_mb_s"]))
              for row in codecs if row["mean_ratio"] and int(row["columns"]) == max_columns
              and family_of(row["codec"]) not in with_levels]
    return points + [point for point in others if not is_beaten(point, others)]


def ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten within a range."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = [digit * 10.0**power for power in range(first, last + 1) for digit in (1, 2, 5)]
    return [step for step in steps if low <= step <= high]


class Axes:
    """Places of values: the speed on a logarithmic axis, the ratio on a linear one from 0."""

    def __init__(self, points: Sequence[Point]):
        self.slowest = min(point.speed for point in points) / 1.5
        self.fastest = max(point.speed for point in points) * 1.2
        self.step = 2 if max(point.ratio for point in points) > 8 else 1
        self.top = self.step * math.ceil(max(point.ratio for point in points) / self.step + 0.3)

    def x(self, speed: float) -> float:
        share = math.log(speed / self.slowest) / math.log(self.fastest / self.slowest)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, ratio: float) -> float:
        return HEIGHT - BOTTOM - ratio / self.top * (HEIGHT - TOP - BOTTOM)


def text(x: float, y: float, words: str, fill: str, anchor: str = "middle", extra: str = "") -> str:
    return (f'<text x="{x:.1f}" y="{y:.1f}" fill="{fill}" text-anchor="{anchor}"{extra}>'
            f"{words}</text>")


def frame(axes: Axes, theme: Theme) -> list[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    lines = []
    for ratio in range(0, axes.top + 1, axes.step):
        y = axes.y(ratio)
        lines.append(f'<path d="M{LEFT} {y:.1f}H{right}" stroke="{theme.grid}"/>')
        lines.append(text(LEFT - 8, y + 4, str(ratio), theme.text, "end"))
    for speed in ticks(axes.slowest, axes.fastest):
        x = axes.x(speed)
        lines.append(f'<path d="M{x:.1f} {TOP}V{bottom}" stroke="{theme.grid}"/>')
        lines.append(text(x, bottom + 20, f"{speed / 1000:g}", theme.text))
    lines.append(text((LEFT + right) / 2, bottom + 42,
                      "decode speed, GB of numbers per second, one thread", theme.text))
    lines.append(text(LEFT - 40, TOP - 22, "compression ratio, raw bytes / compressed bytes",
                      theme.text, "start"))
    return lines


@dataclass(frozen=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        return (self.left < other.right and other.left < self.right
                and self.top < other.bottom and other.top < self.bottom)

    def is_inside(self) -> bool:
        return self.left >= LEFT and self.right <= WIDTH - RIGHT / 2 and \
            self.top >= TOP and self.bottom <= HEIGHT - BOTTOM


class Labels:
    """Names next to their points, where they hide neither a point nor another name."""

    def __init__(self, places: Sequence[tuple[float, float]]):
        self.taken = [Box(x - POINT, y - POINT, x + POINT, y + POINT) for x, y in places]

    def take(self, box: Box) -> None:
        self.taken.append(box)

    def place(self, x: float, y: float, name: str, above: bool) -> tuple[float, float, str]:
        """Position and anchor of the text: the first side that is free."""
        width, gap = LETTER * len(name), POINT + 3
        low, high = y + gap + LINE - 3, y - gap
        sides = [(x, low, "middle"), (x, high, "middle"), (x + gap, y + 4, "start"),
                 (x - gap, y + 4, "end"), (x, low, "start"), (x, low, "end"), (x, high, "start"),
                 (x, high, "end"), (x, low + LINE, "start"), (x, high - LINE, "middle")]
        if above:
            sides = [(x, high - LINE, "middle"), *sides]
        shares = {"start": 0.0, "middle": 0.5, "end": 1.0}
        boxes = [Box(left := side_x - shares[anchor] * width, side_y - LINE + 3, left + width,
                     side_y + 3) for side_x, side_y, anchor in sides]
        free = [i for i, box in enumerate(boxes)
                if box.is_inside() and not any(box.overlaps(other) for other in self.taken)]
        chosen = free[0] if free else 0
        self.take(boxes[chosen])
        return sides[chosen]


def series(axes: Axes, points: Sequence[Point], colour: str, label_side: int,
           labels: Labels) -> list[str]:
    """The points of one codec with a line through them. Labels of levels stand on one side."""
    places = [(axes.x(point.speed), axes.y(point.ratio)) for point in points]
    lines = []
    if len(points) > 1:
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        lines.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
    anchor = "start" if label_side > 0 else "end"
    for point, (x, y) in zip(points, places):
        lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{POINT}" fill="{colour}"/>')
        if point.level in LABELLED:
            lines.append(text(x + label_side * 7, y - 5 * label_side, point.level, colour, anchor,
                              ' font-size="11"'))
            far = x + label_side * 22
            labels.take(Box(min(x, far), y - 16, max(x, far), y + 10))
    x, y = places[-1]
    name = NAMES.get(points[0].codec, points[0].codec.replace("-", " -"))
    x, y, anchor = labels.place(x, y, name, above=len(points) > 1)
    lines.append(text(x, y, name, colour, anchor, ' font-weight="bold"'))
    return lines


def svg(points: Sequence[Point], theme: Theme) -> str:
    axes = Axes(points)
    colours = {"ours": theme.ours, "pcodec": theme.pcodec}
    labels = Labels([(axes.x(point.speed), axes.y(point.ratio)) for point in points])
    drawn = []
    for codec in dict.fromkeys(point.codec for point in points):
        found = [point for point in points if point.codec == codec]
        side = 1 if codec == "ours" else -1
        drawn += series(axes, found, colours.get(codec, theme.other), side, labels)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
             f' width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="13"'
             f' role="img">',
             "<!-- drawn by ./dev bench chart -->",
             "<title>Compression ratio against decode speed, by level</title>",
             *frame(axes, theme), *drawn, "</svg>"]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?", type=Path, default=DATA,
                        help="folder of levels.csv and codecs.csv (default: that of the documents)")
    parser.add_argument("--out", type=Path, default=IMAGES, metavar="FOLDER",
                        help="where the files go (default: docs/images)")
    arguments = parser.parse_args()
    points = read_points(arguments.data)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, theme in THEMES.items():
        path = arguments.out / f"speed-{name}.svg"
        path.write_text(svg(points, theme), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
