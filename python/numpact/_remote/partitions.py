# SPDX-License-Identifier: Apache-2.0
"""Names of folders that stand for values of columns: ``day=2024-01-01``, as Hive has them.

Readers and writers share these rules (docs/format/table-folder.md).
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any, Union
from urllib.parse import unquote

from .. import _core
from .._optional import require
from .manifest import LogicalType

#: What a folder's name may stand for; None: a null.
Value = Union[int, str, datetime.date, None]


def is_partition(name: str) -> bool:
    """Whether a folder of this name holds a part of a table: ``day=2024-01-01``, ``part-0001``."""
    return _core.is_partition(name.encode(errors="surrogatepass"))


def are_partitions(path: str) -> bool:
    """Whether all folders of a relative path are those of partitions."""
    return all(map(is_partition, path.split("/")))


def partition_name(column: str, value: Value) -> str:
    """The name of the folder with the rows in which a column has a value.

    Raises:
        InvalidArgumentError: No name stands for the value or the column.
    """
    text = None if value is None else str(value)
    return _core.partition_name(column, text, isinstance(value, int))


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
            found[unquote(column)] = None if value in ("", _core.NULL_PARTITION) else unquote(value)
    return dict(reversed(found.items()))


@dataclass(frozen=True)
class Constant:
    """A value that all rows have, such as that of the folder ``day=2024-01-01``. Can be pickled."""

    value: int | str | None  #: a whole number, the days since 1970-01-01, or text; None: null
    logical: LogicalType | None  #: None: text
    is_nullable: bool = False  #: the column has nulls, maybe in other folders
    of: Any = None  #: the type in pyarrow, of nulls that are neither numbers nor text

    @property
    def type(self) -> Any:
        """The type in pyarrow."""
        pyarrow = require("pyarrow", "dask")
        if self.logical is None:
            return pyarrow.string() if self.of is None else self.of
        return require("numpact._folders.columns", "dask").arrow_type_of(self.logical)

    def array(self, rows: int) -> Any:
        """The rows as an array of pyarrow."""
        pyarrow, type = require("pyarrow", "dask"), self.type
        if self.value is None:
            nulls = require("numpact._tables.joining", "dask").nulls_of(type, rows)
            return nulls.chunk(0)
        is_days = pyarrow.types.is_date32(type)
        value = pyarrow.scalar(self.value, pyarrow.int32() if is_days else type)
        return pyarrow.repeat(value.cast(type) if is_days else value, rows)
