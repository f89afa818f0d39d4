# SPDX-License-Identifier: Apache-2.0
"""Formats of tables, each with what the benchmark times: write, read, parts of a table."""

from __future__ import annotations

import shutil
import sys
from abc import ABC, abstractmethod
from importlib.metadata import version
from pathlib import Path

import numpact
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.feather as feather
import pyarrow.ipc
import pyarrow.parquet as pq
from table_sources import Conditions, expression

GROUPS = {"64K": 1 << 16, "1M": 1 << 20}  # rows of Parquet's row groups
LEVELS = {"parquet": (3, 9), "numpact": (8, 4)}


class TableFormat(ABC):
    """A way to keep a table. `threads` bounds the threads of each call; set_threads must have set
    it for Arrow too. All calls open the file or folder anew."""

    name: str
    package: str

    def __init__(self) -> None:
        self.threads = 1

    def set_threads(self, threads: int) -> None:
        self.threads = threads
        pa.set_cpu_count(threads)

    @property
    def several(self) -> bool:
        return self.threads > 1

    @abstractmethod
    def write(self, table: pa.Table, path: Path) -> None:
        """Makes a new file or folder."""

    @abstractmethod
    def read(self, path: Path, columns: list[str] | None = None) -> pa.Table:
        """The whole table, or some columns of it."""

    @abstractmethod
    def rows(self, path: Path, first: int, stop: int) -> pa.Table: ...

    @abstractmethod
    def filtered(self, path: Path, conditions: Conditions) -> pa.Table:
        """All columns of the rows that meet the conditions."""


class Numpact(TableFormat):
    """A folder of Pco files with trailers; text is in Arrow files."""

    def __init__(self, level: int):
        super().__init__()
        self._level = level
        self.name = f"numpact-{level}"
        self.package = f"numpact {version('numpact')}"

    def write(self, table: pa.Table, path: Path) -> None:
        numpact.write_table(table, path, level=self._level, threads=self.threads)

    def read(self, path: Path, columns: list[str] | None = None) -> pa.Table:
        return numpact.read_table(path, columns=columns, threads=self.threads).to_arrow()

    def rows(self, path: Path, first: int, stop: int) -> pa.Table:
        return numpact.read_table(path, rows=(first, stop), threads=self.threads).to_arrow()

    def filtered(self, path: Path, conditions: Conditions) -> pa.Table:
        return numpact.read_table(path, where=conditions, threads=self.threads).to_arrow()


class Parquet(TableFormat):
    """One file, zstd, all else as pyarrow has it: dictionaries, statistics, pages of 1 MiB. The
    file is mapped. Rows are read by the row groups that have them, filters by pyarrow.dataset,
    which leaves out row groups by their statistics."""

    def __init__(self, level: int, group: str):
        super().__init__()
        self._level, self._rows = level, GROUPS[group]
        self.name = f"parquet-zstd-{level}-{group}"
        self.package = f"pyarrow {version('pyarrow')}"

    def write(self, table: pa.Table, path: Path) -> None:
        pq.write_table(table, path, compression="zstd", compression_level=self._level,
                       row_group_size=self._rows)

    def _open(self, path: Path) -> pq.ParquetFile:
        return pq.ParquetFile(path, memory_map=True, pre_buffer=False)

    def read(self, path: Path, columns: list[str] | None = None) -> pa.Table:
        with self._open(path) as file:
            return file.read(columns=columns, use_threads=self.several)

    def rows(self, path: Path, first: int, stop: int) -> pa.Table:
        with self._open(path) as file:
            groups = list(range(first // self._rows, (stop - 1) // self._rows + 1))
            table = file.read_row_groups(groups, use_threads=self.several)
            return table.slice(first - groups[0] * self._rows, stop - first)

    def filtered(self, path: Path, conditions: Conditions) -> pa.Table:
        dataset = ds.dataset(path, format="parquet")
        return dataset.to_table(filter=expression(conditions, dataset.schema),
                                use_threads=self.several)


class ParquetBest(Parquet):
    """For each column the smallest of pyarrow's encodings, by writing the column in each of them;
    zstd 19. Slow: what a user gets who tries everything."""

    LEVEL = 19
    ENCODINGS = ("dict", "PLAIN", "DELTA_BINARY_PACKED", "DELTA_BYTE_ARRAY",
                 "DELTA_LENGTH_BYTE_ARRAY", "BYTE_STREAM_SPLIT")

    def __init__(self, group: str = "1M"):
        super().__init__(self.LEVEL, group)
        self.name = "parquet-zstd-19-best"

    def write(self, table: pa.Table, path: Path) -> None:
        chosen = {name: self._smallest(table.select([name])) for name in table.column_names}
        self._write(table, path, chosen)

    def _write(self, table: pa.Table, target: Path | pa.NativeFile, chosen: dict[str, str]) -> None:
        dictionaries = [name for name, encoding in chosen.items() if encoding == "dict"]
        others = {name: encoding for name, encoding in chosen.items() if encoding != "dict"}
        pq.write_table(table, target, compression="zstd", compression_level=self._level,
                       row_group_size=self._rows, use_dictionary=dictionaries,
                       column_encoding=others or None)

    def _smallest(self, column: pa.Table) -> str:
        sizes = {}
        for encoding in self.ENCODINGS:
            sink = pa.BufferOutputStream()
            try:
                self._write(column, sink, {column.column_names[0]: encoding})
            except OSError:
                continue  # not an encoding for this type
            sizes[encoding] = sink.getvalue().size
        return min(sizes, key=sizes.__getitem__)


class VortexCompact(TableFormat):
    """A Vortex file of the smallest encodings. Only for sizes: rows and filters are not read."""

    def __init__(self) -> None:
        import vortex
        import vortex.io

        super().__init__()
        self._vortex = vortex
        self._options = vortex.io.VortexWriteOptions.compact()
        self.name = "vortex-compact"
        self.package = f"vortex-data {version('vortex-data')}"

    def write(self, table: pa.Table, path: Path) -> None:
        self._schema = table.schema
        self._options.write(table, str(path))

    def read(self, path: Path, columns: list[str] | None = None) -> pa.Table:
        """Text is read as string views: it is cast back."""
        return self._vortex.open(str(path)).to_arrow().read_all().cast(self._schema)

    def rows(self, path: Path, first: int, stop: int) -> pa.Table:
        raise NotImplementedError

    def filtered(self, path: Path, conditions: Conditions) -> pa.Table:
        raise NotImplementedError


class Feather(TableFormat):
    """One file of Arrow IPC, zstd at pyarrow's level, record batches of 64K rows. The file is
    mapped. Rows are read by the batches that have them; it has no statistics for filters."""

    BATCH_ROWS = 1 << 16  # pyarrow's default

    def __init__(self) -> None:
        super().__init__()
        self.name = "feather-zstd"
        self.package = f"pyarrow {version('pyarrow')}"

    def write(self, table: pa.Table, path: Path) -> None:
        feather.write_feather(table, path, compression="zstd", chunksize=self.BATCH_ROWS)

    def read(self, path: Path, columns: list[str] | None = None) -> pa.Table:
        return feather.read_table(path, columns=columns, use_threads=self.several,
                                  memory_map=True)

    def rows(self, path: Path, first: int, stop: int) -> pa.Table:
        options = pa.ipc.IpcReadOptions(use_threads=self.several)
        with pa.memory_map(str(path)) as source, pa.ipc.open_file(source, options=options) as file:
            begin, end = first // self.BATCH_ROWS, (stop - 1) // self.BATCH_ROWS + 1
            table = pa.Table.from_batches([file.get_batch(i) for i in range(begin, end)])
        return table.slice(first - begin * self.BATCH_ROWS, stop - first)

    def filtered(self, path: Path, conditions: Conditions) -> pa.Table:
        dataset = ds.dataset(path, format="feather")
        return dataset.to_table(filter=expression(conditions, dataset.schema),
                                use_threads=self.several)


def every_format() -> list[TableFormat]:
    numpacts = [Numpact(level) for level in LEVELS["numpact"]]
    parquets = [Parquet(level, group) for level in LEVELS["parquet"] for group in GROUPS]
    return [*numpacts, *parquets, Feather()]


def formats_of_sizes() -> list[TableFormat]:
    """With those that are too slow, or read too little, to be timed; Vortex where it is there."""
    formats = [*every_format(), ParquetBest()]
    try:
        formats.append(VortexCompact())
    except ImportError:
        print("skipped vortex-compact: pip install -r bench/requirements.txt", file=sys.stderr)
    return formats


def stored_bytes(path: Path) -> int:
    """Bytes of a file, or of all files of a folder."""
    files = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
    return sum(file.stat().st_size for file in files)


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
