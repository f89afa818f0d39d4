# SPDX-License-Identifier: Apache-2.0
"""Dask data frames over tables whose columns are Pco files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

from .._errors import CorruptError, InvalidArgumentError, LimitExceededError, TypeMismatchError
from .._integers import index_of
from .._number_types import dtype_of, type_name
from .._optional import require
from .._remote.chunk_index import PcoIndex, as_index
from .._remote.locations import (
    Location,
    Path,
    Paths,
    StorageOptions,
    find,
    globbed,
    is_pattern,
    join,
    listed,
    locate,
)
from .._remote.manifest import NAME as MANIFEST_NAME
from .._remote.manifest import Column, LogicalType, logical_type_of
from .._remote.null_runs import NullRuns, read_null_runs
from .._remote.parts import Described, Found, common_dtype
from .._remote.table_folder import TableFolder, with_table
from .._remote.table_parts import BACKENDS, Backend, ColumnPart, Rows, TablePart, frame
from ._array import describe

if TYPE_CHECKING:
    import dask.dataframe
    import numpy.typing as npt
    import pandas as pd

    Source = Union[Mapping[str, Paths], Paths]

_MAX_ROWS = 1 << 63


@dataclass(frozen=True)
class _Column:
    """The numbers of a column, and the positions of its nulls."""

    file: Described
    logical: LogicalType
    nulls: NullRuns | None = None
    null_state: str = ""  #: version of the file of null runs

    @property
    def count(self) -> int:
        return self.file.count if self.nulls is None else self.nulls.rows

    def part(self, first: int, count: int, is_nullable: bool) -> ColumnPart:
        """A range of rows."""
        if self.nulls is None:
            numbers = self.file.numbers(first, count)
            return ColumnPart(numbers, self.logical, is_nullable, None)
        nulls = self.nulls.part(first, count)
        numbers = self.file.numbers(self.nulls.part(0, first).numbers, nulls.numbers)
        return ColumnPart(numbers, self.logical, is_nullable, nulls)


@dataclass(frozen=True)
class _Rows:
    """Columns of equal length: those of a folder, or the n-th files of all columns."""

    name: str
    columns: dict[str, _Column]

    @property
    def count(self) -> int:
        return next(iter(self.columns.values())).count


def from_pco_table(
    source: Source,
    *,
    columns: Sequence[str] | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
    rows_per_partition: int | None = None,
    index: PcoIndex | Path | None = None,
    dtype_backend: Backend = "numpy",
    storage_options: StorageOptions | None = None,
) -> dask.dataframe.DataFrame:
    """A Dask data frame of a table whose columns are Pco files.

    A computation reads only the files of the columns that it uses. The index numbers the rows of
    all partitions from 0 on, and divisions are known: ``frame.divisions[-1] + 1`` is the count of
    rows, without the reading that ``len(frame)`` causes.

    Args:
        source: Folders written by ``numpact compress TABLE -o FOLDER``: a path or URL, a pattern,
            or a list of these. All must have the chosen columns, with the same types. Or a mapping
            of column names to files: ``{"price": "s3://b/price/*.pco", ...}``; the n-th files of
            all columns form a partition.
        columns: Names of the columns to read, in this order; None: all.
        dtypes: For a mapping: the types of columns, ``{"at": "datetime64[ns]"}``. A folder has them
            in its manifest.
        rows_per_partition: Rows in a partition; each reads the Pco chunks that it needs. The
            positions of the chunks come from ``index``; without it, Dask tasks scan the files of
            all chosen columns during the call. None: one partition for each folder or file.
        index: The result of ``pco_index`` for these files, or the path or URL where it was saved.
        dtype_backend: ``"numpy"``: pandas types over NumPy; dates are datetime64, times of day
            timedelta64 since midnight. Nulls are NaT in dates and times; other columns with nulls
            have pandas' masked types (``Int64``, ``boolean``, ``Float64``). ``"pyarrow"``:
            ``pandas.ArrowDtype`` with the original types.
        storage_options: Options of the file system for fsspec. They are pickled into the tasks.

    Raises:
        FileNotFoundError: A folder or file does not exist.
        InvalidArgumentError: A column does not exist, or columns differ in length.
        TypeMismatchError: The files of a column have different types.
        CorruptError: A manifest or header is damaged; a file changed after it was indexed; a link
            leads out of the folder. From a task: the table was replaced after this call.
        InputOutputError: A file of the table is a pipe or a device.
        LimitExceededError: The manifest needs more memory than a valid one of its size.
        ImportError: Dask, pandas or fsspec is not installed.
    """
    dd = require("dask.dataframe", "dask")
    if dtype_backend not in BACKENDS:
        raise InvalidArgumentError(f"dtype_backend must be one of {BACKENDS}")
    if rows_per_partition is not None:
        rows_per_partition = index_of(rows_per_partition, "rows_per_partition")
        if rows_per_partition < 1:
            raise InvalidArgumentError("rows_per_partition must be 1, 2, ...")
    chosen = None if columns is None else list(columns)
    if chosen is not None and (not chosen or len(set(chosen)) < len(chosen)):
        raise InvalidArgumentError("columns must be names, at least one, each once")
    known = as_index(index, storage_options)
    chunks = rows_per_partition is not None
    if isinstance(source, Mapping):
        rows = _of_files(source, chosen, dtypes or {}, known, storage_options, chunks)
    elif dtypes:
        raise InvalidArgumentError("dtypes goes with a mapping; a manifest says the types itself")
    else:
        rows = _of_folders(source, chosen, known, storage_options, chunks)
    for group in rows:
        _check_lengths(group)
    nullable = {name for group in rows for name, column in group.columns.items() if column.nulls}
    parts = list(_parts(rows, rows_per_partition, nullable))
    divisions = (*(part.first for part in parts), parts[-1].first + parts[-1].count - 1)
    made: dask.dataframe.DataFrame = dd.from_map(
        load,
        parts,
        columns=list(rows[0].columns),
        backend=dtype_backend,
        meta=_meta(rows[0], dtype_backend, nullable),
        divisions=divisions if parts[-1].count else None,
        label="from-pco-table",
        enforce_metadata=False,
    )
    return made


def load(part: TablePart, columns: Sequence[str], backend: Backend) -> Any:
    """A task of the graph. Dask passes the columns that the computation uses.

    ``columns`` has no default, so that Dask passes an empty list for ``len``.
    """
    return part.load(columns, backend)


# ---- where the columns are ----


def _of_files(
    source: Mapping[str, Paths],
    chosen: list[str] | None,
    dtypes: Mapping[str, npt.DTypeLike],
    index: PcoIndex | None,
    options: StorageOptions | None,
    chunks: bool,
) -> list[_Rows]:
    names = list(source) if chosen is None else chosen
    _check_names([*names, *dtypes], list(source), "the mapping")
    files: dict[str, list[Described]] = {}
    logical: dict[str, LogicalType] = {}
    for name in names:
        files[name] = describe(find(source[name], options), index, chunks=chunks)
        dtype = common_dtype(files[name], dtypes.get(name))
        logical[name] = logical_type_of(dtype, type_name(dtype))
    counts = {name: len(files[name]) for name in names}
    if len(set(counts.values())) > 1:
        raise InvalidArgumentError(f"columns differ in their count of files: {counts}")
    return [
        _Rows(f"file {i}", {name: _Column(files[name][i], logical[name]) for name in names})
        for i in range(counts[names[0]])
    ]


def _of_folders(
    source: Paths,
    chosen: list[str] | None,
    index: PcoIndex | None,
    options: StorageOptions | None,
    chunks: bool,
) -> list[_Rows]:
    out: list[_Rows] = []
    first: dict[str, LogicalType] = {}
    for folder in _folders(source, options):
        # One folder at a time, so that nothing is kept of a folder that is replaced meanwhile.
        columns, types = with_table(
            folder, lambda table: _of_folder(table, chosen or list(first), index, chunks)
        )
        for name, logical in types.items():
            expected = first.setdefault(name, logical)
            if expected != logical:
                raise TypeMismatchError(
                    f"{folder.url}: column {name!r} is {logical}, not {expected}"
                )
        out.append(_Rows(folder.url, columns))
    return out


def _of_folder(
    table: TableFolder, chosen: list[str], index: PcoIndex | None, chunks: bool
) -> tuple[dict[str, _Column], dict[str, LogicalType]]:
    url = table.place.url
    entries = table.manifest().columns
    by_name = {entry.name: entry for entry in entries}
    names = chosen or [entry.name for entry in entries]
    _check_names(names, list(by_name), url)
    times = Counter(entry.name for entry in entries)
    twice = [name for name in names if times[name] > 1]
    if twice:
        raise InvalidArgumentError(f"{url}: columns of the same name: {twice}")
    wanted = [by_name[name] for name in names]
    if len(wanted) > 1 and any(entry.nulls_dropped for entry in wanted):
        # Also for equal counts: different rows may have been left out.
        raise InvalidArgumentError(
            f"{url}: columns differ in length or rows where nulls were left out; choose one of them"
        )
    types = {entry.name: entry.logical for entry in wanted}
    return _described(table, wanted, index, chunks), types


def _folders(source: Paths, options: StorageOptions | None) -> list[Location]:
    out: list[Location] = []
    for path in listed(source):
        place = locate(path, options)
        if is_pattern(place):
            manifests = globbed(place, f"{place.path.rstrip('/')}/{MANIFEST_NAME}")
            out += [Location(place.fs, file.path.rpartition("/")[0]) for file, _ in manifests]
        else:
            out.append(place)
    if not out:
        raise InvalidArgumentError("no tables are named")
    return out


def _described(
    table: TableFolder, entries: list[Column], index: PcoIndex | None, chunks: bool
) -> dict[str, _Column]:
    for entry in entries:
        if entry.rows >= _MAX_ROWS:
            raise LimitExceededError(
                f"{table.place.url}: column {entry.name!r} claims {entry.rows} rows, more than an "
                "index of pandas can number"
            )
    found = [_present(table, entry, entry.file) for entry in entries]
    if index is not None or chunks:
        files = describe(found, index, chunks=True)
        for file, entry in zip(files, entries, strict=True):
            _check_entry(file, entry)
    else:
        files = [
            Described(place, stamp, entry.logical.number_type, entry.count, None)
            for (place, stamp), entry in zip(found, entries, strict=True)
        ]
    columns: dict[str, _Column] = {}
    for file, entry in zip(files, entries, strict=True):
        if not entry.null_file:
            columns[entry.name] = _Column(file, entry.logical)
            continue
        place, stamp = _present(table, entry, entry.null_file)
        runs = read_null_runs(place.read_all(), place.url, entry.rows, entry.null_count)
        columns[entry.name] = _Column(file, entry.logical, runs, f"{stamp.size} {stamp.tag}")
    return columns


def _present(table: TableFolder, entry: Column, name: str) -> Found:
    try:
        return table.file(name)
    except FileNotFoundError:
        url = join(table.place, name).url
        raise FileNotFoundError(f"{url}: column {entry.name!r}") from None


# ---- checks ----


def _check_names(wanted: Sequence[str], present: Sequence[str], where: str) -> None:
    missing = [name for name in wanted if name not in present]
    if missing:
        raise InvalidArgumentError(f"{where}: has no columns {missing}; there are {list(present)}")
    if not wanted:
        raise InvalidArgumentError(f"{where}: has no columns")


def _check_entry(file: Described, entry: Column) -> None:
    if (file.type or entry.logical.number_type, file.count) != (
        entry.logical.number_type,
        entry.count,
    ):
        raise CorruptError(
            f"{file.place.url}: holds {file.count} {file.type} numbers, the manifest says "
            f"{entry.count} {entry.logical.number_type}"
        )


def _check_lengths(rows: _Rows) -> None:
    counts = {name: column.count for name, column in rows.columns.items()}
    if len(set(counts.values())) > 1:
        raise InvalidArgumentError(
            f"{rows.name}: columns differ in length: {counts}; choose those that belong together"
        )


# ---- partitions ----


def _parts(groups: Sequence[_Rows], limit: int | None, nullable: set[str]) -> Iterator[TablePart]:
    """Partitions in order; those without rows are left out, unless there is no other."""
    if not any(rows.count for rows in groups):
        groups = groups[:1]
    tokenize = require("dask.base", "dask").tokenize
    total = 0
    for rows in groups:
        stamps = [
            (
                column.file.place.url,
                column.file.stamp.size,
                column.file.stamp.tag,
                column.null_state,
            )
            for column in rows.columns.values()
        ]
        state = tokenize(stamps)
        step = limit or max(rows.count, 1)
        for first in range(0, max(rows.count, len(groups) == 1), step):
            count = min(step, rows.count - first)
            columns = tuple(
                (name, column.part(first, count, name in nullable))
                for name, column in rows.columns.items()
            )
            yield TablePart(columns, total + first, count, state)
        total += rows.count


def _meta(rows: _Rows, backend: Backend, nullable: set[str]) -> pd.DataFrame:
    import numpy as np

    empty = {
        name: Rows(
            np.empty(0, dtype_of(column.logical.number_type)),
            None,
            column.logical,
            name in nullable,
        )
        for name, column in rows.columns.items()
    }
    return frame(empty, backend, 0, 0)
