# SPDX-License-Identifier: Apache-2.0
"""Tables as ``numpact compress TABLE`` makes them: a folder of Pco files and its manifest.

The rules are those of cli/manifest.cpp; a manifest comes from outside like the files do.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._arrays import TYPES, dtype_of
from ._arrow import _FORMATS
from ._errors import CorruptError, TypeMismatchError, UnsupportedVersionError
from ._ranges import Location, join

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[Any]

NAME = "manifest.json"
_FORMAT = "numpact-table"
_VERSIONS = (1, 2)  #: 2 has nulls and metadata
_STORED = {
    "bool": "u8", "date32": "i32", "date64": "i64", "time32": "i32", "time64": "i64",
    "timestamp": "i64", "duration": "i64",
}  # fmt: skip
_UNITS = {
    "time32": ("s", "ms"),
    "time64": ("us", "ns"),
    "timestamp": ("s", "ms", "us", "ns"),
    "duration": ("s", "ms", "us", "ns"),
}
_ARROW_PREFIX = {"time32": "tt", "time64": "tt", "timestamp": "ts", "duration": "tD"}
_ARROW_UNITS = {"s": "s", "ms": "m", "us": "u", "ns": "n"}


@dataclass(frozen=True)
class LogicalType:
    """What the numbers of a column mean."""

    kind: str  #: "number", "bool", "date32", "date64", "time32", "time64", "timestamp", "duration"
    number_type: str
    unit: str = ""  #: "s", "ms", "us", "ns", of times, timestamps and durations
    timezone: str = ""

    def arrow_format(self) -> str:
        """As Arrow's C data interface spells it."""
        if self.kind == "number":
            return _FORMATS[self.number_type]
        if self.kind in ("bool", "date32", "date64"):
            return {"bool": "b", "date32": "tdD", "date64": "tdm"}[self.kind]
        zone = f":{self.timezone}" if self.kind == "timestamp" else ""
        return f"{_ARROW_PREFIX[self.kind]}{_ARROW_UNITS[self.unit]}{zone}"

    def numpy_dtype(self) -> np.dtype[Any]:
        """NumPy's nearest type. Dates are datetime64, times timedelta64 since midnight."""
        import numpy as np

        if self.kind == "number":
            return dtype_of(self.number_type)
        if self.kind == "bool":
            return np.dtype(np.bool_)
        if self.kind in ("date32", "date64"):
            return np.dtype("datetime64[D]" if self.kind == "date32" else "datetime64[ms]")
        name = "datetime64" if self.kind == "timestamp" else "timedelta64"
        return np.dtype(f"{name}[{self.unit}]")

    def as_numpy(self, numbers: Array) -> Array:
        """Numbers as they are stored, as NumPy's nearest type; copies only 32-bit dates, times."""
        import numpy as np

        dtype = self.numpy_dtype()
        if numbers.dtype == dtype:
            return numbers
        if numbers.dtype == np.int32:
            return numbers.astype(np.int64).view(dtype)
        return numbers.view(dtype)


@dataclass(frozen=True)
class Column:
    name: str
    file: str
    logical: LogicalType
    count: int  #: numbers in the file
    null_file: str = ""  #: which rows are null; empty if none is
    null_count: int = 0
    nulls_dropped: int = 0  #: rows of the source that are not in the file

    @property
    def rows(self) -> int:
        return self.count + self.null_count


def read_manifest(folder: Location) -> list[Column]:
    """The columns of a table.

    Raises:
        CorruptError: Not a manifest, or one that names files outside its folder.
        UnsupportedVersionError: Written by a newer version.
    """
    place = join(folder, NAME)
    return parse_manifest(place.read_all(), place.url)


def parse_manifest(text: bytes, name: str) -> list[Column]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):  # the latter: nested too deeply
        raise CorruptError(f"{name}: is no JSON") from None
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise CorruptError(f"{name}: is no manifest of numpact")
    if document.get("version") not in _VERSIONS or isinstance(document.get("version"), bool):
        raise UnsupportedVersionError(f"{name}: version {document.get('version')!r}")
    columns = document.get("columns")
    if not isinstance(columns, list):
        raise CorruptError(f"{name}: 'columns' is no list")
    return [_column(entry, name) for entry in columns]


def _column(entry: Any, name: str) -> Column:
    if not isinstance(entry, dict):
        raise CorruptError(f"{name}: a column is no object")

    def text(key: str, default: str | None = None) -> str:
        value = entry.get(key, default)
        if not isinstance(value, str):
            raise CorruptError(f"{name}: {key!r} is no text")
        return value

    file, count = _file(text("file"), name), entry.get("count")
    if type(count) is not int or count < 0:
        raise CorruptError(f"{name}: 'count' is no count")
    kind, number_type = text("logical_type"), text("number_type")
    if number_type not in TYPES:
        raise CorruptError(f"{name}: number type {number_type!r} is unknown")
    if kind != "number" and kind not in _STORED:
        raise CorruptError(f"{name}: logical type {kind!r} is unknown")
    if _STORED.get(kind, number_type) != number_type:
        raise CorruptError(f"{name}: logical type {kind!r} is not stored as {number_type}")
    unit = ""
    if kind in _UNITS:
        unit = text("unit")
        if unit not in _UNITS[kind]:
            raise CorruptError(f"{name}: {unit!r} is no unit of {kind}")
    logical = LogicalType(kind, number_type, unit, text("timezone", ""))
    dropped = entry.get("nulls_dropped", 0)
    if type(dropped) is not int or dropped < 0:
        raise CorruptError(f"{name}: 'nulls_dropped' is no count")
    return Column(text("name"), file, logical, count, *_nulls(entry, name), dropped)


def _file(file: Any, name: str) -> str:
    if not isinstance(file, str):
        raise CorruptError(f"{name}: 'file' is no text")
    if file in ("", ".") or ".." in file or set(file) & set("/\\:\0"):
        raise CorruptError(f"{name}: file name {file!r} leads out of the folder")
    return file


def _nulls(entry: dict[str, Any], name: str) -> tuple[str, int]:
    """The file that says which rows are null, and how many are."""
    if "nulls" not in entry:
        return "", 0
    nulls = entry["nulls"]
    if not isinstance(nulls, dict):
        raise CorruptError(f"{name}: 'nulls' is no object")
    count = nulls.get("count")
    if type(count) is not int or count < 1:
        raise CorruptError(f"{name}: 'count' of nulls is no count")
    return _file(nulls.get("file"), name), count


def logical_type_of(dtype: npt.DTypeLike, number_type: str) -> LogicalType:
    """The meaning that a NumPy type gives to stored numbers."""
    import numpy as np

    wanted: np.dtype[Any] = np.dtype(dtype)
    if wanted.kind == "b":
        return LogicalType("bool", number_type)
    if wanted.kind in "mM":
        unit = wanted.name.partition("[")[2].rstrip("]")
        if unit in _UNITS["timestamp"]:
            kind = "timestamp" if wanted.kind == "M" else "duration"
            return LogicalType(kind, number_type, unit)
        raise TypeMismatchError(f"{wanted}: a table has times in s, ms, us or ns")
    return LogicalType("number", number_type)
