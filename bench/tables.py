#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares folders of numpact with Parquet, as pyarrow, polars and duckdb read it, and Feather, on
whole tables: bytes, and times to write, to read all, one column, 1,000 rows, the rows that meet a
filter, and sums of groups.

Everything that is read is compared with the source before it is timed, bit by bit. All formats then
take turns in the same rounds. docs/benchmarks/tables.md explains the figures; with
--csv docs/benchmarks/data it is written anew, as is the table of the README. Exits with 1 if
something was not equal.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import table_report
from columns import default_folder
from report import cpu_name, markdown_table, plain_table
from result_tables import write_csv
from rounds import Action, best_of_rounds
from table_memory import peaks
from table_report import TASKS, Result
from table_sources import MADE, TABLES, Query, Source, comparable, difference, expression, load

import numpact

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
            one.prepare(self._source.table)
        writing, _ = best_of_rounds({one.name: self._writer(one) for one in self._formats},
                                    min(rounds, WRITE_ROUNDS), 0)
        paths = {one.name: self._new_path(one) for one in self._formats}
        actions: dict[str, Action] = {}
        for one in self._formats:
            one.write(self._source.table, paths[one.name])
            for reader in one.readers:
                tasks = self._tasks(reader, paths[one.name])
                if self._check(one, reader, tasks):
                    actions |= {f"{one.name} {task} {reader.name}": tasks[task] for task in tasks}
        times, _ = best_of_rounds(actions, rounds, seconds)
        results = [self._result(one, threads, paths[one.name], writing[one.name], times)
                   for one in self._formats]
        for path in self._folder.iterdir():
            remove(path)
        return results

    def _new_path(self, one: TableFormat) -> Path:
        self._written += 1
        return self._folder / f"{self._written}-{one.name}.{one.name.partition('-')[0]}"

    def _writer(self, one: TableFormat) -> Action:
        """Each call writes under a new name: nothing is replaced."""
        return lambda: one.write(self._source.table, self._new_path(one))

    def _tasks(self, reader: Reader, path: Path) -> dict[str, Action]:
        source = self._source
        first, stop = source.middle

        def every_column() -> list[pa.Table]:
            return [reader.read(path, [name]) for name in source.table.column_names]

        def filtered(query: Query) -> Action:
            return lambda: reader.filtered(path, query)

        tasks: dict[str, Action] = {
            "read": lambda: reader.read(path), "column": every_column,
            "rows": lambda: reader.rows(path, first, stop)}
        tasks |= {name: filtered(query) for name, query in source.queries.items()}
        if source.group[0] and type(reader) is not FeatherReader:
            tasks["group"] = lambda: reader.grouped(path, *source.group)
        return {name: tasks[name] for name in reader.tasks or tasks if name in tasks}

    def _check(self, one: TableFormat, reader: Reader, tasks: dict[str, Action]) -> bool:
        """Compares everything that will be timed with the table in memory. A reader of Parquet that
        cannot read a table, or has not all its types, is left out."""
        place = f"{self._source.name}, {one.name}, {reader.name}"
        try:
            faults = [f"{place}, {fault}" for fault in self._faults(tasks)]
        except Exception as error:  # of any package
            if not one.name.startswith("parquet"):
                raise
            faults = [f"{place}: {error}"]
        if faults and one.name.startswith("parquet"):
            print(f"left out: {faults[0]}", file=sys.stderr)
        else:
            self.failures += faults
        return not faults

    def _faults(self, tasks: dict[str, Action]) -> list[str]:
        table = self._source.table
        first, stop = self._source.middle
        expected = {"read": table, "rows": table.slice(first, stop - first)}
        expected |= {name: selected(table, query)
                     for name, query in self._source.queries.items()}
        faults = []
        for task, part in expected.items():
            if task not in tasks:
                continue
            if fault := difference(comparable(tasks[task](), part.schema), comparable(part)):
                faults.append(f"{task}: {fault}")
        columns = tasks["column"]() if "column" in tasks else []
        for name, column in zip(table.column_names, columns, strict=False):
            part = table.select([name])
            if fault := difference(comparable(column, part.schema), comparable(part)):
                faults.append(fault)
        if "group" in tasks:
            groups, different = tasks["group"](), table[self._source.group[0]].unique()
            if groups.num_rows != len(different):
                faults.append("group: other keys")
        return faults

    def _result(self, one: TableFormat, threads: int, path: Path, write: float,
                times: dict[str, float]) -> Result:
        table = self._source.table
        best: dict[str, float] = {"write": write}
        for name, seconds in times.items():
            found, task, _ = name.split(" ")
            if found == one.name:
                best[task] = min(best.get(task, seconds), seconds)
        if "column" in best:
            best["column"] /= table.num_columns
        return Result(self._source.name, table.num_rows, table.num_columns, one.name, threads,
                      stored_bytes(path),
                      {task: best[task] * 1e3 for task in TASKS if task in best})


def selected(table: pa.Table, query: Query) -> pa.Table:
    found = table.filter(expression(query.conditions, table.schema))
    return found.select(query.columns) if query.columns else found


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE",
                        help=f"Parquet files, or names of {', '.join(TABLES)} (default: those of "
                             "these that are there)")
    parser.add_argument("--formats", default="", metavar="REGEX", help="only names that match")
    parser.add_argument("--threads", type=int, default=1, metavar="N",
                        help="how many each call may use (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="at least this many for each table")
    parser.add_argument("--seconds", type=float, default=10,
                        help="small tables get more rounds, for so long")
    parser.add_argument("--folder", type=Path, default=TMPFS if TMPFS.is_dir() else None,
                        help="where files are written (default: %(default)s, which is memory)")
    parser.add_argument("--only-size", action="store_true",
                        help="bytes without timing, also of formats that are too slow for it")
    parser.add_argument("--memory", action="store_true",
                        help="peak memory of numpact's tasks, in processes of their own, instead")
    parser.add_argument("--csv", type=Path, metavar="FOLDER",
                        help="write tables.csv; in docs/benchmarks/data, also the documents")
    return parser.parse_args()


ARGUMENTS = parse_arguments()
os.environ["POLARS_MAX_THREADS"] = str(ARGUMENTS.threads)  # which polars reads when it is loaded
from table_formats import (  # noqa: E402
    FeatherReader,
    Reader,
    TableFormat,
    every_format,
    formats_of_sizes,
    remove,
    stored_bytes,
    versions,
)


def chosen_tables(words: Sequence[str]) -> list[Path]:
    place = default_folder()
    known = [path for name in TABLES
             if (path := place / f"{name}.parquet").is_file() or name in MADE]
    return [place / f"{word}.parquet" if word in TABLES else Path(word)
            for word in words] or known


def progress(source: Source) -> None:
    table = source.table
    shares = (f"{name} {selected(table, query).num_rows / table.num_rows:.2%}"
              for name, query in source.queries.items())
    print(f"{source.name}: {table.num_rows:,} rows, {table.num_columns} columns; filters keep "
          f"{', '.join(shares)}", file=sys.stderr, flush=True)


def measure(arguments: argparse.Namespace, formats: Sequence[TableFormat]
            ) -> tuple[list[Result], list[str]]:
    """The results, and what was not equal."""
    results, failures = [], []
    for path in chosen_tables(arguments.tables):
        source = load(path)
        progress(source)
        with tempfile.TemporaryDirectory(prefix="numpact-bench-", dir=arguments.folder) as folder:
            bench = Bench(source, formats, Path(folder))
            results += bench.run(arguments.threads, arguments.rounds, arguments.seconds)
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
                one.set_threads(arguments.threads)
                one.prepare(source.table)
                one.write(source.table, path)
                sizes[source.name][one.name] = stored_bytes(path)
                found = comparable(one.readers[0].read(path), source.table.schema)
                if fault := difference(found, comparable(source.table)):
                    failures.append(f"NOT EQUAL: {source.name}, {one.name}: {fault}")
    if not sizes:
        sys.exit("tables: nothing to measure")
    print("\n".join(markdown_table(*table_report.size_rows(sizes))))
    print(f"\n{versions(formats)}")
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


def print_memory(arguments: argparse.Namespace) -> int:
    rows = []
    for source in map(load, chosen_tables(arguments.tables)):
        with tempfile.TemporaryDirectory(prefix="numpact-bench-", dir=arguments.folder) as folder:
            path = Path(folder, "t")
            numpact.write_table(source.table, path, threads=arguments.threads)
            for task, mib in peaks(path, source.queries["by_time"], arguments.threads).items():
                rows.append([source.name, task, f"{mib:.0f}", f"{source.table.nbytes >> 20:,}"])
    print("\n".join(markdown_table(["table", "task", "peak, MiB", "table in memory, MiB"], rows)))
    return 0


def main() -> int:
    arguments = ARGUMENTS
    if arguments.memory:
        return print_memory(arguments)
    if arguments.only_size:
        return print_sizes(arguments)
    formats = [one for one in every_format() if re.search(arguments.formats, one.name)]
    try:
        results, failures = measure(arguments, formats)
    except (OSError, ValueError, numpact.Error) as error:
        sys.exit(f"tables: {error}")
    if not results:
        sys.exit("tables: nothing to measure")
    setting = f"{versions(formats)}; best of at least {arguments.rounds} rounds; {cpu_name()}"
    print(f"\n{arguments.threads} thread{'s' if arguments.threads > 1 else ''}, "
          f"{table_report.RATIO_TEXT}")
    print("\n".join(plain_table(*table_report.table_rows(results, arguments.threads))))
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
