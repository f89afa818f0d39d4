# SPDX-License-Identifier: Apache-2.0
"""Names of folders that stand for values of columns: ``day=2024-01-01``, as Hive has them.

Readers and writers share these rules (docs/format/table-folder.md).
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from typing import Any, Union
from urllib.parse import quote, unquote

from .._errors import InvalidArgumentError
from .._optional import require
from .manifest import LogicalType

#: What a folder's name may stand for; None: a null.
Value = Union[int, str, datetime.date, None]

_PART = re.compile(r"part-\d+")
_NULL = "__HIVE_DEFAULT_PARTITION__"
# Values that stand for null: an empty one, and the name that Hive, Spark and DuckDB write.
_NULLS = ("", _NULL)
#: Of whole numbers: all of them fit in 64 bits.
MAX_DIGITS = 18
# Of a name in common file systems.
_MAX_NAME_BYTES = 255


def is_partition(name: str) -> bool:
    """Whether a folder of this name holds a part of a table: ``day=2024-01-01``, ``part-0001``.

    Hidden ones are unfinished: ``.day=2024-01-01.123-0a1b.tmp``.
    """
    is_named = name.find("=") > 0 and not name.startswith(".")
    return is_named or _PART.fullmatch(name) is not None


def are_partitions(path: str) -> bool:
    """Whether all folders of a relative path are those of partitions."""
    return all(map(is_partition, path.split("/")))


def partition_name(column: str, value: Value) -> str:
    """The name of the folder with the rows in which a column has a value.

    Raises:
        InvalidArgumentError: No name stands for the value or the column.
    """
    if value in _NULLS and value is not None:
        raise InvalidArgumentError(
            f"column {column!r}: {value!r} names no folder, since readers take it for a null"
        )
    if isinstance(value, int) and len(str(abs(value))) > MAX_DIGITS:
        raise InvalidArgumentError(
            f"column {column!r}: {value} names no folder, since readers take more than "
            f"{MAX_DIGITS} digits for text"
        )
    key = quote(column, safe="")
    key = key.replace(".", "%2E", 1) if key.startswith(".") else key
    name = f"{key}={_NULL if value is None else quote(str(value), safe='')}"
    if not key or len(name) > _MAX_NAME_BYTES:
        raise InvalidArgumentError(
            f"column {column!r}: the name of a folder would have {len(name)} bytes, more than "
            f"{_MAX_NAME_BYTES}"
            if key
            else "a column without a name names no folder"
        )
    return name


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
