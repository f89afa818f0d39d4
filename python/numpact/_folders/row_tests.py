# SPDX-License-Identifier: Apache-2.0
"""Filters of rows that are decoded, and what excludes the rows of a folder before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc

from .. import _core
from .._errors import CorruptError, InvalidArgumentError, TypeMismatchError
from .._limits import Limits
from .._remote.checked_file import blocks_of, source_of_file
from .._remote.dataset_index import FolderEntry
from .._remote.manifest import Other
from .._remote.table_folder import TableFolder, TableVersion
from .._remote.table_parts import ArrowRows, ConstantPart, Rows
from .._tables.others import OtherReader
from .columns import logical_of, rows_in
from .filters import AND, Comparison, NumberCondition, clauses_of, joined
from .other_filters import bind_other
from .sources import Span

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

# Comparisons with one column, joined as they say, or one of two columns.
_Group = tuple[Comparison, ...]


@dataclass(frozen=True)
class RowTest:
    """A part of a filter, for rows that are decoded. Can be pickled."""

    alternatives: tuple[tuple[_Group, ...], ...]  #: the rows that satisfy all groups of one of them

    def mask(self, load: Callable[[str], Rows | ArrowRows]) -> Array:
        """(rows,) of bool: which rows satisfy it. ``load``: the rows of a column by its name."""
        masks = [
            np.logical_and.reduce([_mask_of(group, load) for group in groups])
            for groups in self.alternatives
        ]
        found: Array = np.logical_or.reduce(masks)
        return found


def _mask_of(group: _Group, load: Callable[[str], Rows | ArrowRows]) -> Array:
    rows = load(group[0].column)
    if group[0].other is not None:
        return _pair_mask(group[0], rows, load(group[0].other))
    if isinstance(rows, ArrowRows):
        condition = bind_other(group, rows.values.type)
        masks = [condition.mask(chunk) for chunk in rows.values.chunks]
        return np.concatenate([np.empty(0, np.bool_), *masks])
    numbers = NumberCondition(group, rows.logical)
    found = numbers.mask(rows.values)
    if rows.validity is None:
        return found
    return found & rows.validity | ~rows.validity if numbers.matches_null else found & rows.validity


def _pair_mask(comparison: Comparison, one: Rows | ArrowRows, other: Rows | ArrowRows) -> Array:
    one, other = _as_numbers(one), _as_numbers(other)
    if isinstance(one, ArrowRows) or isinstance(other, ArrowRows):
        raise TypeMismatchError(
            f"where: columns {comparison.column!r} and {comparison.other!r}: only columns of "
            "numbers, dates, times and booleans are compared with each other"
        )
    pair = _core.bind_pair(comparison, one.logical.key(), other.logical.key())
    found = pair.mask(one.values, other.values).view(np.bool_)
    for rows in (one, other):
        if rows.validity is not None:
            found &= rows.validity
    return found


def _as_numbers(rows: Rows | ArrowRows) -> Rows | ArrowRows:
    """Decimals as the numbers in which they are stored."""
    if isinstance(rows, Rows) or not pa.types.is_decimal(rows.values.type):
        return rows
    logical = logical_of(pa.field("", rows.values.type))
    if logical is None:
        return rows
    numbers, valid = rows_in(rows.values.combine_chunks(), logical)
    return Rows(numbers, None if valid is None else valid.view(np.bool_), logical, True)


def tests_of(comparisons: Sequence[Comparison]) -> tuple[RowTest, ...]:
    """Tests that all must hold: one for each column, and those of clauses with several columns."""
    by_column: dict[str, list[Comparison]] = {}
    mixed: list[RowTest] = []
    for clause in clauses_of(comparisons):
        alone = [item for alternative in clause for item in alternative]
        columns = {item.column for item in alone}
        if len(columns) == 1 and all(item.other is None for item in alone):
            by_column.setdefault(alone[0].column, []).extend(joined([clause]))
        else:
            mixed.append(RowTest(tuple(map(_groups_of, clause))))
    return (*(RowTest(((tuple(group),),)) for group in by_column.values()), *mixed)


def _groups_of(alternative: Sequence[Comparison]) -> tuple[_Group, ...]:
    by_column: dict[str, list[Comparison]] = {}
    pairs: list[_Group] = []
    for item in alternative:
        one = item._replace(join=AND)
        if item.other is not None:
            pairs.append((one,))
        else:
            by_column.setdefault(item.column, []).append(one)
    return (*map(tuple, by_column.values()), *pairs)


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
    comparisons: Sequence[Comparison], constants: Mapping[str, ConstantPart]
) -> list[Comparison] | None:
    """The filter of the rows for which some columns have one value; None: it excludes them all.

    Raises:
        InvalidArgumentError: Such a column is compared with another one.
    """
    clauses = []
    for clause in clauses_of(comparisons):
        left: list[list[Comparison]] = []
        for alternative in clause:
            known = [item for item in alternative if _is_constant(item, constants)]
            if all(_mask_of((item._replace(join=AND),), _load_of(constants))[0] for item in known):
                left.append([item for item in alternative if item not in known])
        if not left:
            return None
        if all(left):
            clauses.append(left)
    return joined(clauses)


def _load_of(constants: Mapping[str, ConstantPart]) -> Callable[[str], Rows | ArrowRows]:
    return lambda name: constants[name].load()


def _is_constant(item: Comparison, constants: Mapping[str, ConstantPart]) -> bool:
    if item.other is not None and (item.column in constants or item.other in constants):
        raise InvalidArgumentError(
            f"where: columns {item.column!r} and {item.other!r}: one of them is the name of "
            "folders, which is compared with values only"
        )
    return item.column in constants


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
    file, stamp = table.file(part.file)
    source = source_of_file(file, stamp.size, file.contents(), blocks_of(part))
    return OtherReader(source, part.rows, file.url, entry.name)


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
    for group in _groups_of([item for item in comparisons if item.column in others]):
        if group[0].other is None:
            bind_other(group, others[group[0].column])


def spans_of(
    table: TableVersion, comparisons: Sequence[Comparison], numbers: Sequence[str], limits: Limits
) -> list[Span] | None:
    """The rows of a folder that may match, by the ranges of chunks in trailers; None: all.

    Args:
        table: Its columns of numbers, with the names ``numbers``.
        comparisons: The filter.
        limits: Of the reader.

    Raises:
        TypeMismatchError: A value is of another kind than its column.
    """
    places = {name: index for index, name in enumerate(numbers)}
    where = [(places[c.column], c, 0) for c in of_columns(comparisons, places.__contains__)]
    if not where:
        return None
    reader = _core.TableReader(table, limits.max_memory)
    return _core.TableScan(reader, [], where).ranges
