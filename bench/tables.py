#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares folders of numpact with Parquet and Feather on whole tables: bytes, and times to write,
to read all, one column, 1,000 rows, and the rows that meet a filter.

Everything that is read is compared with the source before it is timed, bit by bit. All formats then
take turns in the same rounds. docs/benchmarks/tables.md explains the figures; with
--csv docs/benchmarks/data it is written anew, as is the table of the README. Exits with 1 if
something was not equal.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpact
import table_report
from columns import default_folder
from report import cpu_name, markdown_table, plain_table
from result_tables import write_csv
from rounds import Action, best_of_rounds
from table_formats import TableFormat, every_format, formats_of_sizes, remove, stored_bytes
from table_report import TASKS, Result
from table_sources import TABLES, Conditions, Source, difference, expression, load

TMPFS = Path("/dev/shm")
WRITE_ROUNDS = 2  # writing takes several times as long as everything else together


class Bench:
    """One table in all formats, in a folder of its own."""

    def __init__(self, source: Source, formats: Sequence[TableFormat], folder: Path):
        self._source = source
        self._formats = formats
        self._folder = folder
        self._written = 0
        self.failures: list[str] = []

    def run(self, threads: int, rounds: int, seconds: float) -> list[Result]:
        for one in self._formats:
            one.set_threads(threads)
        writing, _ = best_of_rounds({one.name: self._writer(one) for one in self._formats},
                                    min(rounds, WRITE_ROUNDS), 0)
        paths = {one.name: self._new_path(one) for one in self._formats}
        for one in self._formats:
            one.write(self._source.table, paths[one.name])
            self._check(one, paths[one.name], threads)
        actions = {f"{one.name}.{task}": action for one in self._formats
                   for task, action in self._actions(one, paths[one.name]).items()}
        times, _ = best_of_rounds(actions, rounds, seconds)
        results = [self._result(one, threads, paths[one.name], writing[one.name], times)
                   for one in self._formats]
        for path in self._folder.iterdir():
            remove(path)
        return results

    def _new_path(self, one: TableFormat) -> Path:
        self._written += 1
        return self._folder / f"{self._written}-{one.name}"

    def _writer(self, one: TableFormat) -> Action:
        """Each call writes under a new name: nothing is replaced."""
        return lambda: one.write(self._source.table, self._new_path(one))

    def _parts(self, one: TableFormat, path: Path) -> dict[str, Action]:
        """The parts of a table that are read, except single columns."""
        source = self._source
        first, stop = source.middle
        return {"read": lambda: one.read(path), "rows": lambda: one.rows(path, first, stop),
                "by_time": lambda: one.filtered(path, source.by_time),
                "by_value": lambda: one.filtered(path, source.by_value)}

    def _actions(self, one: TableFormat, path: Path) -> dict[str, Action]:
        def every_column() -> None:
            for name in self._source.table.column_names:
                one.read(path, [name])

        return self._parts(one, path) | {"column": every_column}

    def _check(self, one: TableFormat, path: Path, threads: int) -> None:
        """Compares everything that will be timed with the table in memory."""
        table = self._source.table
        first, stop = self._source.middle

        def kept(conditions: Conditions) -> object:
            return table.filter(expression(conditions, table.schema))

        expected = {"read": table, "rows": table.slice(first, stop - first),
                    "by_time": kept(self._source.by_time), "by_value": kept(self._source.by_value)}
        found = {task: action() for task, action in self._parts(one, path).items()}
        for name in table.column_names:
            expected[f"column {name}"] = table.select([name])
            found[f"column {name}"] = one.read(path, [name])
        for task, part in expected.items():
            fault = difference(found[task], part)
            if fault:
                self.failures.append(f"{self._source.name}, {one.name}, {threads} threads, "
                                     f"{task}: {fault}")

    def _result(self, one: TableFormat, threads: int, path: Path, write: float,
                times: dict[str, float]) -> Result:
        table = self._source.table
        seconds = {task: times[f"{one.name}.{task}"] for task in TASKS if task != "write"}
        seconds["write"] = write
        seconds["column"] /= table.num_columns
        return Result(self._source.name, table.num_rows, table.num_columns, one.name, threads,
                      stored_bytes(path), {task: seconds[task] * 1e3 for task in TASKS})


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE",
                        help=f"Parquet files, or names of {', '.join(TABLES)} (default: those of "
                             "these that are there)")
    parser.add_argument("--formats", default="", metavar="REGEX", help="only names that match")
    parser.add_argument("--threads", default="1,2", metavar="N,M",
                        help="how many each call may use (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="at least this many for each table")
    parser.add_argument("--seconds", type=float, default=10,
                        help="small tables get more rounds, for so long")
    parser.add_argument("--folder", type=Path, default=TMPFS if TMPFS.is_dir() else None,
                        help="where files are written (default: %(default)s, which is memory)")
    parser.add_argument("--only-size", action="store_true",
                        help="bytes without timing, also of formats that are too slow for it")
    parser.add_argument("--csv", type=Path, metavar="FOLDER",
                        help="write tables.csv; in docs/benchmarks/data, also the documents")
    return parser.parse_args()


def chosen_tables(words: Sequence[str]) -> list[Path]:
    place = default_folder()
    if not words:
        return [path for name in TABLES if (path := place / f"{name}.parquet").is_file()]
    return [place / f"{word}.parquet" if word in TABLES else Path(word) for word in words]


def progress(source: Source) -> None:
    table = source.table
    shares = [table.filter(expression(c, table.schema)).num_rows / table.num_rows
              for c in (source.by_time, source.by_value)]
    names = [f"{conditions[0][0]} {share:.2%}"
             for conditions, share in zip((source.by_time, source.by_value), shares)]
    print(f"{source.name}: {table.num_rows:,} rows, {table.num_columns} columns; filters keep "
          f"{', '.join(names)}", file=sys.stderr, flush=True)


def measure(arguments: argparse.Namespace, formats: Sequence[TableFormat]
            ) -> tuple[list[Result], list[str]]:
    """The results, and what was not equal."""
    results, failures = [], []
    for path in chosen_tables(arguments.tables):
        source = load(path)
        progress(source)
        with tempfile.TemporaryDirectory(prefix="numpact-bench-", dir=arguments.folder) as folder:
            bench = Bench(source, formats, Path(folder))
            for threads in map(int, arguments.threads.split(",")):
                results += bench.run(threads, arguments.rounds, arguments.seconds)
            failures += bench.failures
    return results, failures


def print_sizes(arguments: argparse.Namespace) -> int:
    """Each table is written once in each format and read back."""
    formats = [one for one in formats_of_sizes()
               if one.name == table_report.BASE or re.search(arguments.formats, one.name)]
    sizes: dict[str, dict[str, int]] = {}
    failures = []
    for source in map(load, chosen_tables(arguments.tables)):
        sizes[source.name] = {}
        with tempfile.TemporaryDirectory(prefix="numpact-bench-", dir=arguments.folder) as folder:
            for one in formats:
                path = Path(folder, one.name)
                one.write(source.table, path)
                sizes[source.name][one.name] = stored_bytes(path)
                if fault := difference(one.read(path), source.table):
                    failures.append(f"NOT EQUAL: {source.name}, {one.name}: {fault}")
    if not sizes:
        sys.exit("tables: nothing to measure")
    print("\n".join(markdown_table(*table_report.size_rows(sizes))))
    print(f"\n{', '.join(dict.fromkeys(one.package for one in formats))}")
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


def main() -> int:
    arguments = parse_arguments()
    if arguments.only_size:
        return print_sizes(arguments)
    formats = [one for one in every_format() if re.search(arguments.formats, one.name)]
    try:
        results, failures = measure(arguments, formats)
    except (OSError, ValueError, numpact.Error) as error:
        sys.exit(f"tables: {error}")
    if not results:
        sys.exit("tables: nothing to measure")
    packages = ", ".join(dict.fromkeys(one.package for one in formats))
    setting = f"{packages}; best of at least {arguments.rounds} rounds; {cpu_name()}"
    for threads in dict.fromkeys(result.threads for result in results):
        print(f"\n{threads} thread{'s' if threads > 1 else ''}, {table_report.RATIO_TEXT}")
        print("\n".join(plain_table(*table_report.table_rows(results, threads))))
    print(f"\n{setting}")
    for failure in failures:
        print(f"NOT EQUAL: {failure}", file=sys.stderr)
    if failures:
        return 1
    if arguments.csv:
        write_csv(arguments.csv / "tables.csv", table_report.CSV_TITLES,
                  map(table_report.csv_cells, results))
        if arguments.csv.resolve() == table_report.DATA:
            # From what is stored: its figures are rounded.
            stored = table_report.read_results(arguments.csv)
            table_report.write_documents(stored, setting)
    return 0


if __name__ == "__main__":
    sys.exit(main())
