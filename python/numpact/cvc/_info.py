# SPDX-License-Identifier: Apache-2.0
"""The content of a CVC file's header."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from .._errors import TypeMismatchError
from .._integers import index_of
from .._shown import few


@dataclass(frozen=True)
class Column:
    """A column of the schema; a file of one array has one column with an empty name."""

    name: str
    dimension: int  #: values in a row; 1: scalars
    dtype: str  #: of the values that were written
    compression: str  #: the default for chunks
    is_vector: bool = False  #: for dimension 1: rows are vectors of one value, not scalars


@dataclass(frozen=True)
class Slice:
    """The values of one column in one chunk."""

    compression: str
    min: float  #: int8: the value of code 0
    scale: float  #: int8: the step from code to code
    offset: int  #: from the start of the chunk's payload, in bytes
    size: int | None  #: in bytes; None if only the chunk itself contains it


@dataclass(frozen=True)
class Chunk:
    """Rows that are compressed together."""

    first_row: int
    rows: int
    offset: int | None  #: of its record in the file, in bytes; None if it depends on earlier chunks
    payload_bytes: int | None
    metadata: Any  #: any JSON value; None if it has none
    slices: list[Slice] = field(repr=False)  #: in the order of the columns


@dataclass(frozen=True)
class Section:
    """A range of rows with its own metadata."""

    first_row: int
    rows: int
    metadata: Any


@dataclass(frozen=True)
class Info:
    """The content of a CVC file's header."""

    version: tuple[int, int]
    is_columnar: bool
    is_paged: bool  #: records start on pages ("mmap_optimized")
    rows: int
    columns: list[Column]
    chunks: list[Chunk] = field(repr=False)
    sections: list[Section] = field(repr=False)
    metadata: Any  #: any JSON value; None if there is none
    header: str = field(repr=False)  #: the JSON text
    header_bytes: int  #: position after the header in the file
    record_head_bytes: int = field(repr=False)  #: in front of each payload

    @property
    def dimension(self) -> int:
        """Values in a row, of all columns together."""
        return sum(column.dimension for column in self.columns)

    def find_column(self, name: str | int | None) -> int:
        """The index of a column, given by name or index; None: the only column.

        Raises:
            KeyError: There is no such column, or ``name`` is None and there are several.
        """
        if name is None:
            if len(self.columns) == 1:
                return 0
            raise KeyError(f"name one of the columns: {few(self._names())}")
        if not isinstance(name, str):
            try:
                index = index_of(name, "a column")
            except TypeMismatchError:
                index = -1
            if 0 <= index < len(self.columns):
                return index
            raise KeyError(f"there is no column {few(name)}, but {few(self._names())}")
        for index, column in enumerate(self.columns):
            if column.name == name:
                return index
        raise KeyError(f"there is no column {few(name)}, but {few(self._names())}")

    def _names(self) -> list[str]:
        return [column.name for column in self.columns]


def _value(text: str | None) -> Any:
    # Empty for a section without metadata.
    return json.loads(text) if text else None


def make_info(raw: dict[str, Any]) -> Info:
    """Converts the result of ``CvcReader.info`` in ``_core``."""
    chunks = [
        Chunk(first, rows, offset, size, _value(metadata), [Slice(*s) for s in slices])
        for first, rows, offset, size, metadata, slices in raw["chunks"]
    ]
    return Info(
        version=tuple(raw["version"]),
        is_columnar=raw["is_columnar"],
        is_paged=raw["is_paged"],
        rows=raw["rows"],
        columns=[Column(*column) for column in raw["columns"]],
        chunks=chunks,
        sections=[Section(first, n, _value(text)) for first, n, text in raw["sections"]],
        metadata=_value(raw["metadata"]),
        header=raw["header"] or "",
        header_bytes=raw["header_bytes"],
        record_head_bytes=raw["record_head_bytes"],
    )
