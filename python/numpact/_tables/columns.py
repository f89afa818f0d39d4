# SPDX-License-Identifier: Apache-2.0
"""Arrow's types in the words of the command, and back."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

_NUMBERS = {
    "u8": pa.uint8(), "u16": pa.uint16(), "u32": pa.uint32(), "u64": pa.uint64(),
    "i8": pa.int8(), "i16": pa.int16(), "i32": pa.int32(), "i64": pa.int64(),
    "f16": pa.float16(), "f32": pa.float32(), "f64": pa.float64(),
}  # fmt: skip
_NAMES = {type: name for name, type in _NUMBERS.items()}
# Which number type holds the values, and how Arrow tests for the type.
_KINDS = {
    "bool": ("u8", pa.types.is_boolean),
    "date32": ("i32", pa.types.is_date32),
    "date64": ("i64", pa.types.is_date64),
    "time32": ("i32", pa.types.is_time32),
    "time64": ("i64", pa.types.is_time64),
    "timestamp": ("i64", pa.types.is_timestamp),
    "duration": ("i64", pa.types.is_duration),
}


def number_type(name: str) -> pa.DataType:
    """The Arrow type of a number type: "f64" gives float64."""
    return _NUMBERS[name]


def describe(field: pa.Field, lists: bool = False) -> dict[str, Any]:
    """A field as the command takes it; ``lists``: those of a fixed number of numbers too."""
    told: dict[str, Any] = {"name": field.name, "source_type": str(field.type), "list_size": 0}
    told["type"] = _NAMES.get(field.type)
    if lists and pa.types.is_fixed_size_list(field.type) and field.type.list_size > 0:
        told["type"] = _NAMES.get(field.type.value_type)
        told["list_size"] = field.type.list_size if told["type"] is not None else 0
    if told["type"] is not None:
        return {**told, "kind": "number", "unit": "s", "timezone": ""}
    for kind, (storage, matches) in _KINDS.items():
        if matches(field.type):
            unit = getattr(field.type, "unit", "s") if not kind.startswith("date") else "s"
            timezone = getattr(field.type, "tz", None) or ""
            return {**told, "type": storage, "kind": kind, "unit": unit, "timezone": timezone}
    return told


def arrow_type(column: dict[str, Any]) -> pa.DataType:
    """The Arrow type of the values of a column that the command describes."""
    kind, unit = column["kind"], column["unit"]
    if kind == "number":
        number = _NUMBERS[column["type"]]
        return pa.list_(number, column["list_size"]) if column["list_size"] else number
    if kind == "timestamp":
        return pa.timestamp(unit, column["timezone"] or None)
    if kind in ("time32", "time64", "duration"):
        return getattr(pa, kind)(unit)
    return {"bool": pa.bool_(), "date32": pa.date32(), "date64": pa.date64()}[kind]
