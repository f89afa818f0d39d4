# SPDX-License-Identifier: Apache-2.0
"""Columns of a Dask data frame in a folder, from which its partitions take ranges of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Union

from .._errors import TypeMismatchError
from .._optional import require
from .._remote.checked_file import blocks_of
from .._remote.locations import Location, Stamp
from .._remote.manifest import Column, LogicalType, Other
from .._remote.partitions import Constant
from .._remote.parts import Described
from .._remote.table_folder import OtherBlocks, StoredPart, TableFile
from ._table_parts import FilePart


@dataclass(frozen=True)
class FileColumn:
    """The numbers of a file, by its chunks."""

    file: Described
    logical: LogicalType
    is_nullable: bool = False

    @property
    def count(self) -> int:
        return self.file.count

    @property
    def found(self) -> tuple[Location, Stamp]:
        return self.file.place, self.file.stamp

    def part(self, first: int, count: int, is_nullable: bool) -> FilePart:
        """A range of rows."""
        return FilePart(self.file.numbers(first, count), self.logical, is_nullable)


@dataclass(frozen=True)
class StoredColumn:
    """A column of a folder."""

    index: int  #: in the version of the table
    entry: Column | Other
    files: tuple[tuple[TableFile, Stamp], ...]
    type: Any = None  #: of pyarrow, in which frames have it; None: numbers
    is_coded: bool = False  #: a file has dictionaries, of which other batches may have parts

    @property
    def count(self) -> int:
        return self.entry.rows

    @property
    def logical(self) -> LogicalType | None:
        is_number = isinstance(self.entry, Column) and self.type is None
        return self.entry.logical if is_number else None  # type: ignore[union-attr]

    @property
    def is_nullable(self) -> bool:
        return isinstance(self.entry, Column) and self.entry.null_count > 0

    def part(self, first: int, count: int, is_nullable: bool) -> StoredPart:
        """A range of rows."""
        if isinstance(self.entry, Column):
            return StoredPart(self.index, self.logical, is_nullable, self.type)
        other_blocks: list[OtherBlocks] = []
        begin = at = 0
        for (file, _), part in zip(self.files, self.entry.parts, strict=True):
            a, b = max(first, at), min(first + count, at + part.rows)
            if a < b:
                begin = begin if other_blocks else at
                blocks = blocks_of(part, a - at, None if self.is_coded else b - a)
                other_blocks.append(OtherBlocks(file, part.rows, blocks))
            at += part.rows
        return StoredPart(self.index, None, is_nullable, self.type, begin, tuple(other_blocks))


@dataclass(frozen=True)
class ConstantColumn:
    """A column of one value: that of a folder's name, or nulls."""

    value: Constant
    count: int

    @property
    def logical(self) -> LogicalType | None:
        return self.value.logical

    @property
    def is_nullable(self) -> bool:
        return self.value.is_nullable

    def part(self, first: int, count: int, is_nullable: bool) -> Constant:
        """A range of rows."""
        return replace(self.value, is_nullable=is_nullable)


AnyColumn = Union[FileColumn, StoredColumn, ConstantColumn]


def is_arrow(column: AnyColumn) -> bool:
    """Whether frames have the values of Arrow: such columns may differ in their types."""
    return isinstance(column, StoredColumn) and column.logical is None


def unified(name: str, columns: list[AnyColumn], folders: Sequence[str]) -> list[AnyColumn]:
    """A column of all folders, in one type.

    Raises:
        TypeMismatchError: No type holds the values of all folders.
    """
    types = [type_of(column) for column in columns]
    if all(type == types[0] for type in types[1:]):
        return columns
    joined = _joined(columns)
    if joined is not None:
        return joined
    at = next(i for i in range(len(types)) if _joined(columns[: i + 1]) is None)
    raise TypeMismatchError(f"{folders[at]}: column {name!r} is {types[at]}, not {types[0]}")


def _joined(columns: Sequence[AnyColumn]) -> list[AnyColumn] | None:
    """Columns in one type; None if no type holds the values of all."""
    unifying = require("numpact._tables.unifying", "dask")
    others = [column.type for column in columns if isinstance(column, StoredColumn)]
    typed = [column for column in columns if not is_arrow(column)]
    if not typed:
        type = unifying.common_type(others)
        return None if type is None else [_in_type(column, None, type) for column in columns]
    # Folders of nulls alone, which have no type, take that of the folders with numbers.
    logical = type_of(typed[0])
    if all(is_null(c) if is_arrow(c) else type_of(c) == logical for c in columns):
        return [_in_type(column, logical, None) for column in columns]
    return None


def is_null(column: AnyColumn) -> bool:
    """Whether a column has nulls alone, and no type."""
    if not isinstance(column, StoredColumn) or column.type is None:
        return False
    return bool(require("numpact._tables.joining", "dask").is_null_type(column.type))


def _in_type(column: AnyColumn, logical: LogicalType | None, type: Any) -> AnyColumn:
    """A column in the type that all have; of nulls alone nothing is read."""
    if not isinstance(column, StoredColumn) or not is_arrow(column) or column.type == type:
        return column
    if is_null(column):
        return ConstantColumn(Constant(None, logical, True, type), column.count)
    return replace(column, type=type)


def type_of(column: AnyColumn) -> Any:
    return column.type if isinstance(column, StoredColumn) and is_arrow(column) else column.logical
