# SPDX-License-Identifier: Apache-2.0
"""Tables and sums of what was measured."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from goals import LARGE, Standing, geometric_mean, goal_lines
from measure import Column, Plan
from peer_codecs import Codec

NOTABLE = 1.01  # size ratio over which a column is counted

# what: (keys of our time and pcodec's)
SPEEDS = {
    "compress": ("compress.ours", "compress.pcodec"),
    "decompress, own files": ("decompress.ours", "decompress.pcodec"),
    "decompress, pcodec's files": ("cross.ours", "decompress.pcodec"),
    "decompress, our files": ("decompress.ours", "cross.pcodec"),
}
SAME_FILE = {"pcodec's files": "decompress, pcodec's files", "our files": "decompress, our files"}
MEMCPY = "decompress.memcpy"


def _ratio(value: float | None, digits: int = 2) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def _speed(column: Column, what: str) -> float | None:
    return column.speed_ratio(*SPEEDS[what])


def _of_memcpy(column: Column, what: str) -> float | None:
    return column.speed_ratio(SPEEDS[what][0], MEMCPY)


@dataclass(frozen=True)
class Field:
    title: str
    width: int
    text: Callable[[Column], str]
    timed: bool = False


def _size(name: str) -> Callable[[Column], str]:
    return lambda column: str(column.sizes.get(name, ""))


def _speed_field(title: str, what: str) -> Field:
    return Field(title, 6, lambda column: _ratio(_speed(column, what)), timed=True)


def _memcpy_field(title: str, what: str) -> Field:
    return Field(title, 6, lambda column: _percent(_of_memcpy(column, what)), timed=True)


FIELDS = [
    Field("column", -44, lambda c: c.name),
    Field("type", -4, lambda c: c.type),
    Field("numbers", 9, lambda c: str(c.count)),
    Field("raw", 10, lambda c: str(c.raw)),
    Field("pcodec", 10, _size("pcodec")),
    Field("ours", 10, _size("ours")),
    Field("size", 7, lambda c: _ratio(c.size_ratio("pcodec"), 4)),
    _speed_field("comp", "compress"),
    _speed_field("own", "decompress, own files"),
    _speed_field("ref", SAME_FILE["pcodec's files"]),
    _speed_field("our", SAME_FILE["our files"]),
    _memcpy_field("refcpy", SAME_FILE["pcodec's files"]),
    _memcpy_field("ourcpy", SAME_FILE["our files"]),
]

LEGEND = """\
size: ours / pcodec in bytes. comp: speed of compressing, ours / pcodec. Speed of decoding, ours /
pcodec: own: each its own file; ref: both the file that pcodec wrote; our: both the file that we
wrote. refcpy, ourcpy: our speed on these files, as a share of memcpy's. Last: modes and delta
encodings of our chunks, and pcodec's where they differ."""


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


def _peers_of(columns: Sequence[Column]) -> list[str]:
    """All codecs but ours that made files, in order."""
    return [name for name in dict.fromkeys(n for c in columns for n in c.sizes) if name != "ours"]


def size_lines(columns: Sequence[Column]) -> list[str]:
    raw = sum(c.raw for c in columns)
    ours = sum(c.sizes.get("ours", 0) for c in columns)
    lines = [f"raw {raw}, ours {ours}: {raw / max(1, ours):.4f} to 1"]
    for peer in _peers_of(columns):
        both = [c for c in columns if peer in c.sizes and "ours" in c.sizes]
        other = sum(c.sizes[peer] for c in both)
        mine = sum(c.sizes["ours"] for c in both)
        lines.append(f"{peer} {other}: ours / {peer} = {mine / max(1, other):.5f}")
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
    return [f"{what}: ours {mine} MB/s, pcodec {other} MB/s, ratio {total}; geometric mean over "
            f"columns {mean}, over those of 1 MB and more {large or 'none'}, worst {worst}"
            for what, mine, other, total, mean, large, worst in speed_rows(columns)]


def standings(columns: Sequence[Column], what: str) -> list[Standing]:
    """The large columns, decoding the same file with both."""
    return [Standing(c.name, ratio, _of_memcpy(c, what)) for c in columns
            if c.raw >= LARGE and (ratio := _speed(c, what)) is not None]


def decode_goal_lines(columns: Sequence[Column]) -> list[str]:
    lines = []
    for files, what in SAME_FILE.items():
        title = f"decoding {files}, columns of {LARGE} bytes and more"
        lines += goal_lines(title, standings(columns, what))
    return lines


@dataclass(frozen=True)
class CodecMeans:
    """Geometric means over the columns that a codec could do."""

    name: str
    columns: int
    ratio: float | None  # raw / compressed
    compress: float | None  # MB/s
    decompress: float | None
    memcpy: float | None  # share of memcpy's speed
    ours: float | None  # how many times as fast ours decodes


def _rate(column: Column, key: str) -> float | None:
    seconds = column.seconds.get(key)
    return column.raw / seconds / 1e6 if seconds else None


def codec_means(columns: Sequence[Column]) -> list[CodecMeans]:
    names = dict.fromkeys(key.split(".", 1)[1] for c in columns for key in c.seconds)
    means = []
    for name in names:
        compress, decompress = f"compress.{name}", f"decompress.{name}"
        timed = [c for c in columns if decompress in c.seconds]
        means.append(CodecMeans(
            name, len(timed), geometric_mean(c.compression_ratio(name) for c in timed),
            geometric_mean(_rate(c, compress) for c in timed),
            geometric_mean(_rate(c, decompress) for c in timed),
            geometric_mean(c.speed_ratio(decompress, MEMCPY) for c in timed),
            geometric_mean(c.speed_ratio("decompress.ours", decompress) for c in timed)))
    return means


CODEC_TITLES = ["codec", "columns", "raw / compressed", "compress MB/s", "decompress MB/s",
                "of memcpy", "ours / this"]


def codec_rows(columns: Sequence[Column]) -> list[list[str]]:
    return [[m.name, str(m.columns), _ratio(m.ratio), _ratio(m.compress, 0),
             _ratio(m.decompress, 0), _percent(m.memcpy), _ratio(m.ours)]
            for m in codec_means(columns)]


def codec_lines(columns: Sequence[Column]) -> list[str]:
    rows = codec_rows(columns)
    if not rows:
        return []
    lines = ["each codec on its own files, geometric means over columns; the last: speed of "
             "decompressing, ours / the codec's"]
    return lines + ["  " + line for line in plain_table(CODEC_TITLES, rows)]


def cpu_name() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def setting_line(plan: Plan, place: str, codecs: Sequence[Codec]) -> str:
    packages = ", ".join(dict.fromkeys(codec.package for codec in codecs if codec.package))
    rounds = "sizes only" if plan.only_size else f"best of at least {plan.rounds} rounds"
    kept = "fresh memory" if plan.fresh else "warm memory"
    threads = "one thread" if plan.threads == 1 else f"{plan.threads} threads"
    target = f"NUMPACT_TARGET={plan.target}; " if plan.target else ""
    return (f"{place}; level {plan.level}; {threads}; {target}{rounds}; {kept} for ours; "
            f"{packages}; {cpu_name()}")


def plain_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines in columns: the first to the left, the others to the right."""
    widths = [max(map(len, cells)) for cells in zip(titles, *rows)]
    return ["  ".join(_pad(c, w if i else -w)
                      for i, (c, w) in enumerate(zip(cells, widths))).rstrip()
            for cells in [titles, *rows]]


def markdown_row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def markdown_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [markdown_row(titles), markdown_row(["---"] * len(titles)), *map(markdown_row, rows)]


def column_cells(column: Column) -> list[str]:
    rates = [_ratio(_rate(column, key), 0) for key in ("compress.ours", "decompress.ours")]
    same = [text for what in SAME_FILE.values()
            for text in (_ratio(_speed(column, what)), _percent(_of_memcpy(column, what)))]
    return [column.name, column.type, f"{column.raw / 1e6:.2f}",
            _ratio(column.compression_ratio("ours")), _ratio(column.size_ratio("pcodec"), 3),
            rates[0], _ratio(_speed(column, "compress")), rates[1],
            _ratio(_speed(column, "decompress, own files")), *same]


def markdown(columns: Sequence[Column], plan: Plan, place: str, codecs: Sequence[Codec]) -> str:
    """The tables of docs/benchmarks/columns.md."""
    lines = [setting_line(plan, place, codecs) + ".", ""]
    lines += [f"* {line}" for line in size_lines(columns)] + [""]
    if not plan.only_size:
        lines += markdown_table(["", "ours MB/s", "pcodec MB/s", "ratio",
                                 "mean ratio, all columns", "mean ratio, 1 MB and more",
                                 "worst column"], speed_rows(columns)) + [""]
        goals = decode_goal_lines(columns)
        lines += ["```text", *goals, "```", ""] if goals else []
        lines += markdown_table(CODEC_TITLES, codec_rows(columns)) + [""]
    titles = ["column", "type", "MB", "raw / ours", "size, ours / pcodec", "compress MB/s",
              "ours / pcodec", "decompress MB/s", "ours / pcodec", "on pcodec's file",
              "of memcpy", "on our file", "of memcpy"]
    lines += markdown_table(titles, map(column_cells, columns))
    return "\n".join(lines)
