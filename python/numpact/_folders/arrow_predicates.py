# SPDX-License-Identifier: Apache-2.0
"""What expressions of pyarrow say of rows, as conditions of the library.

pyarrow does not show the parts of an expression. It serializes it, as ``pickle`` does: a file of
Arrow whose columns are the literals, and whose metadata are the parts, in order. For
``(a > 3) & b.is_valid()``::

    call: and_kleene    call: greater   field_ref: a   literal: 0   end: greater
    call: is_valid      field_ref: b    end: is_valid  end: and_kleene

The form is pyarrow's own and may change: whatever is not known here leaves nothing out.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc

from .filters import IN, IS_NOT_NULL, IS_NULL, LIKE
from .polars_predicates import (
    FLIPPED,
    MAX_DEPTH,
    Clause,
    Kind,
    Literal,
    Test,
    alternatives,
    conditions_of_clauses,
)
from .scanning import Condition

_OPS = {
    "equal": "=",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}


class _Call(NamedTuple):
    """A function, its inputs, and its options as a dictionary."""

    name: str
    inputs: list[Any]
    options: dict[str, Any]


class _Field(NamedTuple):
    """A column by its name."""

    name: str


#: A part whose form is not known, or that no condition can be made of.
_UNKNOWN = object()


def pruning_of_arrow(
    where: pc.Expression, names: Sequence[str], kind_at: Callable[[int], Kind]
) -> list[Condition]:
    """As ``pruning``, of an expression of pyarrow."""
    return conditions_of_clauses(_clauses(_parsed(where)), names, kind_at)


def columns_of_arrow(where: pc.Expression) -> list[str] | None:
    """The columns of an expression; None if that is not known."""
    found: list[str] = []

    def is_known(part: Any) -> bool:
        if isinstance(part, _Call):
            return all(map(is_known, part.inputs))
        if isinstance(part, _Field):
            found.append(part.name)
        return part is not _UNKNOWN

    return found if is_known(_parsed(where)) else None


def _parsed(where: pc.Expression) -> Any:
    """The root of an expression: a call, a column, an array with the value of a literal, or
    ``_UNKNOWN``.
    """
    try:
        _, (content, *_) = where.__reduce__()[:2]
        values = pa.ipc.open_file(content).read_all()
        parts = iter(_metadata(values.schema))
        root = _part(*next(parts), parts, values, 0)
        return root if next(parts, None) is None else _UNKNOWN
    except (
        pa.ArrowException, ValueError, TypeError, StopIteration, IndexError, UnicodeError
    ):  # fmt: skip
        return _UNKNOWN


def _part(key: str, value: str, parts: Iterator[tuple[str, str]], values: pa.Table, at: int) -> Any:
    if at > MAX_DEPTH:
        raise ValueError("too many levels")
    if key == "field_ref":
        return _Field(value)
    if key == "literal":
        return values.column(int(value))
    if key != "call":
        raise ValueError(f"{key} is not known")
    inputs: list[Any] = []
    options: dict[str, Any] = {}
    for key, inner in parts:
        if key == "end":
            return _Call(value, inputs, options)
        if key == "options":
            options = values.column(int(inner))[0].as_py()
        else:
            inputs.append(_part(key, inner, parts, values, at + 1))
    raise ValueError("a call does not end")


class _SchemaHead(ctypes.Structure):
    """The first members of an ArrowSchema of Arrow's C data interface."""

    _fields_ = (
        ("format", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("metadata", ctypes.c_void_p),
    )


def _metadata(schema: pa.Schema) -> list[tuple[str, str]]:
    """The metadata of a schema in order, with keys that repeat, which pyarrow's dictionary lacks.

    In the C data interface they are a count, and for each the lengths and bytes of key and value.
    """
    capsule = schema.__arrow_c_schema__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    head = _SchemaHead.from_address(pointer(capsule, b"arrow_schema"))
    at = head.metadata
    if not at:
        return []

    def number() -> int:
        nonlocal at
        at += 4
        found: int = struct.unpack("=i", ctypes.string_at(at - 4, 4))[0]
        return found

    def text() -> str:
        nonlocal at
        size = number()
        at += size
        return ctypes.string_at(at - size, size).decode()

    return [(text(), text()) for _ in range(number())]


def _clauses(part: Any) -> list[Clause]:
    """What all rows satisfy that an expression selects; nothing of what is not known."""
    if not isinstance(part, _Call):
        return []
    name, inputs, options = part
    if name in ("and_kleene", "and"):
        return [clause for one in inputs for clause in _clauses(one)]
    if name in ("or_kleene", "or"):
        sides = [alternatives(_clauses(one)) for one in inputs]
        return [[one for side in sides for one in side]] if all(sides) else []
    if name == "if_else" and len(inputs) == 3 and _is_null(inputs[2]):  # as DuckDB writes "in"
        return [*_clauses(inputs[0]), *_clauses(inputs[1])]
    if name in _OPS and len(inputs) == 2:
        return _comparison(inputs[0], _OPS[name], inputs[1])
    if len(inputs) != 1 or not isinstance(inputs[0], _Field):
        return []
    column = inputs[0].name
    if name == "is_valid" and not options:
        return [[[Test(column, IS_NOT_NULL)]]]
    if name == "is_null" and options.get("nan_is_null") is False:
        return [[[Test(column, IS_NULL)]]]
    if name == "is_in" and isinstance(options.get("value_set"), list):
        return _listed(column, options["value_set"])
    if name == "starts_with" and options.get("ignore_case") is False:
        return [[[Test(column, LIKE, (("String", options.get("pattern")),))]]]
    return []


def _is_null(part: Any) -> bool:
    return isinstance(part, pa.ChunkedArray) and len(part) == 1 and not part[0].is_valid


def _comparison(left: Any, op: str, right: Any) -> list[Clause]:
    if isinstance(right, _Field):
        left, op, right = right, FLIPPED.get(op, op), left
    if not isinstance(left, _Field) or not isinstance(right, pa.ChunkedArray) or len(right) != 1:
        return []
    literal = _literal(right[0])
    return [] if literal is None else [[[Test(left.name, op, (literal,))]]]


def _listed(column: str, values: list[Any]) -> list[Clause]:
    """Of texts and whole numbers alone: other types are not seen from their values."""
    literals: list[Literal] = []
    for value in values:
        if isinstance(value, str):
            literals.append(("String", value))
        elif isinstance(value, int) and not isinstance(value, bool):
            literals.append(("Int", value))
        else:
            return []
    return [[[Test(column, IN, tuple(literals))]]]


_UNITS = {"ms": "Milliseconds", "us": "Microseconds", "ns": "Nanoseconds"}
_NS_OF = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}


def _literal(value: pa.Scalar) -> Literal | None:
    """The value in the words of ``polars_predicates``; None for other types."""
    type = value.type
    if not value.is_valid:
        return None
    if pa.types.is_boolean(type):
        return "Boolean", value.as_py()
    if pa.types.is_integer(type):
        letters = "UInt" if pa.types.is_unsigned_integer(type) else "Int"
        return f"{letters}{type.bit_width}", value.as_py()
    if pa.types.is_floating(type):
        return "Float32" if type == pa.float32() else "Float64", float(value.as_py())
    if pa.types.is_string(type) or pa.types.is_large_string(type) or str(type) == "string_view":
        return "String", value.as_py()
    if pa.types.is_date32(type):
        return "Date", value.value
    if pa.types.is_time(type):
        return "Time", value.value * _NS_OF[type.unit]
    if pa.types.is_timestamp(type) or pa.types.is_duration(type):
        # Seconds are milliseconds there.
        count = value.value * (1000 if type.unit == "s" else 1)
        unit = _UNITS["ms" if type.unit == "s" else type.unit]
        if pa.types.is_duration(type):
            return "Duration", [count, unit]
        return "Datetime", [count, unit, type.tz]
    return None
