# SPDX-License-Identifier: Apache-2.0
"""Columns of a Dask data frame in a folder, from which its partitions take ranges of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Union

from .._errors import TypeMismatchError
from .._optional import require
from .._remote.locations import Stamp
from .._remote.manifest import Column, LogicalType
from .._remote.parts import Described
from .._remote.table_folder import TableVersion
from .._remote.table_parts import ConstantPart, FilePart, NumberPart, OtherColumn


@dataclass(frozen=True)
class FileColumn:
    """The numbers of a file, by its chunks."""

    file: Described
    logical: LogicalType
    is_nullable: bool = False

    @property
    def count(self) -> int:
        return self.file.count

    def part(self, first: int, count: int, is_nullable: bool) -> FilePart:
        """A range of rows."""
        return FilePart(self.file.numbers(first, count), self.logical, is_nullable)


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers of a folder, which the library reads."""

    table: TableVersion
    index: int  #: of the column in it
    entry: Column
    stamps: tuple[Stamp, ...]  #: of its files

    @property
    def count(self) -> int:
        return self.entry.rows

    @property
    def logical(self) -> LogicalType:
        return self.entry.logical

    @property
    def is_nullable(self) -> bool:
        return self.entry.null_count > 0

    def part(self, first: int, count: int, is_nullable: bool) -> NumberPart:
        """A range of rows."""
        name = f"{self.table.place}/{self.entry.first_file}: column {self.entry.name!r}"
        return NumberPart(self.table, self.index, name, self.logical, is_nullable, first, count)


@dataclass(frozen=True)
class ConstantColumn:
    """A column that the name of a folder stands for."""

    value: ConstantPart
    count: int

    @property
    def is_nullable(self) -> bool:
        return self.value.is_nullable

    def part(self, first: int, count: int, is_nullable: bool) -> ConstantPart:
        """A range of rows."""
        return replace(self.value, count=count, is_nullable=is_nullable)


AnyColumn = Union[FileColumn, NumberColumn, OtherColumn, ConstantColumn]


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
    others = [column.type for column in columns if isinstance(column, OtherColumn)]
    typed = [column for column in columns if not isinstance(column, OtherColumn)]
    if not typed:
        type = unifying.common_type(others)
        if type is not None:
            return [replace(c, type=type) if isinstance(c, OtherColumn) else c for c in columns]
    elif all(map(unifying.is_null_type, others)):
        # Folders of nulls alone, which have no type, take that of the folders with numbers.
        logical = type_of(typed[0])
        if all(type_of(column) == logical for column in typed):
            return [_nulls(c, logical) if isinstance(c, OtherColumn) else c for c in columns]
    return None


def _nulls(column: OtherColumn, logical: LogicalType) -> ConstantColumn:
    return ConstantColumn(ConstantPart(None, logical, column.count, True), column.count)


def type_of(column: AnyColumn) -> Any:
    if isinstance(column, ConstantColumn):
        return column.value.logical
    return column.type if isinstance(column, OtherColumn) else column.logical
