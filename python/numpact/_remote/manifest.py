# SPDX-License-Identifier: Apache-2.0
"""Manifests of tables that ``numpact compress TABLE`` writes: folders of Pco files.

The rules are those of cli/pco/manifest.cpp; a manifest is untrusted input.
"""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _core
from .._arrow_columns import FORMATS
from .._errors import (
    CorruptError,
    LimitExceededError,
    TypeMismatchError,
    UnsupportedVersionError,
)
from .._number_types import TYPES, dtype_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[Any]

NAME = "manifest.json"
MAX_BYTES = 64 << 20
_FORMAT = "numpact-table"
_VERSIONS = (1, 2, 3)  #: 2 has nulls and metadata, 3 has other columns
_OTHERS_VERSION = 3
_MAX_VALUES = 1 << 22  #: scalars, lists and objects
# Memory limit for the parsed manifest: this factor of the text and a constant for some thousand
# columns. Manifests that the command writes need less.
_MEMORY_OF_TEXT = 2
_MEMORY_BESIDE = 4 << 20
_COLUMN_BYTES = 200  #: of a Column or an Other, without its strings
_MAX_NAME_BYTES = 120  # of the name of a column in a file name, in bytes
_LENGTH = struct.Struct("<I")  # before each text of packed metadata
# Before a longer string is created, its maximum memory is counted: 4 bytes for a character, and its
# UTF-8 form.
_LONG_TEXT_BYTES = 1 << 16
_LONG_TEXT_FACTOR = 5
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
    """The logical type of a column."""

    kind: str  #: "number", "bool", "date32", "date64", "time32", "time64", "timestamp", "duration"
    number_type: str
    unit: str = ""  #: "s", "ms", "us", "ns", of times, timestamps and durations
    timezone: str = ""

    def arrow_format(self) -> str:
        """The format in Arrow's C data interface."""
        if self.kind == "number":
            return FORMATS[self.number_type]
        if self.kind in ("bool", "date32", "date64"):
            return {"bool": "b", "date32": "tdD", "date64": "tdm"}[self.kind]
        zone = f":{self.timezone}" if self.kind == "timestamp" else ""
        return f"{_ARROW_PREFIX[self.kind]}{_ARROW_UNITS[self.unit]}{zone}"

    def numpy_dtype(self) -> np.dtype[Any]:
        """The closest NumPy type: datetime64 for dates, timedelta64 since midnight for times."""
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
        """Stored numbers in the closest NumPy type; copies 32-bit dates and times only."""
        import numpy as np

        dtype = self.numpy_dtype()
        if numbers.dtype == dtype:
            return numbers
        if numbers.dtype == np.int32:
            return numbers.astype(np.int64).view(dtype)
        return numbers.view(dtype)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a manifest."""

    name: str
    file: str
    logical: LogicalType
    count: int  #: numbers in the file
    null_file: str = ""  #: file of the null runs; empty if there are no nulls
    null_count: int = 0
    nulls_dropped: int = 0  #: rows of the source that are not in the file
    nullable: bool = True
    metadata: bytes = b""  #: of the field, packed: see ``unpack_metadata``

    @property
    def rows(self) -> int:
        return self.count + self.null_count


@dataclass(frozen=True, slots=True)
class Other:
    """A column that Pco cannot hold, in a file of Arrow IPC."""

    name: str
    file: str
    position: int  #: among all columns of the table
    type: str  #: as Arrow prints it
    rows: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """A column of the source that the folder does not have."""

    name: str
    type: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The description of a table."""

    columns: Sequence[Column]
    others: Sequence[Other] = ()
    skipped: Sequence[Skipped] = ()
    metadata: bytes = b""  #: of the table, packed

    def ordered(self) -> list[Column | Other]:
        """All columns in the order of the table."""
        made: list[Column | Other] = list(self.columns)
        for other in self.others:
            made.insert(other.position, other)
        return made

    def files(self) -> list[str]:
        """The files that it names."""
        named: list[str] = []
        for column in self.columns:
            named += [column.file, column.null_file] if column.null_file else [column.file]
        return named + [other.file for other in self.others]


def pack_metadata(pairs: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Pairs of keys and values in one object, which takes less memory than the pairs."""
    texts = [text for pair in pairs for text in pair]
    return b"".join(_LENGTH.pack(len(text)) + text for text in texts)


def unpack_metadata(packed: bytes) -> list[tuple[bytes, bytes]]:
    """The other way round."""
    texts: list[bytes] = []
    at = 0
    while at < len(packed):
        (size,) = _LENGTH.unpack_from(packed, at)
        at += _LENGTH.size
        texts.append(packed[at : at + size])
        at += size
    return list(zip(texts[::2], texts[1::2], strict=True))


def parse_manifest(text: bytes, name: str) -> Manifest:
    """Parses a manifest; needs at most twice the memory of the text and 4 MiB.

    Args:
        text: The manifest, UTF-8.
        name: How messages call it.

    Raises:
        CorruptError: Not a manifest, or it names files outside of its folder.
        LimitExceededError: Its content needs more memory than that of a valid manifest.
        UnsupportedVersionError: Written by a newer version.
    """
    if len(text) > MAX_BYTES:
        raise CorruptError(f"{name}: is too long")
    view = _core.json_view(text, _MAX_VALUES)
    if view is None:
        raise CorruptError(
            f"{name}: is no JSON, or deeper than 64 levels, or of more than {_MAX_VALUES} values"
        )
    memory = _Memory(len(text), name)
    reader = _Object(view, name, memory)
    if reader.text("format") != _FORMAT:
        raise reader.bad("is not a manifest of numpact")
    version = reader.count("version")
    if version not in _VERSIONS:
        raise UnsupportedVersionError(f"{name}: version {version}")
    columns = [_column(_Object(entry, name, memory)) for entry in reader.entries("columns")]
    others: list[Other] = []
    if version >= _OTHERS_VERSION and reader.find("others") is not None:
        others = [_other(_Object(entry, name, memory)) for entry in reader.entries("others")]
        _check_others(reader, columns, others)
    skipped = [_skipped(_Object(entry, name, memory)) for entry in reader.entries("skipped")]
    return Manifest(columns, others, skipped, reader.metadata())


def _check_others(reader: _Object, columns: list[Column], others: list[Other]) -> None:
    before = -1
    for other in others:
        if not before < other.position < len(columns) + len(others):
            raise reader.bad(f"column {other.name!r} cannot be at position {other.position}")
        before = other.position
    rows = {other.rows for other in others}
    rows |= {column.rows + column.nulls_dropped for column in columns}
    if others and len(rows) > 1:
        raise reader.bad(f"columns differ in their rows: {sorted(rows)[:4]}")


class _Memory:
    """Counts the memory of the parsed manifest."""

    def __init__(self, text_bytes: int, name: str) -> None:
        self._left = _MEMORY_BESIDE + _MEMORY_OF_TEXT * text_bytes
        self._name = name

    def take(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise LimitExceededError(
                f"{self._name}: it says more than a table of its size can hold"
            )


class _Object:
    """Reads and checks the fields of a JSON object."""

    def __init__(self, json: _core.JsonView, name: str, memory: _Memory) -> None:
        self.name = name
        self.memory = memory
        self._json = json
        if json.kind != "object":
            raise self.bad("is not an object")

    def bad(self, what: str) -> CorruptError:
        return CorruptError(f"{self.name}: {what}")

    def find(self, key: str) -> _core.JsonView | None:
        return self._json.find(key)

    def field(self, key: str) -> _core.JsonView:
        found = self.find(key)
        if found is None:
            raise self.bad(f"has no {key!r}")
        return found

    def text(self, key: str, default: str | None = None) -> str:
        found = self.find(key)
        if found is None and default is not None:
            return default
        field = self.field(key)
        if field.kind != "string":
            raise self.bad(f"{key!r} is not text")
        if field.size > _LONG_TEXT_BYTES:
            self.memory.take(_LONG_TEXT_FACTOR * field.size)
        made = field.string()
        assert made is not None
        self.memory.take(sys.getsizeof(made))
        return made

    def count(self, key: str) -> int:
        number = self.field(key).natural()
        if number is None:
            raise self.bad(f"{key!r} is not a count")
        return number

    def entries(self, key: str) -> Iterator[_core.JsonView]:
        array = self.field(key)
        if array.kind != "array":
            raise self.bad(f"{key!r} is not a list")
        return _items(array)

    def file(self) -> str:
        """The name of a file in the folder."""
        file = self.text("file")
        if file in ("", ".") or ".." in file or set(file) & set("/\\:\0"):
            raise self.bad(f"file name {file!r} leads out of the folder")
        return file

    def flag(self, key: str, default: bool) -> bool:
        found = self.find(key)
        if found is None:
            return default
        if found.kind != "bool":
            raise self.bad(f"{key!r} is neither true nor false")
        return found.size == len("true")  # of the two literals, which have different lengths

    def metadata(self) -> bytes:
        """The metadata, packed."""
        found = self.find("metadata")
        if found is None:
            return b""
        if found.kind != "array" or not all(_is_pair(item) for item in _items(found)):
            raise self.bad("'metadata' is not a list of pairs of text")
        packed = bytearray()  # not a list of texts, which would take more memory
        for pair in _items(found):
            for item in _items(pair):
                self.memory.take(_LENGTH.size + item.size)
                text = _bytes_of(item)
                packed += _LENGTH.pack(len(text))
                packed += text
        return bytes(packed)


def _items(array: _core.JsonView) -> Iterator[_core.JsonView]:
    item = array.first()
    while item is not None:
        yield item
        item = item.next()


def _is_pair(json: _core.JsonView) -> bool:
    return json.kind == "array" and json.count() == 2 and all(map(_is_text, _items(json)))


def _is_text(json: _core.JsonView) -> bool:
    """Whether it is text, or {"hex": "00ff"}."""
    if json.kind == "string":
        return True
    digits = json.find("hex")
    if digits is None or json.count() != 1 or digits.kind != "string":
        return False
    return digits.is_hex()


def _bytes_of(json: _core.JsonView) -> bytes:
    """The content of a text for which ``_is_text`` is true."""
    text = json.string()
    if text is not None:
        return text.encode("utf-8", "surrogatepass")
    digits = json.find("hex")
    assert digits is not None
    return bytes.fromhex(digits.string() or "")


def _column(entry: _Object) -> Column:
    name, file, count = entry.text("name"), entry.file(), entry.count("count")
    number_type, kind = entry.text("number_type"), entry.text("logical_type")
    if number_type not in TYPES:
        raise entry.bad(f"number type {number_type!r} is unknown")
    if kind != "number" and kind not in _STORED:
        raise entry.bad(f"logical type {kind!r} is unknown")
    if _STORED.get(kind, number_type) != number_type:
        raise entry.bad(f"logical type {kind!r} is not stored as {number_type}")
    unit = ""
    if kind in _UNITS:
        unit = entry.text("unit")
        if unit not in _UNITS[kind]:
            raise entry.bad(f"{unit!r} is not a unit of {kind}")
    timezone = entry.text("timezone", "")
    logical = LogicalType(kind, number_type, unit, timezone if kind == "timestamp" else "")
    nullable, metadata = entry.flag("nullable", True), entry.metadata()
    dropped = 0 if entry.find("nulls_dropped") is None else entry.count("nulls_dropped")
    null_file, null_count = _nulls(entry, count)
    entry.memory.take(_COLUMN_BYTES)
    return Column(name, file, logical, count, null_file, null_count, dropped, nullable, metadata)


def _other(entry: _Object) -> Other:
    other = Other(
        entry.text("name"),
        entry.file(),
        entry.count("position"),
        entry.text("type"),
        entry.count("rows"),
    )
    entry.memory.take(_COLUMN_BYTES)
    return other


def _skipped(entry: _Object) -> Skipped:
    skipped = Skipped(entry.text("name"), entry.text("type"), entry.text("reason", ""))
    entry.memory.take(_COLUMN_BYTES)
    return skipped


def _nulls(entry: _Object, count: int) -> tuple[str, int]:
    """The file of the null runs, and the count of nulls."""
    found = entry.find("nulls")
    if found is None:
        return "", 0
    nulls = _Object(found, entry.name, entry.memory)
    file, null_count = nulls.file(), nulls.count("count")
    if null_count == 0 or null_count + count >= 1 << 64:
        raise nulls.bad(f"{null_count} nulls for {count} numbers")
    return file, null_count


def logical_type_of(dtype: npt.DTypeLike, number_type: str) -> LogicalType:
    """The logical type of stored numbers for a NumPy type."""
    import numpy as np

    requested: np.dtype[Any] = np.dtype(dtype)
    if requested.kind == "b":
        return LogicalType("bool", number_type)
    if requested.kind in "mM":
        unit = requested.name.partition("[")[2].rstrip("]")
        if unit in _UNITS["timestamp"]:
            kind = "timestamp" if requested.kind == "M" else "duration"
            return LogicalType(kind, number_type, unit)
        raise TypeMismatchError(f"{requested}: a table has times in s, ms, us or ns")
    return LogicalType("number", number_type)


# ---- writing ----


def manifest_text(manifest: Manifest) -> bytes:
    """The text of a manifest, which ``parse_manifest`` reads."""
    document: dict[str, Any] = {"format": _FORMAT, "version": 2}
    document["columns"] = [_column_json(column) for column in manifest.columns]
    if manifest.others:
        document["version"] = _OTHERS_VERSION
        document["others"] = [
            {
                "name": other.name,
                "file": other.file,
                "position": other.position,
                "type": other.type,
                "rows": other.rows,
            }
            for other in manifest.others
        ]
    document["skipped"] = [
        {"name": skipped.name, "type": skipped.type, "reason": skipped.reason}
        for skipped in manifest.skipped
    ]
    if manifest.metadata:
        document["metadata"] = _metadata_json(manifest.metadata)
    return json.dumps(document, indent=2, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _column_json(column: Column) -> dict[str, Any]:
    logical = column.logical
    entry: dict[str, Any] = {
        "name": column.name,
        "file": column.file,
        "logical_type": logical.kind,
        "unit": logical.unit if logical.kind in _UNITS else "",
        "timezone": logical.timezone,
        "number_type": logical.number_type,
        "count": column.count,
    }
    if not entry["unit"]:
        del entry["unit"]
    if not entry["timezone"]:
        del entry["timezone"]
    if column.null_count:
        entry["nulls"] = {"file": column.null_file, "count": column.null_count}
    if not column.nullable:
        entry["nullable"] = False
    if column.metadata:
        entry["metadata"] = _metadata_json(column.metadata)
    if column.nulls_dropped:
        entry["nulls_dropped"] = column.nulls_dropped
    return entry


def _metadata_json(packed: bytes) -> list[list[Any]]:
    def text(content: bytes) -> Any:
        try:
            return content.decode()
        except UnicodeDecodeError:
            return {"hex": content.hex()}

    return [[text(key), text(value)] for key, value in unpack_metadata(packed)]


def file_name(column: str, ending: str, taken: set[str]) -> str:
    """A file name for a column, which is added to ``taken``; as in cli/pco/manifest.cpp.

    Args:
        column: The name of the column.
        ending: ".pco" or ".arrow".
        taken: Stems that are in use, in lower case.
    """
    kept = frozenset(b"0123456789_-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    stem = "".join(
        chr(byte) if byte in kept else f"%{byte:02X}"
        for byte in column.encode("utf-8", "surrogatepass")
    )
    stem = stem[:_MAX_NAME_BYTES] or "column"
    copy, unique = 1, stem
    while unique.lower() in taken:
        copy += 1
        unique = f"{stem}~{copy}"
    taken.add(unique.lower())
    return unique + ending


def null_file_name(file: str) -> str:
    """The file of null runs of a column: "a.pco" gives "a.nulls.pco"."""
    return file.removesuffix(".pco") + ".nulls.pco"
