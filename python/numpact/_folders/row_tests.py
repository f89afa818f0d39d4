# SPDX-License-Identifier: Apache-2.0
"""What excludes the rows of a folder before they are read: its name, its index, its trailers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import pyarrow as pa
import pyarrow.ipc

from .. import _core
from .._errors import CorruptError, InvalidArgumentError
from .._limits import Limits
from .._remote.checked_file import blocks_of
from .._remote.dataset import FoundFolder
from .._remote.dataset_index import FolderEntry
from .._remote.manifest import Other
from .._remote.partitions import Constant
from .._remote.table_folder import TableFolder, TableVersion
from .._tables.others import OtherReader
from .._tables.vector_reader import open_other
from .filters import AND, Comparison, clauses_of, joined
from .other_filters import bind_other
from .sources import Span


def of_columns(
    comparisons: Sequence[Comparison], is_known: Callable[[str], bool]
) -> list[Comparison]:
    """What every row that matches satisfies of the comparisons with some columns."""
    clauses = []
    for clause in clauses_of(comparisons):
        left = [
            [item for item in alternative if is_known(item.column) and item.other is None]
            for alternative in clause
        ]
        if all(left):
            clauses.append(left)
    return joined(clauses)


def without_constants(
    comparisons: Sequence[Comparison], constants: Mapping[str, Constant]
) -> list[Comparison] | None:
    """The filter of the rows for which some columns have one value; None: it excludes them all.

    Raises:
        InvalidArgumentError: Such a column is compared with another one.
    """

    def decision(item: Comparison) -> bool | None:
        if item.other is not None and (item.column in constants or item.other in constants):
            raise InvalidArgumentError(
                f"where: columns {item.column!r} and {item.other!r}: one of them is the name of "
                "folders, which is compared with values only"
            )
        return _holds(item, constants[item.column]) if item.column in constants else None

    return _reduced(comparisons, decision)


def left_in(
    folder: FoundFolder, comparisons: Sequence[Comparison], constants: Mapping[str, Constant]
) -> list[Comparison] | None:
    """The filter of the rows of a table, by its name and the index of its dataset; None: none
    matches. Reads nothing."""
    left = without_constants(comparisons, constants)
    entry = folder.entry
    if left is None or (entry is not None and not may_match(entry, left)):
        return None
    return left


def without_nulls(
    comparisons: Sequence[Comparison], nulls: Mapping[str, Constant]
) -> list[Comparison] | None:
    """As ``without_constants``, of columns without a value, whose names do not stand for it."""

    def decision(item: Comparison) -> bool | None:
        if item.other is not None and (item.column in nulls or item.other in nulls):
            return False
        return _holds(item, nulls[item.column]) if item.column in nulls else None

    return _reduced(comparisons, decision)


def _holds(item: Comparison, constant: Constant) -> bool:
    condition = bind_other((item._replace(join=AND),), constant.type)
    return bool(condition.mask(constant.array(1))[0])


def _reduced(
    comparisons: Sequence[Comparison], decision: Callable[[Comparison], bool | None]
) -> list[Comparison] | None:
    """The comparisons for which there is no decision; None: no row satisfies the others."""
    clauses = []
    for clause in clauses_of(comparisons):
        left: list[list[Comparison]] = []
        for alternative in clause:
            known = [decision(item) for item in alternative]
            if False not in known:
                pairs = zip(alternative, known, strict=True)
                left.append([item for item, found in pairs if found is None])
        if not left:
            return None
        if all(left):
            clauses.append(left)
    return joined(clauses)


def may_match(entry: FolderEntry, comparisons: Sequence[Comparison]) -> bool:
    """Whether rows of a folder may satisfy a filter, by the ranges in the index of its dataset.

    Raises:
        TypeMismatchError: A value is of another kind than its column.
    """
    return all(
        any(all(_may_hold(entry, item) for item in alternative) for alternative in clause)
        for clause in clauses_of(comparisons)
    )


def _may_hold(entry: FolderEntry, item: Comparison) -> bool:
    at = entry.place_of(item.column)
    known = None if at is None or item.other is not None else entry.ranges[at]
    if at is None or known is None:
        return True
    column = entry.manifest.columns[at]
    bound = _core.bind_numbers([item._replace(join=AND)], column.logical.key())
    return (bound.matches_null and column.null_count > 0) or bound.may_match(*known)


def reader_of_other(table: TableFolder, entry: Other) -> OtherReader:
    """The reader of the first file of a column that Pco cannot hold."""
    part = entry.parts[0]
    file, _ = table.file(part.file)
    return open_other(file.checked(blocks_of(part)), part.rows, file.url, entry.name)


@lru_cache(16)  # tables of a dataset share their schema
def _schema_of(message: bytes, place: str) -> pa.Schema:
    try:
        return pa.ipc.read_schema(pa.py_buffer(message))
    except (pa.ArrowException, OSError) as error:
        raise CorruptError(f"{place}: its schema cannot be read: {error}") from error


def schema_in(entry: FolderEntry) -> pa.Schema:
    """The schema of a table by the index of its dataset.

    Raises:
        CorruptError: It has other columns than the manifest.
    """
    schema = _schema_of(entry.schema, entry.place)
    if schema.names != [column.name for column in entry.manifest.ordered()]:
        raise CorruptError(f"{entry.place}: its schema is not that of its manifest")
    return schema


def type_of_other(entry: FolderEntry, column: Other) -> pa.DataType:
    """The type of a column that Pco cannot hold, by the index of its dataset."""
    return schema_in(entry).field(column.position).type


def check_others(comparisons: Sequence[Comparison], others: Mapping[str, pa.DataType]) -> None:
    """Raises TypeMismatchError if a value is of another kind than its column."""
    for item in comparisons:
        if item.column in others and item.other is None:
            bind_other((item._replace(join=AND),), others[item.column])


def spans_of(
    table: TableVersion, comparisons: Sequence[Comparison], limits: Limits
) -> list[Span] | None:
    """The rows of a folder that may match, by the ranges of chunks in trailers; None: all.

    Raises:
        TypeMismatchError: A value is of another kind than its column.
    """
    entries = enumerate(table.manifest.ordered())
    places = {entry.name: at for at, entry in entries if not isinstance(entry, Other)}
    where = [(places[c.column], c, 0) for c in of_columns(comparisons, places.__contains__)]
    if not where:
        return None
    return _core.TableScan(_core.TableReader(table, limits.decoding), [], where).ranges
