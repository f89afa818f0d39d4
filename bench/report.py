# SPDX-License-Identifier: Apache-2.0
"""Tables and sums of what was measured."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from measure import Column, Plan

LARGE = 1_000_000  # bytes from which a column counts as large
NOTABLE = 1.01  # size ratio over which a column is counted

SPEEDS = {
    "compress": ("compress.ours", "compress.pcodec"),
    "decompress, own files": ("decompress.ours", "decompress.pcodec"),
    "decompress, pcodec's files": ("cross.ours", "decompress.pcodec"),
}


def _ratio(value: float | None, digits: int = 2) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _speed(column: Column, what: str) -> float | None:
    return column.speed_ratio(*SPEEDS[what])


@dataclass(frozen=True)
class Field:
    title: str
    width: int
    text: Callable[[Column], str]
    timed: bool = False


def _size(name: str) -> Callable[[Column], str]:
    return lambda column: str(column.sizes.get(name, ""))


FIELDS = [
    Field("column", -44, lambda c: c.name),
    Field("type", -4, lambda c: c.type),
    Field("numbers", 9, lambda c: str(c.count)),
    Field("raw", 10, lambda c: str(c.raw)),
    Field("pcodec", 10, _size("pcodec")),
    Field("ours", 10, _size("ours")),
    Field("zstd", 10, _size("zstd")),
    Field("size", 7, lambda c: _ratio(c.size_ratio("pcodec"), 4)),
    Field("comp", 6, lambda c: _ratio(_speed(c, "compress")), timed=True),
    Field("dec", 6, lambda c: _ratio(_speed(c, "decompress, own files")), timed=True),
    Field("decref", 6, lambda c: _ratio(_speed(c, "decompress, pcodec's files")), timed=True),
    Field("zcomp", 6, lambda c: _ratio(c.speed_ratio("compress.ours", "compress.zstd")), True),
    Field("zdec", 6, lambda c: _ratio(c.speed_ratio("decompress.ours", "decompress.zstd")), True),
]

LEGEND = """\
size: ours / pcodec in bytes. comp, dec: speed of ours / speed of pcodec, each on its own file.
decref: the same for decoding, both on the file that pcodec wrote. zcomp, zdec: speed of ours /
speed of zstd. Last: modes and delta encodings of our chunks, and pcodec's where they differ."""


def _pad(text: str, width: int) -> str:
    return text.ljust(-width) if width < 0 else text.rjust(width)


def _fields(plan: Plan) -> list[Field]:
    return [field for field in FIELDS if not (field.timed and plan.only_size)]


def header_line(plan: Plan) -> str:
    return " ".join(_pad(field.title, field.width) for field in _fields(plan)) + "  choices"


def choices(column: Column) -> str:
    ours, theirs = column.choices.get("ours", ""), column.choices.get("pcodec")
    return ours if theirs in (None, ours) else f"{ours} | {theirs}"


def column_line(column: Column, plan: Plan) -> str:
    cells = [_pad(field.text(column), field.width) for field in _fields(plan)]
    return " ".join([*cells, "", choices(column)])


def geometric_mean(values: Iterable[float | None]) -> float | None:
    logs = [math.log(value) for value in values if value]
    return math.exp(sum(logs) / len(logs)) if logs else None


def _sum(columns: Sequence[Column], name: str) -> int:
    return sum(column.sizes.get(name, 0) for column in columns)


def size_lines(columns: Sequence[Column]) -> list[str]:
    raw, ours = sum(c.raw for c in columns), _sum(columns, "ours")
    lines = [f"raw {raw}, ours {ours}: {raw / max(1, ours):.4f} to 1"]
    for peer in ("pcodec", "zstd"):
        other = _sum(columns, peer)
        if other:
            lines.append(f"{peer} {other}: ours / {peer} = {ours / other:.5f}")
    compared = [(c.size_ratio("pcodec"), c) for c in columns]
    ratios = sorted(((r, c.name) for r, c in compared if r is not None), reverse=True)
    if ratios:
        over = sum(ratio > NOTABLE for ratio, _ in ratios)
        smaller = sum(ratio < 1 for ratio, _ in ratios)
        lines.append(f"columns: {len(ratios)}, larger than pcodec by over 1 %: {over}, "
                     f"smaller: {smaller}, geometric mean of size ratios "
                     f"{_ratio(geometric_mean(r for r, _ in ratios), 5)}")
        lines.append("worst: " + ", ".join(f"{name} {r:.4f}" for r, name in ratios[:5]))
        lines.append("best: " + ", ".join(f"{name} {r:.4f}" for r, name in ratios[:-6:-1]))
    return lines


def throughput(columns: Sequence[Column], key: str) -> float:
    """MB of numbers per second over all columns that were timed."""
    timed = [column for column in columns if key in column.seconds]
    return sum(c.raw for c in timed) / max(1e-12, sum(c.seconds[key] for c in timed)) / 1e6


def speed_rows(columns: Sequence[Column]) -> list[tuple[str, str, str, str, str, str, str]]:
    """(what, ours MB/s, pcodec MB/s, ratio of these, mean over all, over large, worst column)"""
    rows = []
    for what, (ours, theirs) in SPEEDS.items():
        ratios = [(r, c) for c in columns if (r := _speed(c, what)) is not None]
        if not ratios:
            continue
        mine, other = throughput(columns, ours), throughput(columns, theirs)
        large = geometric_mean(r for r, c in ratios if c.raw >= LARGE)
        worst, where = min(ratios, key=lambda pair: pair[0])
        rows.append((what, f"{mine:.0f}", f"{other:.0f}", f"{mine / other:.2f}",
                     _ratio(geometric_mean(r for r, _ in ratios)), _ratio(large),
                     f"{worst:.2f} ({where.name})"))
    return rows


def speed_lines(columns: Sequence[Column]) -> list[str]:
    lines = []
    for what, mine, other, total, mean, large, worst in speed_rows(columns):
        lines.append(f"{what}: ours {mine} MB/s, pcodec {other} MB/s, ratio {total}; geometric "
                     f"mean over columns {mean}, over those of 1 MB and more {large or 'none'}, "
                     f"worst {worst}")
    for what in ("compress", "decompress"):
        if any(f"{what}.zstd" in column.seconds for column in columns):
            lines.append(f"{what}: zstd {throughput(columns, what + '.zstd'):.0f} MB/s")
    return lines


def cpu_name() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def setting_line(plan: Plan, place: str) -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in ("pcodec", "zstandard"))
    rounds = "sizes only" if plan.only_size else f"best of at least {plan.rounds} rounds"
    kept = "fresh memory" if plan.fresh else "warm memory"
    return (f"{place}; level {plan.level}; zstd level 3; one thread; {rounds}; {kept} for ours; "
            f"{packages}; {cpu_name()}")


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _markdown_column(column: Column) -> list[str]:
    mb_per_s = []
    for key in ("compress.ours", "decompress.ours"):
        seconds = column.seconds.get(key)
        mb_per_s.append(f"{column.raw / seconds / 1e6:.0f}" if seconds else "")
    ratios = [_ratio(_speed(column, what)) for what in SPEEDS]
    return [column.name, column.type, f"{column.raw / 1e6:.2f}",
            _ratio(column.raw / max(1, column.sizes.get("ours", 0))),
            _ratio(column.size_ratio("pcodec"), 3), mb_per_s[0], ratios[0], mb_per_s[1],
            *ratios[1:]]


def markdown(columns: Sequence[Column], plan: Plan, place: str) -> str:
    """The figures section of docs/benchmarks.md."""
    lines = [setting_line(plan, place) + ".", ""]
    lines += [f"* {line}" for line in size_lines(columns)] + [""]
    if not plan.only_size:
        lines += [_row(["", "ours MB/s", "pcodec MB/s", "ratio", "mean ratio, all columns",
                        "mean ratio, 1 MB and more", "worst column"]), _row(["---"] * 7)]
        lines += [_row(row) for row in speed_rows(columns)] + [""]
    titles = ["column", "type", "MB", "raw / ours", "size, ours / pcodec", "compress MB/s",
              "ours / pcodec", "decompress MB/s", "ours / pcodec", "same on pcodec's file"]
    lines += [_row(titles), _row(["---"] * len(titles))]
    lines += [_row(_markdown_column(column)) for column in columns]
    return "\n".join(lines)
