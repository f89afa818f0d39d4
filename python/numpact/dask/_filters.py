# SPDX-License-Identifier: Apache-2.0
"""Filters of tables for Dask, and the columns that names of folders stand for."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa

from .. import _core
from .._errors import InvalidArgumentError
from .._folders.filters import Comparison, NumberCondition
from .._folders.other_filters import bind_other
from .._folders.scanning import Span
from .._limits import Limits
from .._remote.checked_file import blocks_of, source_of_file
from .._remote.manifest import LogicalType, Other
from .._remote.table_folder import TableFolder, TableVersion
from .._remote.table_parts import ArrowRows, ConstantPart, Rows
from .._shown import few
from .._tables.others import OtherReader

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

_PART = re.compile(r"part-\d+")
# Values that stand for null: an empty one, and the name that Hive, Spark and DuckDB write.
_NULLS = ("", "__HIVE_DEFAULT_PARTITION__")
_WHOLE = re.compile(r"-?\d{1,18}")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class RowTest:
    """The comparisons of a filter with a column, for rows that are decoded. Can be pickled."""

    comparisons: tuple[Comparison, ...]

    @property
    def column(self) -> str:
        return self.comparisons[0].column

    def mask(self, rows: Rows | ArrowRows) -> Array:
        """(rows,) of bool: which rows satisfy it."""
        if isinstance(rows, ArrowRows):
            condition = bind_other(self.comparisons, rows.values.type)
            masks = [condition.mask(chunk) for chunk in rows.values.chunks]
            return np.concatenate([np.empty(0, np.bool_), *masks])
        valid = np.ones(len(rows.values), np.bool_) if rows.validity is None else rows.validity
        numbers = NumberCondition(self.comparisons, rows.logical)
        return ~valid if numbers.matches_null else numbers.mask(rows.values) & valid


def tests_of(comparisons: Sequence[Comparison]) -> tuple[RowTest, ...]:
    """A test for each column."""
    by_column: dict[str, list[Comparison]] = {}
    for comparison in comparisons:
        by_column.setdefault(comparison.column, []).append(comparison)
    return tuple(RowTest(tuple(compared)) for compared in by_column.values())


def reader_of_other(table: TableFolder, entry: Other) -> OtherReader:
    """The reader of the first file of a column that Pco cannot hold."""
    part = entry.parts[0]
    file, stamp = table.file(part.file)
    source = source_of_file(file, stamp.size, file.contents(), blocks_of(part))
    return OtherReader(source, part.rows, file.url, entry.name)


def spans_of(
    table: TableVersion,
    comparisons: Sequence[Comparison],
    numbers: Sequence[str],
    others: Mapping[str, pa.DataType],
    limits: Limits,
) -> list[Span] | None:
    """The rows of a folder that may match, by the ranges of chunks in trailers; None: all.

    Args:
        table: Its columns of numbers, with the names ``numbers``.
        comparisons: The filter.
        others: The types of its other columns.
        limits: Of the reader.

    Raises:
        TypeMismatchError: A value is of another kind than its column.
    """
    for test in tests_of([item for item in comparisons if item.column in others]):
        bind_other(test.comparisons, others[test.column])
    places = {name: index for index, name in enumerate(numbers)}
    where = [(places[c.column], c) for c in comparisons if c.column in places]
    if not where:
        return None
    reader = _core.TableReader(table, limits.max_memory)
    return _core.TableScan(reader, [], where).ranges


# ---- names of folders ----


def is_partition(name: str) -> bool:
    """Whether a folder of this name holds a part of a table: ``day=2024-01-01``, ``part-0001``.

    Hidden ones are unfinished: ``.day=2024-01-01.123-0a1b.tmp``.
    """
    is_named = name.find("=") > 0 and not name.startswith(".")
    return is_named or _PART.fullmatch(name) is not None


def partition_values(path: str) -> dict[str, str | None]:
    """The columns that the folders of a path stand for: ``.../day=2024-01-01/part-0001``.

    None: a null.
    """
    found: dict[str, str | None] = {}
    for name in reversed(path.rstrip("/").split("/")):
        if not is_partition(name):
            break
        column, equals, value = name.partition("=")
        if equals:
            found[unquote(column)] = None if value in _NULLS else unquote(value)
    return dict(reversed(found.items()))


def partition_columns(paths: Sequence[str]) -> list[dict[str, ConstantPart]]:
    """The columns of each folder, whose types are those that fit the values of all.

    Raises:
        InvalidArgumentError: The folders stand for different columns.
    """
    texts = [partition_values(path) for path in paths]
    for path, values in zip(paths, texts, strict=True):
        if list(values) != list(texts[0]):
            raise InvalidArgumentError(
                f"{path}: its folders name the columns {few(list(values))}, others "
                f"{few(list(texts[0]))}"
            )
    made: list[dict[str, ConstantPart]] = [{} for _ in paths]
    for name in texts[0] if texts else ():
        for parts, part in zip(made, _typed([values[name] for values in texts]), strict=True):
            parts[name] = part
    return made


def _typed(texts: list[str | None]) -> list[ConstantPart]:
    """The parts of a column; the values that are there decide its type."""
    present = [text for text in texts if text is not None]
    values: dict[str, int | str] = {text: text for text in present}
    logical = None
    days = {text: _days(text) for text in present}
    if not present:
        pass  # without values it is text
    elif all(_WHOLE.fullmatch(text) and str(int(text)) == text for text in present):
        values, logical = {text: int(text) for text in present}, LogicalType("number", "i64")
    elif None not in days.values():
        values = {text: day for text, day in days.items() if day is not None}
        logical = LogicalType("date32", "i32")
    is_nullable = len(present) < len(texts)
    return [
        ConstantPart(None if text is None else values[text], logical, 1, is_nullable)
        for text in texts
    ]


def _days(text: str) -> int | None:
    if not _DATE.fullmatch(text):
        return None
    try:
        return (datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days
    except ValueError:
        return None
