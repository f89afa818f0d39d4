# SPDX-License-Identifier: Apache-2.0
"""What expressions of polars say of rows, as conditions of the library."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import pyarrow as pa
import pyarrow.ipc

from .._errors import Error
from .._remote.manifest import LogicalType
from .filters import IN, IS_NOT_NULL, IS_NULL, LIKE, Comparison, NumberCondition, joined
from .other_filters import bind_other
from .scanning import Condition
from .sources import NumberSource, Source, TextSource
from .values import Value, number_text

if TYPE_CHECKING:
    import polars as pl

_OPS = {"Eq": "=", "NotEq": "!=", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OF_FLOATS = {"<": "<=", ">": "not <", ">=": "not <"}
# Units of literals, and the digits behind the point of a second.
_DIGITS = {"Milliseconds": 3, "Microseconds": 6, "Nanoseconds": 9}
# The units that columns have in polars, which has no seconds.
_UNITS = {"s": "Milliseconds", "ms": "Milliseconds", "us": "Microseconds", "ns": "Nanoseconds"}
# polars compares columns of whole numbers with others as floats of 32 or 64 bits, or of another
# width. Up to these magnitudes that changes no comparison.
_EXACT_IN_FLOATS = 1 << 24
_EXACT_IN_DOUBLES = 1 << 53
#: Levels of an expression that are searched; deeper parts are the engine's alone.
MAX_DEPTH = 64


#: What a column holds: numbers of a logical type, or other values of a type of pyarrow.
Kind = Union[LogicalType, pa.DataType]


def kind_of(source: Source) -> Kind:
    """What a column of a table holds."""
    if isinstance(source, NumberSource) and not isinstance(source, TextSource):
        return source.logical
    return source.field.type


def pruning(
    predicate: pl.Expr, names: Sequence[str], kind_at: Callable[[int], Kind]
) -> list[Condition]:
    """Conditions that every row that matches satisfies; polars judges the rows themselves.

    Translates only certain cases: comparisons of a column with a literal, tests for null, values
    that are listed and text that begins so, joined by "and" and "or".
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = json.loads(predicate.meta.serialize(format="json"))
    except Exception:  # an expression without such a form
        return []
    return conditions_of_clauses(_clauses(tree, 0), names, kind_at)


def conditions_of_clauses(
    clauses: Sequence[Clause], names: Sequence[str], kind_at: Callable[[int], Kind]
) -> list[Condition]:
    """The conditions of all clauses that the library can test."""
    found: list[list[list[Condition]]] = []
    for clause in clauses:
        alternatives = [
            [made for test in tests if (made := _condition(test, names, kind_at)) is not None]
            for tests in clause
        ]
        if all(alternatives):
            found.append(alternatives)
    comparisons = joined([[[one.comparison for one in some] for some in each] for each in found])
    flat = [condition for each in found for some in each for condition in some]
    return [one._replace(comparison=c) for one, c in zip(flat, comparisons, strict=True)]


def _condition(
    test: Test, names: Sequence[str], kind_at: Callable[[int], Kind]
) -> Condition | None:
    if names.count(test.column) != 1:
        return None
    index = names.index(test.column)
    try:
        kind = kind_at(index)
        if isinstance(kind, LogicalType):
            comparison = _comparable(test, kind)
            if comparison is not None:
                NumberCondition([comparison], kind)
        else:
            # Enums are in the order of their categories.
            is_ordered = pa.types.is_dictionary(kind)
            is_known = not is_ordered or test.op in ("=", IN, IS_NULL, IS_NOT_NULL)
            comparison = _comparable_text(test) if is_known else None
            if comparison is not None:
                bind_other([comparison], kind)
    except Error:
        return None
    return None if comparison is None else Condition(index, comparison)


def _comparable_text(test: Test) -> Comparison | None:
    """As ``_comparable``, for other columns: polars compares text byte by byte, too."""
    texts = [value for kind, value in test.literals if kind == "String" and isinstance(value, str)]
    if len(texts) < len(test.literals):
        return None
    if test.op == LIKE:
        texts = [re.sub(r"([%_\\])", r"\\\1", text) + "%" for text in texts]
    return Comparison(test.column, test.op, tuple(Value("text", text) for text in texts))


Literal = tuple[str, Any]  # the kind, as polars names it, and the value


@dataclass(frozen=True)
class Test:
    """A comparison of a column with a literal, or a test for null."""

    column: str
    op: str
    literals: tuple[Literal, ...] = ()


# Alternatives, of which one holds; all tests of an alternative do.
Clause = list[list[Test]]


def _clauses(tree: Any, depth: int) -> list[Clause]:
    """What all rows satisfy that an expression selects; nothing of what is not known."""
    if depth > MAX_DEPTH or not isinstance(tree, dict):
        return []
    binary = tree.get("BinaryExpr")
    if isinstance(binary, dict):
        left, op, right = binary.get("left"), binary.get("op"), binary.get("right")
        if op == "And":
            return _clauses(left, depth + 1) + _clauses(right, depth + 1)
        if op == "Or":
            one = alternatives(_clauses(left, depth + 1))
            other = alternatives(_clauses(right, depth + 1))
            return [one + other] if one and other else []
        return [[[test]] for test in _comparison(left, _OPS[op], right)] if op in _OPS else []
    function = tree.get("Function")
    if not isinstance(function, dict) or not isinstance(function.get("function"), dict):
        return []
    inputs, kind = function.get("input"), function["function"].get("Boolean")
    if not isinstance(inputs, list) or not inputs:
        return []
    column = _column(inputs[0])
    if column is not None and len(inputs) == 2:
        if function["function"].get("StringExpr") == "StartsWith":
            literal = _literal(inputs[1])
            return [] if literal is None else [[[Test(column, LIKE, (literal,))]]]
        if isinstance(kind, dict) and "IsIn" in kind:
            literals = _listed(_literal(inputs[1]))
            return [] if literals is None else [[[Test(column, IN, literals)]]]
    if column is not None and kind in ("IsNull", "IsNotNull") and len(inputs) == 1:
        return [[[Test(column, IS_NULL if kind == "IsNull" else IS_NOT_NULL)]]]
    if isinstance(kind, dict) and "IsBetween" in kind and len(inputs) == 3:
        low, high = _comparison(inputs[0], ">=", inputs[1]), _comparison(inputs[0], "<=", inputs[2])
        return [[[test]] for test in (*low, *high)]
    return []


def alternatives(clauses: list[Clause]) -> Clause:
    """One clause that all rows of some clauses satisfy; empty if there is none."""
    if len(clauses) == 1:
        return clauses[0]
    together = [test for clause in clauses if len(clause) == 1 for test in clause[0]]
    return [together] if together else clauses[0] if clauses else []


def _comparison(left: Any, op: str, right: Any) -> Iterator[Test]:
    if _column(left) is None:
        left, op, right = right, FLIPPED.get(op, op), left
    column, literal = _column(left), _literal(right)
    if column is not None and literal is not None:
        yield Test(column, op, (literal,))


def _column(tree: Any) -> str | None:
    name = tree.get("Column") if isinstance(tree, dict) and len(tree) == 1 else None
    return name if isinstance(name, str) else None


def _literal(tree: Any) -> tuple[str, Any] | None:
    """The kind and the value of a literal, as they are serialized."""
    literal = tree.get("Literal") if isinstance(tree, dict) else None
    typed = literal.get("Scalar", literal.get("Dyn")) if isinstance(literal, dict) else None
    if not isinstance(typed, dict) or len(typed) != 1:
        return None
    ((kind, value),) = typed.items()
    return (kind, value) if isinstance(kind, str) else None


def _listed(literal: Literal | None) -> tuple[Literal, ...] | None:
    """The values of a list, which is serialized as a stream of Arrow; None if one is not known."""
    if literal is None or literal[0] != "List" or not isinstance(literal[1], list):
        return None
    try:
        table = pa.ipc.open_stream(bytes(literal[1])).read_all()
    except (pa.ArrowException, ValueError, TypeError):
        return None
    if table.num_columns != 1:
        return None
    type = table.column(0).type
    if pa.types.is_integer(type):
        kind = "Int"
    elif pa.types.is_string(type) or pa.types.is_large_string(type) or "view" in str(type):
        kind = "String"
    else:
        return None
    # A null in the list makes no row match.
    return tuple((kind, x) for x in table.column(0).to_pylist() if x is not None)


def _comparable(test: Test, logical: LogicalType) -> Comparison | None:
    """A comparison that all rows satisfy which polars finds; None if that is not known.

    Only literals of known kinds are judged. Each kind has a form of its own, which may change:
    the value of a kind that is not listed here is never guessed.
    """
    if test.op in (IS_NULL, IS_NOT_NULL):
        return Comparison(test.column, test.op)
    if test.op == IN:
        alone = [
            _comparable(Test(test.column, "=", (literal,)), logical) for literal in test.literals
        ]
        values = tuple(item.values[0] for item in alone if item is not None)
        return Comparison(test.column, IN, values) if len(values) == len(alone) else None
    if test.op not in _OPS.values():
        return None
    kind, value = test.literals[0]
    if logical.kind == "decimal":  # polars casts one of the two, which may round
        return None
    if logical.kind != "number":
        found = _other_value(kind, value, logical)
        return None if found is None else Comparison(test.column, test.op, (found,))
    number = _number(kind, value)
    if number is None:
        return None
    if logical.number_type.startswith("f"):
        # polars compares in the type of the column or in a wider one. No number of the column lies
        # between the literal and the nearest of them, which the filter takes for it.
        if test.op == "!=":
            return None
        # NaN is greater than all others for polars: it satisfies "not <=", not ">".
        op = _OF_FLOATS.get(test.op, test.op)
        text = number_text(number)
        text = f"{text}.0" if text.lstrip("-").isdigit() else text
        return Comparison(test.column, op, (Value("number", text),))
    if isinstance(number, float):
        if not abs(number) < _EXACT_IN_FLOATS:
            return None
    elif abs(number) >= _EXACT_IN_DOUBLES and kind != _NAMES[logical.number_type]:
        return None
    return Comparison(test.column, test.op, (Value("number", number_text(number)),))


# The integers of polars, by the types in which they are stored.
_NAMES = {
    f"{letter}{bits}": f"{name}{bits}"
    for letter, name in (("u", "UInt"), ("i", "Int"))
    for bits in (8, 16, 32, 64)
}
_WHOLE = ("Int", *_NAMES.values())
_FLOATS = ("Float", "Float32", "Float64")


def _number(kind: str, value: Any) -> int | float | None:
    """The number of a literal; None for other kinds, NaN and infinities."""
    if isinstance(value, bool):
        return None
    if kind in _WHOLE:
        return value if isinstance(value, int) else None
    if kind == "Float16":  # serialized as its bits
        if not isinstance(value, int) or not 0 <= value < 1 << 16:
            return None
        number = float(np.array(value, np.uint16).view(np.float16))
    elif kind in _FLOATS and isinstance(value, (int, float)):
        # A single is written with the fewest digits that stand for it.
        with np.errstate(over="ignore"):
            number = float(np.float32(value)) if kind == "Float32" else float(value)
    else:
        return None
    return number if np.isfinite(number) else None


def _other_value(kind: str, value: Any, logical: LogicalType) -> Value | None:
    """The value of a literal for a column of booleans, dates or times of the same type."""
    if logical.kind == "bool":
        is_it = kind == "Boolean" and isinstance(value, bool)
        return Value("bool", "true" if value else "false") if is_it else None
    if isinstance(value, int) and not isinstance(value, bool):
        if kind == "Date" and logical.kind == "date32":
            return Value("instant", str(value * 86_400))
        is_clock = kind == "Time" and logical.kind in ("time32", "time64")
        return Value("time of day", f"{value}e-9") if is_clock else None
    if kind not in ("Datetime", "Duration") or not isinstance(value, list) or len(value) < 2:
        return None
    count, unit = value[0], value[1]
    of_column = _UNITS["ms" if logical.kind == "date64" else logical.unit or "ns"]
    # In another unit polars rounds one of the two.
    if not isinstance(count, int) or unit not in _DIGITS or unit != of_column:
        return None
    seconds = f"{count}e-{_DIGITS[unit]}"
    if kind == "Duration":
        return Value("duration", seconds) if logical.kind == "duration" else None
    zone = value[2] if len(value) > 2 else None
    if logical.kind not in ("timestamp", "date64") or bool(zone) != bool(logical.timezone):
        return None
    return Value("instant", seconds, bool(zone))
