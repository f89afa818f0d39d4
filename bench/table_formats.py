# SPDX-License-Identifier: Apache-2.0
"""Formats of tables, each with what the benchmark times: write, read, parts of a table."""

from __future__ import annotations

import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import duckdb
import numpact
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.feather as feather
import pyarrow.ipc
import pyarrow.parquet as pq
from table_sources import Query, expression, is_number

GROUPS = {"64K": 1 << 16, "1M": 1 << 20}  # rows of Parquet's row groups
DAY = "%Y-%m-%d %H:%M:%S.%f%z"


class Reader(ABC):
    """Reads files or folders of a format, each time anew, to tables of Arrow. `threads` bounds the
    threads of each call; those of polars are set before it is loaded."""

    def __init__(self, name: str, tasks: tuple[str, ...] = ()):
        self.name = name
        self.tasks = tasks  # that it has; none: all
        self.threads = 1

    def set_threads(self, threads: int) -> None:
        self.threads = threads

    @abstractmethod
    def read(self, path: Path, columns: list[str] | None = None) -> pa.Table:
        """The whole table, or some columns of it."""

    @abstractmethod
    def rows(self, path: Path, first: int, stop: int) -> pa.Table: ...

    @abstractmethod
    def filtered(self, path: Path, query: Query) -> pa.Table: ...

    def grouped(self, path: Path, key: str, value: str) -> pa.Table:
        """The sum of a column for each value of another."""
        raise NotImplementedError


class Folders(Reader):
    """Folders of numpact; groups are those of pyarrow, over the dataset of an open table, in which
    text that repeats is a dictionary."""

    def read(self, path: Path, columns: list[str] | None = None) -> pa.Table:
        return numpact.read_table(path, columns=columns, threads=self.threads).to_arrow()

    def rows(self, path: Path, first: int, stop: int) -> pa.Table:
        return numpact.read_table(path, rows=(first, stop), threads=self.threads).to_arrow()

    def filtered(self, path: Path, query: Query) -> pa.Table:
        return numpact.read_table(path, query.columns, where=query.conditions,
                                  threads=self.threads).to_arrow()

    def dataset(self, path: Path) -> ds.Dataset:
        return numpact.open_table(path, threads=self.threads).dataset()

    def grouped(self, path: Path, key: str, value: str) -> pa.Table:
        table = self.dataset(path).to_table(columns=[key, value])
        return table.group_by(key, use_threads=self.threads > 1).aggregate([(value, "sum")])


class FoldersByPolars(Folders):
    """Their groups by polars."""

    def grouped(self, path: Path, key: str, value: str) -> pa.Table:
        return polars_groups(numpact.scan_table(path, threads=self.threads), key, value)


class FoldersByDuckDB(Folders):
    """Their groups by DuckDB."""

    def set_threads(self, threads: int) -> None:
        super().set_threads(threads)
        self._connection = duckdb.connect(config={"threads": threads})

    def grouped(self, path: Path, key: str, value: str) -> pa.Table:
        with self._connection.cursor() as cursor:
            cursor.register("folder", self.dataset(path))
            return cursor.sql(f'SELECT "{key}", sum("{value}") FROM folder '
                              f'GROUP BY 1 ORDER BY 1').to_arrow_table()


def polars_groups(frame: pl.LazyFrame, key: str, value: str) -> pa.Table:
    return frame.group_by(key).agg(pl.col(value).sum()).sort(key).collect().to_arrow()


class PyArrow(Reader):
    """Rows by the row groups that have them, from a mapped file without `pre_buffer`, the fastest
    setting for local files; filters by pyarrow.dataset, which leaves out row groups by their
    statistics."""

    def set_threads(self, threads: int) -> None:
        super().set_threads(threads)
        pa.set_cpu_count(threads)

    @property
    def several(self) -> bool:
        return self.threads > 1

    def _open(self, path: Path) -> pq.ParquetFile:
        return pq.ParquetFile(path, memory_map=True, pre_buffer=False)

    def read(self, path: Path, columns: list[str] | None = None) -> pa.Table:
        with self._open(path) as file:
            return file.read(columns=columns, use_threads=self.several)

    def rows(self, path: Path, first: int, stop: int) -> pa.Table:
        with self._open(path) as file:
            size = file.metadata.row_group(0).num_rows
            groups = list(range(first // size, (stop - 1) // size + 1))
            table = file.read_row_groups(groups, use_threads=self.several)
            return table.slice(first - groups[0] * size, stop - first)

    def filtered(self, path: Path, query: Query) -> pa.Table:
        dataset = ds.dataset(path, format="parquet")
        return dataset.to_table(columns=query.columns,
                                filter=expression(query.conditions, dataset.schema),
                                use_threads=self.several)

    def grouped(self, path: Path, key: str, value: str) -> pa.Table:
        table = self.read(path, [key, value])
        return table.group_by(key, use_threads=self.several).aggregate([(value, "sum")])


class Polars(Reader):
    def read(self, path: Path, columns: list[str] | None = None) -> pa.Table:
        return pl.read_parquet(path, columns=columns).to_arrow()

    def rows(self, path: Path, first: int, stop: int) -> pa.Table:
        return pl.scan_parquet(path).slice(first, stop - first).collect().to_arrow()

    def filtered(self, path: Path, query: Query) -> pa.Table:
        found = pl.scan_parquet(path).filter(*map(self._test, query.conditions))
        if query.columns:
            found = found.select(query.columns)
        return found.collect().to_arrow()

    @staticmethod
    def _test(condition: tuple[str, str, object]) -> pl.Expr:
        name, operator, value = condition
        column = pl.col(name)
        return (column >= value if operator == ">=" else
                column < value if operator == "<" else column == value)

    def grouped(self, path: Path, key: str, value: str) -> pa.Table:
        return polars_groups(pl.scan_parquet(path), key, value)


class DuckDB(Reader):
    def set_threads(self, threads: int) -> None:
        super().set_threads(threads)
        self._connection = duckdb.connect(config={"threads": threads})

    def _ask(self, columns: Sequence[str] | None, path: Path, rest: str) -> pa.Table:
        names = ", ".join(f'"{name}"' for name in columns) if columns else "*"
        return self._connection.sql(f"SELECT {names} FROM '{path}' {rest}").to_arrow_table()

    def read(self, path: Path, columns: list[str] | None = None) -> pa.Table:
        return self._ask(columns, path, "")

    def rows(self, path: Path, first: int, stop: int) -> pa.Table:
        return self._ask(None, path, f"LIMIT {stop - first} OFFSET {first}")

    def filtered(self, path: Path, query: Query) -> pa.Table:
        schema = pq.read_schema(path)
        tests = (f'"{name}" {operator} {self._literal(value, schema.field(name).type)}'
                 for name, operator, value in query.conditions)
        return self._ask(query.columns, path, f"WHERE {' AND '.join(tests)}")

    @staticmethod
    def _literal(value: object, kind: pa.DataType) -> str:
        if not pa.types.is_timestamp(kind):
            return f"'{value}'" if isinstance(value, str) else repr(value)
        text = f"'{value.strftime(DAY)}'"
        is_ns = kind.unit == "ns"
        if kind.tz:
            return f"{text}::TIMESTAMPTZ{'::TIMESTAMPTZ_NS' if is_ns else ''}"
        return f"{text}::TIMESTAMP{'_NS' if is_ns else ''}"

    def grouped(self, path: Path, key: str, value: str) -> pa.Table:
        return self._connection.sql(f'SELECT "{key}", sum("{value}") FROM \'{path}\' '
                                    f'GROUP BY 1 ORDER BY 1').to_arrow_table()


class FeatherReader(PyArrow):
    """Rows by the batches that have them, from a mapped file. There are no statistics for
    filters."""

    BATCH_ROWS = 1 << 16  # pyarrow's default

    def read(self, path: Path, columns: list[str] | None = None) -> pa.Table:
        return feather.read_table(path, columns=columns, use_threads=self.several,
                                  memory_map=True)

    def rows(self, path: Path, first: int, stop: int) -> pa.Table:
        options = pa.ipc.IpcReadOptions(use_threads=self.several)
        with pa.memory_map(str(path)) as source, pa.ipc.open_file(source, options=options) as file:
            begin, end = first // self.BATCH_ROWS, (stop - 1) // self.BATCH_ROWS + 1
            table = pa.Table.from_batches([file.get_batch(i) for i in range(begin, end)])
        return table.slice(first - begin * self.BATCH_ROWS, stop - first)

    def filtered(self, path: Path, query: Query) -> pa.Table:
        dataset = ds.dataset(path, format="feather")
        return dataset.to_table(columns=query.columns,
                                filter=expression(query.conditions, dataset.schema),
                                use_threads=self.several)


class TableFormat(ABC):
    """A way to keep a table, and who reads it: the best of them counts."""

    name: str
    packages: tuple[str, ...]
    readers: tuple[Reader, ...] = ()

    def __init__(self) -> None:
        self.threads = 1

    def set_threads(self, threads: int) -> None:
        self.threads = threads
        for reader in self.readers:
            reader.set_threads(threads)

    def prepare(self, table: pa.Table) -> None:
        """What the user of the format decides for a table."""

    @abstractmethod
    def write(self, table: pa.Table, path: Path) -> None:
        """Makes a new file or folder."""


class Numpact(TableFormat):
    def __init__(self, level: int):
        super().__init__()
        self._level = level
        self.name = f"numpact-{level}"
        self.packages = ("numpact",)
        self.readers = (Folders("numpact"), FoldersByPolars("polars", ("group",)),
                        FoldersByDuckDB("duckdb", ("group",)))

    def write(self, table: pa.Table, path: Path) -> None:
        numpact.write_table(table, path, level=self._level, threads=self.threads)


class Parquet(TableFormat):
    """One file, zstd, all else as pyarrow has it: dictionaries, statistics, pages of 1 MiB."""

    packages = ("pyarrow", "polars", "duckdb")

    def __init__(self, level: int, group: str):
        super().__init__()
        self._level, self._rows = level, GROUPS[group]
        self.name = f"parquet-zstd-{level}-{group}"
        self.readers = (PyArrow("pyarrow"), Polars("polars"), DuckDB("duckdb"))

    def write(self, table: pa.Table, path: Path) -> None:
        pq.write_table(table, path, compression="zstd", compression_level=self._level,
                       row_group_size=self._rows)


class ParquetChosen(Parquet):
    """For each column the smallest of pyarrow's encodings, which are found by writing the column in
    each of them, before the time of writing is taken."""

    ENCODINGS = ("dict", "PLAIN", "DELTA_BINARY_PACKED", "DELTA_BYTE_ARRAY",
                 "DELTA_LENGTH_BYTE_ARRAY", "BYTE_STREAM_SPLIT")

    def __init__(self, level: int, group: str = "1M"):
        super().__init__(level, group)
        self.name = f"parquet-zstd-{level}-chosen"
        self._chosen: dict[str, str] = {}

    def prepare(self, table: pa.Table) -> None:
        self._chosen = {name: self._smallest(table.select([name])) for name in table.column_names}

    def write(self, table: pa.Table, path: Path) -> None:
        self._write(table, path, self._chosen)

    def _write(self, table: pa.Table, target: Path | pa.NativeFile, chosen: dict[str, str]) -> None:
        dictionaries = [name for name, encoding in chosen.items() if encoding == "dict"]
        others = {name: encoding for name, encoding in chosen.items() if encoding != "dict"}
        pq.write_table(table, target, compression="zstd", compression_level=self._level,
                       row_group_size=self._rows, use_dictionary=dictionaries,
                       column_encoding=others or None)

    def _smallest(self, column: pa.Table) -> str:
        sizes = {}
        for encoding in self.ENCODINGS:
            if encoding == "BYTE_STREAM_SPLIT" and not is_number(column.field(0).type):
                continue  # polars does not read it for decimals
            sink = pa.BufferOutputStream()
            try:
                self._write(column, sink, {column.column_names[0]: encoding})
            except OSError:
                continue  # not an encoding for this type
            sizes[encoding] = sink.getvalue().size
        return min(sizes, key=sizes.__getitem__)


class VortexReader(Reader):
    """Only whole tables. Text is read as string views: it is cast back."""

    def __init__(self, vortex: object):
        super().__init__("vortex")
        self._vortex = vortex

    def read(self, path: Path, columns: list[str] | None = None) -> pa.Table:
        return self._vortex.open(str(path)).to_arrow().read_all()

    def rows(self, path: Path, first: int, stop: int) -> pa.Table:
        raise NotImplementedError

    def filtered(self, path: Path, query: Query) -> pa.Table:
        raise NotImplementedError


class VortexCompact(TableFormat):
    """A Vortex file of the smallest encodings. Only for sizes."""

    name = "vortex-compact"
    packages = ("vortex-data",)

    def __init__(self) -> None:
        import vortex
        import vortex.io

        super().__init__()
        self._options = vortex.io.VortexWriteOptions.compact()
        self.readers = (VortexReader(vortex),)

    def write(self, table: pa.Table, path: Path) -> None:
        self._options.write(table, str(path))


class Feather(TableFormat):
    """One file of Arrow IPC, zstd at pyarrow's level, record batches of 64K rows."""

    name = "feather-zstd"
    packages = ("pyarrow",)

    def __init__(self) -> None:
        super().__init__()
        self.readers = (FeatherReader("pyarrow"),)

    def write(self, table: pa.Table, path: Path) -> None:
        feather.write_feather(table, path, compression="zstd",
                              chunksize=FeatherReader.BATCH_ROWS)


def every_format() -> list[TableFormat]:
    return [Numpact(8), Numpact(4), Parquet(3, "1M"), Parquet(3, "64K"), ParquetChosen(9),
            Feather()]


def formats_of_sizes() -> list[TableFormat]:
    """With those that are too slow, or read too little, to be timed; Vortex where it is there."""
    formats = [*every_format(), ParquetChosen(19)]
    try:
        formats.append(VortexCompact())
    except ImportError:
        print("skipped vortex-compact: pip install -r bench/requirements.txt", file=sys.stderr)
    return formats


def versions(formats: Sequence[TableFormat]) -> str:
    names = dict.fromkeys(name for one in formats for name in one.packages)
    return ", ".join(f"{name} {version(name)}" for name in names)


def stored_bytes(path: Path) -> int:
    """Bytes of a file, or of all files of a folder."""
    files = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
    return sum(file.stat().st_size for file in files)


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
