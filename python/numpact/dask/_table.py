# SPDX-License-Identifier: Apache-2.0
"""Dask data frames over tables whose columns are Pco files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Union

from .. import _core
from .._errors import CorruptError, InvalidArgumentError
from .._integers import index_of
from .._limits import Limits
from .._number_types import type_name
from .._optional import require
from .._remote.chunk_index import PcoIndex, as_index
from .._remote.dataset import FoundFolder, find_folders, partition_columns
from .._remote.locations import Path, Paths, StorageOptions, find
from .._remote.manifest import Column, LogicalType, Other, logical_type_of
from .._remote.partitions import Constant
from .._remote.parts import Described, common_dtype
from .._remote.table_folder import (
    IndexedFolder,
    TableFolder,
    TableVersion,
    file_of_column,
    with_table,
)
from .._shown import few
from ._array import describe
from ._table_columns import (
    AnyColumn,
    ConstantColumn,
    FileColumn,
    StoredColumn,
    is_arrow,
    is_null,
    type_of,
    unified,
)
from ._table_parts import BACKENDS, Backend, TablePart, arrow_type, frame, objects_stay

if TYPE_CHECKING:
    import dask.dataframe
    import numpy.typing as npt
    import pandas as pd

    from .._folders.filters import Comparison, Where
    from .._folders.sources import Span
    from .._remote.dataset_index import FolderEntry

    Source = Union[Mapping[str, Paths], Paths]


# Columns that the library reads and of which frames take values of Arrow.
_OF_ARROW = ("text", "decimal")


@dataclass(frozen=True)
class _Rows:
    """Columns of equal length: those of a folder, or the n-th files of all columns."""

    name: str
    columns: dict[str, AnyColumn]
    hidden: dict[str, AnyColumn] = field(default_factory=dict)  #: of the filter only
    version: TableVersion | None = None  #: of the folder
    where: tuple[Comparison, ...] = ()
    spans: Sequence[Span] | None = None  #: rows that may match; None: all

    @property
    def all_columns(self) -> dict[str, AnyColumn]:
        return {**self.columns, **self.hidden}

    @property
    def count(self) -> int:
        return next(iter(self.columns.values())).count


def from_pco_table(
    source: Source,
    columns: Sequence[str] | None = None,
    filters: Where | None = None,
    *,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
    rows_per_partition: int | None = None,
    index: PcoIndex | Path | None = None,
    ignore_index: bool = False,
    dtype_backend: Backend = "numpy",
    storage_options: StorageOptions | None = None,
    max_output: int | None = None,
    max_memory: int | None = None,
) -> dask.dataframe.DataFrame:
    """A Dask data frame of a table whose columns are Pco files.

    A computation reads only the files of the columns that it uses. The index numbers the rows of
    all partitions from 0 on, and divisions are known: ``frame.divisions[-1] + 1`` is the count of
    rows, without the reading that ``len(frame)`` causes.

    Args:
        source: Folders written by ``to_pco_table``, ``numpact.write_table`` or ``numpact compress
            TABLE -o FOLDER``: a path or URL, a pattern, or a list of these; or a folder of such
            folders with names like ``day=2024-01-01`` or ``part-00000``. All must have the chosen
            columns. Numbers and times have the same type in all; of other columns the types are
            joined where that changes no value (dictionaries, decimals of other digits, text). Names
            like ``day=2024-01-01`` become columns: of whole numbers or dates if all are, else of
            text; ``day=`` and ``day=__HIVE_DEFAULT_PARTITION__`` are nulls. Or a mapping
            of column names to files: ``{"price": "s3://b/price/*.pco", ...}``; the n-th files of
            all columns form a partition.
        columns: Names of the columns to read, in this order; None: all.
        dtypes: For a mapping: the types of columns, ``{"at": "datetime64[ns]"}``. A folder has them
            in its manifest.
        rows_per_partition: Rows in a partition; each reads the Pco chunks that it needs. Their
            positions come from ``index``, else from trailers, which tasks read; a file of a store
            without a trailer is then read whole. Those of a mapping's files are found by Dask tasks
            during the call. None: one partition for each folder or file.
        index: The result of ``pco_index`` for these files, or the path or URL where it was saved.
            It has to name all files, and all that it names in these folders must exist.
        ignore_index: Read the manifests of the folders, not ``dataset.json`` above them, the index
            that ``to_pco_table`` and ``numpact.index_dataset`` write. With that a folder of folders
            is opened by a listing and one request.
        dtype_backend: ``"numpy"``: pandas types over NumPy; dates are datetime64, times of day
            timedelta64 since midnight. Nulls are NaT in dates and times; other columns with nulls
            have pandas' masked types (``Int64``, ``boolean``, ``Float64``). Text is
            ``string[pyarrow]`` unless Dask's ``dataframe.convert-string`` is False; decimals, bytes
            and lists are objects. ``"pyarrow"``: ``pandas.ArrowDtype`` with the original types.
        filters: A filter of rows, as ``where`` of ``numpact.read_table``. Partitions that the
            ranges of chunks in trailers, or names of folders, exclude are left out; this reads the
            ends of the files of these columns, but nothing of folders that their names, or ranges
            in ``dataset.json``, exclude. The rows that are left keep their index, which
            counts all rows but those of folders that their names exclude: nothing is read of these.
        storage_options: Options of the file system for fsspec. They are pickled into the tasks.
        max_output: Maximum size of the values of a partition, of all columns that the computation
            uses, in bytes; as for ``numpact.open_table``.
        max_memory: As for ``numpact.open_table``, for the columns of a partition.

    Raises:
        FileNotFoundError: A folder or file does not exist, also one that an index names.
        InvalidArgumentError: A column does not exist, or columns differ in length; an index does
            not name a file or folder.
        TypeMismatchError: The files of a column have types that cannot be joined.
        CorruptError: A manifest or header is damaged; a file changed after it was indexed; a link
            leads out of the folder. From a task: the table was replaced after this call.
        InputOutputError: A file of the table is a pipe or a device.
        LimitExceededError: The manifest needs more memory than a valid one of its size; the
            positions of nulls exceed a limit. From a task: its partition does.
        ImportError: Dask, pandas or fsspec is not installed.
    """
    dd = require("dask.dataframe", "dask")
    if dtype_backend not in BACKENDS:
        raise InvalidArgumentError(f"dtype_backend must be one of {BACKENDS}")
    if rows_per_partition is not None:
        rows_per_partition = index_of(rows_per_partition, "rows_per_partition")
        if rows_per_partition < 1:
            raise InvalidArgumentError("rows_per_partition must be 1, 2, ...")
    limits = Limits.of(max_output, max_memory)
    chosen = None if columns is None else list(columns)
    if chosen is not None and (not chosen or len(set(chosen)) < len(chosen)):
        raise InvalidArgumentError("columns must be names, at least one, each once")
    known = as_index(index, storage_options)
    chunks = rows_per_partition is not None
    if isinstance(source, Mapping):
        if filters is not None:
            raise InvalidArgumentError("filters are for folders, not for a mapping of files")
        rows = _of_files(source, chosen, dtypes or {}, known, storage_options, chunks)
    elif dtypes:
        raise InvalidArgumentError("dtypes goes with a mapping; a manifest says the types itself")
    else:
        rows = _of_folders(
            find_folders(
                source, storage_options, () if known is None else known.urls, ignore_index
            ),
            chosen,
            known,
            chunks,
            _comparisons(filters),
            limits,
        )
    for group in rows:
        _check_lengths(group)
    nullable = {
        name
        for group in rows
        for name, column in group.columns.items()
        if not is_arrow(column) and column.is_nullable
    }
    parts = list(_parts(rows, rows_per_partition, nullable, limits)) or [
        _part(rows[0], 0, 0, nullable, 0, "none match", limits)
    ]
    divisions = (*(part.first for part in parts), parts[-1].first + parts[-1].count - 1)
    with objects_stay() as as_strings:
        made: dask.dataframe.DataFrame = dd.from_map(
            load,
            parts,
            columns=list(rows[0].columns),
            backend=dtype_backend,
            as_strings=as_strings,
            meta=_meta(rows[0], dtype_backend, as_strings, nullable),
            divisions=divisions if parts[-1].count else None,
            label="from-pco-table",
            enforce_metadata=False,
        )
    return made


def load(part: TablePart, columns: Sequence[str], backend: Backend, as_strings: bool) -> Any:
    """A task of the graph. Dask passes the columns that the computation uses.

    ``columns`` has no default, so that Dask passes an empty list for ``len``.
    """
    return part.load(columns, backend, as_strings)


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
        found = find(source[name], options, expected=() if index is None else index.urls)
        files[name] = describe(found, index, chunks=chunks)
        dtype = common_dtype(files[name], dtypes.get(name))
        logical[name] = logical_type_of(dtype, type_name(dtype))
    counts = {name: len(files[name]) for name in names}
    if len(set(counts.values())) > 1:
        raise InvalidArgumentError(f"columns differ in their count of files: {few(counts)}")
    return [
        _Rows(f"file {i}", {name: FileColumn(files[name][i], logical[name]) for name in names})
        for i in range(counts[names[0]])
    ]


def _comparisons(filters: Where | None) -> Sequence[Comparison]:
    if filters is None:
        return ()
    require("pyarrow", "dask")
    from .._folders.filters import parse_where

    return parse_where(filters)


def _of_folders(
    folders: Sequence[FoundFolder],
    chosen: list[str] | None,
    index: PcoIndex | None,
    chunks: bool,
    comparisons: Sequence[Comparison],
    limits: Limits,
) -> list[_Rows]:
    constants = partition_columns([folder.place.path for folder in folders])

    def read(at: int, requested: list[str]) -> _Rows:
        # One folder at a time, so that nothing is kept of a folder that is replaced meanwhile.
        return with_table(
            folders[at].opened,
            partial(
                _of_folder,
                entry=folders[at].entry,
                chosen=requested,
                is_all=chosen is None,
                constants=constants[at],
                index=index,
                chunks=chunks,
                comparisons=comparisons,
                limits=limits,
            ),
        )

    kept = _not_excluded(constants, comparisons)
    first = min(kept)
    rows_of = {first: read(first, chosen or [])}
    # Of a folder that its name excludes nothing is read, unless tables have a column of that name,
    # which goes before.
    are_names = _are_names(rows_of[first], constants[first], comparisons)
    for at in range(len(folders)):
        if at != first and (at in kept or not are_names):
            rows_of[at] = read(at, chosen or list(rows_of[first].columns))
    out = [rows_of[at] for at in sorted(rows_of)]
    every = [rows.all_columns for rows in out]
    names = [rows.name for rows in out]
    joined = {name: unified(name, [of[name] for of in every], names) for name in every[0]}
    return [
        _narrowed(
            replace(
                rows,
                columns={name: joined[name][i] for name in rows.columns},
                hidden={name: joined[name][i] for name in rows.hidden},
            )
        )
        for i, rows in enumerate(out)
    ]


def _narrowed(rows: _Rows) -> _Rows:
    """Rows of which no column of the filter has nulls alone: that is decided here."""
    columns = rows.all_columns.items()
    nulls = {name: column.value for name, column in columns if isinstance(column, ConstantColumn)}
    if not rows.where or not nulls:
        return rows
    from .._folders.row_tests import without_nulls

    left = without_nulls(rows.where, nulls)
    return replace(rows, where=(), spans=[]) if left is None else replace(rows, where=tuple(left))


def _not_excluded(
    constants: Sequence[dict[str, Constant]], comparisons: Sequence[Comparison]
) -> set[int]:
    """The folders whose names may match, at least the first."""
    if not comparisons or not any(constants):
        return set(range(len(constants)))
    from .._folders.row_tests import without_constants

    kept = {
        at
        for at, values in enumerate(constants)
        if without_constants(comparisons, values) is not None
    }
    return kept or {0}


def _are_names(
    rows: _Rows, constants: dict[str, Constant], comparisons: Sequence[Comparison]
) -> bool:
    """Whether the compared columns that folders name are no columns of their tables."""
    columns = rows.all_columns
    compared = [columns.get(item.column) for item in comparisons if item.column in constants]
    return all(column is None or isinstance(column, ConstantColumn) for column in compared)


def _of_folder(
    table: TableFolder,
    entry: FolderEntry | None,
    chosen: list[str],
    is_all: bool,
    constants: dict[str, Constant],
    index: PcoIndex | None,
    chunks: bool,
    comparisons: Sequence[Comparison],
    limits: Limits,
) -> _Rows:
    url = table.place.url
    entries = table.manifest().ordered()
    by_name = {entry.name: entry for entry in entries}
    # A column of the table goes before one of the folder's name.
    constants = {name: part for name, part in constants.items() if name not in by_name}
    names = chosen or [*by_name, *constants]
    _check_names(names, [*by_name, *constants], url)
    named = set(names)
    extra = [name for name in [*by_name, *constants] if is_all and name not in named]
    if extra:
        raise InvalidArgumentError(
            f"{url}: has the columns {few(extra)}, which other folders lack; give "
            f"columns={few(names)} to read what all have"
        )
    compared = [name for c in comparisons for name in (c.column, c.other) if name is not None]
    _check_names(compared or names, [*by_name, *constants], url)
    tested = [name for name in compared if name in by_name]
    used = list(dict.fromkeys([name for name in [*names, *tested] if name in by_name]))
    used = used or list(by_name)[:1]  # the count of rows, if only names of folders are asked for
    times = Counter(entry.name for entry in entries)
    twice = [name for name in used if times[name] > 1]
    if twice:
        raise InvalidArgumentError(f"{url}: columns of the same name: {twice}")
    requested = [by_name[name] for name in used]
    of_numbers = [entry for entry in requested if isinstance(entry, Column)]
    dropped = any(isinstance(entry, Column) and entry.nulls_dropped for entry in requested)
    if len(requested) > 1 and dropped:
        # Also for equal counts: different rows may have been left out.
        raise InvalidArgumentError(
            f"{url}: columns differ in length or rows where nulls were left out; choose one of them"
        )
    version = TableVersion.of(table, requested)
    # Where many tasks will read a local file, damage is an error now.
    is_checked = chunks and table.place.local_path is not None
    _check_numbers(table, version, is_checked, limits)
    known: dict[str, AnyColumn] = {
        entry.name: _stored(table, entry, at) for at, entry in enumerate(requested)
    }
    # Indexes describe files; the library finds the rows of several, and those of a filter, by
    # their trailers.
    files = {} if index is None else _indexed(table, of_numbers, index)
    known |= {name: column for name, column in files.items() if name not in tested}
    count = known[used[0]].count
    known |= {name: ConstantColumn(part, count) for name, part in constants.items()}
    rows = _Rows(
        url,
        {name: known[name] for name in names},
        {name: known[name] for name in used if name not in named},
        version,
    )
    return _tested(rows, entry, constants, comparisons, limits) if comparisons else rows


def _tested(
    rows: _Rows,
    entry: FolderEntry | None,
    constants: dict[str, Constant],
    comparisons: Sequence[Comparison],
    limits: Limits,
) -> _Rows:
    """The rows with a filter, and which of them may match."""
    from .._folders.row_tests import (
        check_others,
        may_match,
        of_columns,
        spans_of,
        without_constants,
    )

    columns = rows.all_columns
    rest = without_constants(comparisons, constants)
    # Values of other folders may give nulls without a type one. They have no ranges anyway.
    typed = of_columns(
        comparisons if rest is None else rest,
        lambda name: name in columns and not is_null(columns[name]),
    )
    is_excluded = rest is None or (entry is not None and not may_match(entry, typed))
    check_others(typed, {name: type_of(c) for name, c in columns.items() if is_arrow(c)})
    assert rows.version is not None
    spans: Sequence[Span] | None = []
    if entry is None or not is_excluded:
        spans = spans_of(rows.version, typed, limits)
    if rest is None or is_excluded:
        spans, rest = [], []
    return replace(rows, where=tuple(rest), spans=spans)


def _stored(table: TableFolder, entry: Column | Other, at: int) -> StoredColumn:
    """A column of a folder, of which frames have numbers or values of Arrow."""
    files = tuple(file_of_column(table, entry, name) for name in entry.files())
    if isinstance(entry, Column):
        type = None
        if entry.logical.kind in _OF_ARROW:
            type = require("numpact._folders.columns", "dask").arrow_type_of(entry.logical)
        return StoredColumn(at, entry, files, type)
    require("pyarrow", "dask")
    from .._folders.row_tests import reader_of_other, type_of_other

    if isinstance(table, IndexedFolder):
        type, is_coded = type_of_other(table.entry, entry), table.entry.is_coded(entry)
    else:
        reader = reader_of_other(table, entry)
        type, is_coded = reader.field.type, reader.has_dictionary
    return StoredColumn(at, entry, files, type, is_coded)


def _check_numbers(
    table: TableFolder, version: TableVersion, is_checked: bool, limits: Limits
) -> None:
    """Finds damage now, where it is cheap; tasks find it in any case."""
    reader = _core.TableReader(version, limits.decoding)
    for at, entry in enumerate(version.manifest.ordered()):
        if isinstance(entry, Column) and (
            is_checked or (entry.null_count and table.place.local_path is not None)
        ):
            reader.load(at)


def _indexed(
    table: TableFolder, entries: Sequence[Column], index: PcoIndex
) -> dict[str, FileColumn]:
    """The columns without nulls of one file each, by the positions of chunks in an index."""
    entries = [e for e in entries if not e.parts and e.logical.kind not in _OF_ARROW]
    found = [file_of_column(table, entry, entry.file) for entry in entries]
    files = describe(found, index, chunks=True)
    for file, entry in zip(files, entries, strict=True):
        _check_entry(file, entry)
    return {
        entry.name: FileColumn(file, entry.logical)
        for file, entry in zip(files, entries, strict=True)
        if not entry.null_file
    }


# ---- checks ----


def _check_names(requested: Sequence[str], present: Sequence[str], where: str) -> None:
    known = set(present)
    missing = [name for name in requested if name not in known]
    if missing:
        raise InvalidArgumentError(
            f"{where}: has no columns {few(missing)}; there are {few(list(present))}"
        )
    if not requested:
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
    counts = {name: column.count for name, column in rows.all_columns.items()}
    if len(set(counts.values())) > 1:
        raise InvalidArgumentError(
            f"{rows.name}: columns differ in length: {few(counts)}; choose those that belong "
            "together"
        )


# ---- partitions ----


def _parts(
    groups: Sequence[_Rows], limit: int | None, nullable: set[str], limits: Limits
) -> Iterator[TablePart]:
    """Partitions in order; those without rows are left out, unless there is no other."""
    if not any(rows.count for rows in groups):
        groups = groups[:1]
    tokenize = require("dask.base", "dask").tokenize
    total = 0
    for rows in groups:
        columns = rows.all_columns.items()
        state = tokenize(
            [_state_of(column, name in nullable) for name, column in columns], rows.where
        )
        step = limit or max(rows.count, 1)
        for first in range(0, max(rows.count, len(groups) == 1), step):
            count = min(step, rows.count - first)
            if rows.spans is not None and not overlap(rows.spans, first, count):
                continue
            yield _part(rows, first, count, nullable, total, state, limits)
        total += rows.count


def overlap(spans: Sequence[Span], first: int, count: int) -> bool:
    """Whether there is a row of the spans among ``count`` rows from ``first`` on."""
    return any(begin < first + count and first < stop for begin, stop in spans)


def _part(
    rows: _Rows,
    first: int,
    count: int,
    nullable: set[str],
    total: int,
    state: str,
    limits: Limits,
) -> TablePart:
    columns = tuple(
        (name, column.part(first, count, name in nullable)) for name, column in rows.columns.items()
    )
    hidden = tuple((name, column.part(first, count, True)) for name, column in rows.hidden.items())
    of = (total + first, first, count, state, rows.where, hidden, limits)
    return TablePart(columns, rows.version, *of)


def _state_of(column: AnyColumn, is_nullable: bool) -> tuple[object, ...]:
    """The versions of the files of a column, and how its values are given."""
    logical = None if column.logical is None else column.logical.key()
    if isinstance(column, ConstantColumn):
        return (column.value.value, logical, str(column.value.of), is_nullable)
    files = column.files if isinstance(column, StoredColumn) else [column.found]
    type = str(column.type) if isinstance(column, StoredColumn) else ""
    stamps = [
        (place.url, str(getattr(place.fs, "_fs_token", "")), stamp.size, stamp.tag)
        for place, stamp in files
    ]
    return (stamps, logical, type, is_nullable)


def _meta(rows: _Rows, backend: Backend, as_strings: bool, nullable: set[str]) -> pd.DataFrame:
    pyarrow = require("pyarrow", "dask")
    parts = {name: column.part(0, 0, name in nullable) for name, column in rows.columns.items()}
    empty = {
        name: (pyarrow.chunked_array([], arrow_type(part)), part) for name, part in parts.items()
    }
    made = frame(empty, backend, as_strings, require("pandas", "dask").RangeIndex(0))
    cleared: pd.DataFrame = require("dask.dataframe.utils", "dask").clear_known_categories(made)
    return cleared
