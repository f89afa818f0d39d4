# SPDX-License-Identifier: Apache-2.0
"""Rows of a certain version of a table, which tasks read, maybe on other machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from .._limits import Budget, Limits
from .._remote.manifest import Column, Other, Part
from .._remote.table_folder import OtherBlocks, StoredPart, TableVersion
from .._tables.unifying import as_common
from .filters import Comparison
from .scanning import Scan, conditions_of
from .sources import Folder, OtherSource, Source, Span, source_of

if TYPE_CHECKING:
    from .._types import Array


class _Folder(Folder):
    """An open version, of which a task knows the files of other columns that it needs."""

    def __init__(
        self,
        version: TableVersion,
        used: set[str],
        other_blocks: Mapping[str, OtherBlocks],
        limits: Limits,
    ) -> None:
        self.path = version.place
        self.limits = limits
        self.manifest = version.manifest
        self.reader = version.reader(used, limits.decoding)
        self._other_blocks = other_blocks

    def _source(self, part: Part, column: str, url: str) -> Any:
        one = self._other_blocks[part.file]
        return one.file.checked(one.blocks)

    def column(self, stored: StoredPart, entry: Column | Other) -> Source:
        if isinstance(entry, Column):
            return source_of(self, stored.index, entry)
        parts = tuple(Part(one.file.name, one.rows) for one in stored.other_blocks)
        known = Other(entry.name, entry.position, entry.type, entry.rows, parts)
        return OtherSource(self, known, stored.index, stored.begin)


def rows_of(
    version: TableVersion,
    columns: Mapping[str, StoredPart],
    chosen: Sequence[str],
    where: Sequence[Comparison],
    span: Span,
    limits: Limits,
    budget: Budget,
) -> tuple[dict[str, pa.ChunkedArray], Array | None]:
    """The rows of a span that satisfy a filter, which count in the budget.

    Args:
        version: The table.
        columns: At least those that are chosen, and those of the filter.
        chosen: The names of columns.
        where: The filter.
        span: The rows.
        limits: Of what is decoded.
        budget: Of the call.

    Returns:
        The columns, and the numbers of the rows: (n,) of int64; None: all of the span.
    """
    tested = [name for item in where for name in (item.column, item.other) if name is not None]
    used = list(dict.fromkeys([*chosen, *tested]))
    entries = version.manifest.ordered()
    own = [entries[columns[name].index] for name in used]
    files = {file for entry in own if isinstance(entry, Column) for file in entry.files()}
    other_blocks = {one.file.name: one for name in used for one in columns[name].other_blocks}
    folder = _Folder(version, files, other_blocks, limits)
    sources = [folder.column(columns[name], at) for name, at in zip(used, own, strict=True)]
    numbers = None
    first, stop = span
    if where:
        conditions = conditions_of(where, used)
        places = [*version.files[:1], *(one.file for one in other_blocks.values())]
        # A request to a store costs more than memory for a partition. Windows begin at multiples of
        # their rows, so that this is one window, wherever the partition begins.
        window = stop if places[0].local_path is None else None
        scan = Scan(folder, sources, range(len(chosen)), conditions, span, 1, window)
        parts: list[list[pa.Array]] = [[] for _ in chosen]
        found = [np.empty(0, np.int64)]
        for rows in scan.rows(budget, are_numbered=True):
            assert rows.numbers is not None
            found.append(rows.numbers)
            for part, arrays in zip(parts, rows.columns, strict=True):
                part += arrays
        numbers = np.concatenate(found)
    else:
        parts = [source.read(first, stop - first, 1, budget) for source in sources]
    made = {
        name: _in_type(source, part, columns[name].type, folder)
        for name, source, part in zip(chosen, sources, parts, strict=False)
    }
    return made, numbers


def _in_type(source: Source, arrays: list[pa.Array], type: Any, folder: Folder) -> pa.ChunkedArray:
    """Values in the type that other tables make necessary; None: in their own."""
    values = pa.chunked_array(arrays, source.field.type)
    if type is None or values.type == type:
        return values
    if isinstance(source, OtherSource) and not pa.types.is_dictionary(type):
        for array in arrays:
            source.check_spread(array)
    entry = source.entry
    return as_common(values, type, f"{folder.url(entry.first_file)}: column {entry.name!r}")
