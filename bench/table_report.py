# SPDX-License-Identifier: Apache-2.0
"""The results of the benchmark of tables: tables.csv, and the parts of the documents that are made
from it."""

from __future__ import annotations

import csv
import datetime
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from goals import geometric_mean
from report import markdown_table

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "docs" / "benchmarks" / "data"
PAGE = ROOT / "docs" / "benchmarks" / "tables.md"
README = ROOT / "README.md"

# The timed tasks, each with its title in tables.
TASKS = {"write": "write", "read": "read all", "column": "one column", "rows": "1,000 rows",
         "narrow": "0.26 % by time", "by_time": "1 % by time", "by_value": "largest 1 %",
         "by_key": "one key", "by_both": "one key in 8 % of time", "group": "sum by key"}
CSV_TITLES = ["table", "rows", "columns", "format", "threads", "bytes",
              *(f"{task}_ms" for task in TASKS)]
BASE = "numpact-8"  # all others are divided by it
RATIO_TEXT = "as a multiple of numpact at level 8 (above 1: larger, or slower):"
README_FORMATS = ["parquet-zstd-3-1M", "parquet-zstd-3-64K", "parquet-zstd-9-chosen"]
README_THREADS = 1
MAX_COLUMNS = 100  # of a line of a document
BEGIN, END = "<!-- tables: made by ./dev bench tables -->\n", "<!-- end of tables -->\n"


@dataclass(frozen=True)
class Result:
    """One table in one format with a number of threads."""

    table: str
    rows: int
    columns: int
    format: str
    threads: int
    bytes: int
    # By task; of `column` the mean over the table's columns. Feather has no sums.
    ms: dict[str, float]


def title(name: str) -> str:
    """How documents call a format: parquet-zstd-3-1M is "Parquet, zstd 3, groups of 1M"."""
    kind, *words = name.split("-")
    if kind == "numpact":
        return f"numpact, level {words[0]}"
    if words[-1] == "chosen":
        return f"Parquet, zstd {words[1]}, chosen encodings"
    if kind == "parquet":
        return f"Parquet, zstd {words[1]}, groups of {words[2]}"
    return f"{kind.capitalize()}, {words[0]}"


def csv_cells(result: Result) -> list[str]:
    times = (f"{result.ms[task]:.3f}" if task in result.ms else "" for task in TASKS)
    return [result.table, str(result.rows), str(result.columns), result.format,
            str(result.threads), str(result.bytes), *times]


def read_results(folder: Path) -> list[Result]:
    with (folder / "tables.csv").open(newline="", encoding="utf-8") as file:
        return [Result(row["table"], int(row["rows"]), int(row["columns"]), row["format"],
                       int(row["threads"]), int(row["bytes"]),
                       {task: float(row[f"{task}_ms"]) for task in TASKS if row[f"{task}_ms"]})
                for row in csv.DictReader(file)]


def ratios(result: Result, base: Result) -> list[float | None]:
    """Bytes, then the time of each task, as multiples."""
    return [result.bytes / base.bytes,
            *(result.ms[task] / base.ms[task] if task in result.ms and task in base.ms else None
              for task in TASKS)]


def _ratio_text(value: float | None) -> str:
    """Two decimals, or one from 10 on."""
    if value is None:
        return ""
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _by_key(results: Iterable[Result], threads: int) -> dict[tuple[str, str], Result]:
    return {(r.table, r.format): r for r in results if r.threads == threads}


def mean_row(results: Iterable[Result], threads: int, name: str) -> list[str]:
    """Geometric means over the tables."""
    found = _by_key(results, threads)
    pairs = [(one, found[table, BASE]) for (table, other), one in found.items()
             if other == name and (table, BASE) in found]
    known = ([one for one in column if one is not None]
             for column in zip(*(ratios(one, base) for one, base in pairs)))
    return [title(name), *(_ratio_text(geometric_mean(one) if one else None) for one in known)]


MEAN_TITLES = ["format", "bytes", *TASKS.values()]


def mean_rows(results: Sequence[Result], threads: int) -> list[list[str]]:
    names = [name for name in dict.fromkeys(r.format for r in results) if name != BASE]
    return [mean_row(results, threads, name) for name in names]


def table_rows(results: Sequence[Result], threads: int) -> tuple[list[str], list[list[str]]]:
    """Each table by itself: what numpact needs, and the others as multiples of it."""
    found = _by_key(results, threads)
    rows = []
    for (table, name), one in found.items():
        base = found.get((table, BASE))
        if name == BASE or base is None:
            times = (f"{one.ms[task]:.1f} ms" if task in one.ms else "" for task in TASKS)
            cells = [f"{one.bytes:,}", *times]
        else:
            cells = list(map(_ratio_text, ratios(one, base)))
        rows.append([table, title(name), *cells])
    return ["table", "format", *MEAN_TITLES[1:]], rows


def size_rows(sizes: dict[str, dict[str, int]]) -> tuple[list[str], list[list[str]]]:
    """Bytes by table and format: those of numpact, then multiples and their geometric means."""
    tables = list(sizes)
    rows = [[title(BASE), "1.00", *(f"{sizes[table][BASE]:,}" for table in tables)]]
    for name in next(iter(sizes.values())):
        if name != BASE:
            multiples = [sizes[table][name] / sizes[table][BASE] for table in tables]
            rows.append([title(name), *map(_ratio_text, [geometric_mean(multiples), *multiples])])
    return ["format", "mean", *tables], rows


def _threads_text(threads: int) -> str:
    return "One thread" if threads == 1 else f"{threads} threads"


def page_tables(results: Sequence[Result]) -> str:
    """The tables of docs/benchmarks/tables.md."""
    lines = []
    counts = list(dict.fromkeys(result.threads for result in results))
    for threads in counts:
        lines += [f"{_threads_text(threads)}, geometric means over the tables:", "",
                  *markdown_table(MEAN_TITLES, mean_rows(results, threads)), ""]
    for threads in counts:
        lines += [f"{_threads_text(threads)}, table by table:", "",
                  *markdown_table(*table_rows(results, threads)), ""]
    return "\n".join(lines)


def readme_table(results: Sequence[Result]) -> str:
    """Without blanks around the bars, which would count as words of the README."""
    rows = [MEAN_TITLES, ["---"] * len(MEAN_TITLES),
            *(mean_row(results, README_THREADS, name) for name in README_FORMATS)]
    return "".join(f"|{'|'.join(row)}|\n" for row in rows)


def replace_part(path: Path, text: str) -> None:
    """Replaces the text between the two marks of a document."""
    old = path.read_text(encoding="utf-8")
    pattern = re.compile(f"(?<={re.escape(BEGIN)}).*?(?={re.escape(END)})", re.DOTALL)
    new, count = pattern.subn(lambda _: text, old)
    if count != 1:
        raise ValueError(f"{path}: has no part between {BEGIN.strip()} and {END.strip()}")
    path.write_text(new, encoding="utf-8")


def write_documents(results: Sequence[Result], setting: str) -> None:
    """The parts of the page and of the README that are made of results; `setting` names versions
    and machine."""
    day = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    command = f"`./dev bench tables --csv docs/benchmarks/data`, {day}; {setting}."
    wrapped = textwrap.fill(command, MAX_COLUMNS, break_long_words=False, break_on_hyphens=False)
    replace_part(PAGE, f"{wrapped}\n\n{page_tables(results)}")
    replace_part(README, readme_table(results))
