# SPDX-License-Identifier: Apache-2.0
"""Filters of rows: ``"price >= 100 and day = '2024-01-01'"``, or lists of tuples (docs/python.md).

The language is that of ``--where`` of the command. All comparisons are exact.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Union

from .._errors import InvalidArgumentError, TypeMismatchError
from .._number_types import dtype_of
from .._remote.manifest import LogicalType
from .values import (
    Boolean,
    Duration,
    Instant,
    Number,
    Text,
    TimeOfDay,
    Value,
    duration_of_text,
    instant_of_text,
    number_of_text,
    time_of_day_of_text,
    value_of,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[Any]

#: A filter as users write it.
Where = Union[str, Sequence[tuple[str, str, Any]]]
Range = tuple[Any, Any]  # closed, of numbers as they are stored

IS_NULL, IS_NOT_NULL, IN = "is null", "is not null", "in"
_COMPARING = ("=", "==", "!=", "<", "<=", ">", ">=")
_OPS = (*_COMPARING, IN, IS_NULL, IS_NOT_NULL)
_SHOWN = 20  # characters that a message repeats
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_WORD = re.compile(r"[^\s,)]+")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_MAX_POINTS = 8  # of "in", that are compared one by one
_TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


@dataclass(frozen=True)
class Comparison:
    """A comparison of a column with values; a filter is a list of them, which all must hold."""

    column: str
    op: str  #: "=", "!=", "<", "<=", ">", ">=", "in", "is null", "is not null"
    values: tuple[Value, ...] = ()  #: one; any count for "in"; none for tests for null


def parse_where(where: Where | None) -> list[Comparison]:
    """The comparisons of a filter; none for None.

    Raises:
        InvalidArgumentError: It does not follow the grammar; the message says where.
    """
    if where is None:
        return []
    if isinstance(where, str):
        return _Parser(where).parse()
    items: Iterable[Any] = where
    if isinstance(where, tuple) and where and isinstance(where[0], str):
        items = [where]  # one comparison without a list
    try:
        return [_of_tuple(item) for item in items]
    except TypeError:
        raise InvalidArgumentError(
            f"where is text or a list of (column, operator, value), not {type(where).__name__}"
        ) from None


def _of_tuple(item: Any) -> Comparison:
    if isinstance(item, str) or not 2 <= len(item) <= 3 or not isinstance(item[0], str):
        raise InvalidArgumentError(f"where: {item!r} is not (column, operator, value)")
    column, op, value = item[0], item[1], item[2] if len(item) > 2 else None
    op = " ".join(op.lower().split()) if isinstance(op, str) else op
    if op not in _OPS:
        raise InvalidArgumentError(f"where: {op!r} is not one of the operators {list(_OPS)}")
    if op in (IS_NULL, IS_NOT_NULL):
        if value is not None:
            raise InvalidArgumentError(f"where: {op!r} takes the value None, not {value!r}")
        return Comparison(column, op)
    if op == IN:
        if not isinstance(value, Iterable) or isinstance(value, (str, bytes)):
            raise InvalidArgumentError(f"where: 'in' takes a list of values, not {value!r}")
        return Comparison(column, op, tuple(map(value_of, value)))
    return Comparison(column, "=" if op == "==" else op, (value_of(value),))


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def parse(self) -> list[Comparison]:
        made = [self._comparison()]
        while self._keyword("and"):
            made.append(self._comparison())
        self._skip_blanks()
        if self._at < len(self._text):
            raise self._expected("'and' or the end")
        return made

    def _expected(self, what: str) -> InvalidArgumentError:
        rest = self._text[self._at : self._at + _SHOWN]
        found = repr(rest) if rest else "the end"
        return InvalidArgumentError(
            f"where: {self._text!r}: {what} is expected at character {self._at + 1}, not {found}"
        )

    def _skip_blanks(self) -> None:
        while self._at < len(self._text) and self._text[self._at].isspace():
            self._at += 1

    def _take(self, symbol: str) -> bool:
        self._skip_blanks()
        if not self._text.startswith(symbol, self._at):
            return False
        self._at += len(symbol)
        return True

    def _keyword(self, keyword: str) -> bool:
        """Takes a keyword that is not the beginning of a longer word."""
        self._skip_blanks()
        word = _NAME.match(self._text, self._at)
        if word is None or word[0].lower() != keyword:
            return False
        self._at = word.end()
        return True

    def _quoted(self, quote: str) -> str:
        """Text in quotes, in which a doubled quote stands for one."""
        begin, at, content = self._at, self._at + 1, ""
        while (end := self._text.find(quote, at)) >= 0:
            content += self._text[at:end]
            if not self._text.startswith(quote, end + 1):
                self._at = end + 1
                return content
            content += quote
            at = end + 2
        self._at = begin
        raise self._expected(f"text that ends with {quote}")

    def _name(self) -> str:
        self._skip_blanks()
        if self._text.startswith('"', self._at):
            return self._quoted('"')
        word = _NAME.match(self._text, self._at)
        if word is None:
            raise self._expected("the name of a column, in double quotes if it is not one word,")
        self._at = word.end()
        return word[0]

    def _value(self) -> Value:
        self._skip_blanks()
        if self._text.startswith("'", self._at):
            return Text(self._quoted("'"))
        word = _WORD.match(self._text, self._at)
        value = None if word is None else _value_of_word(word[0])
        if word is None or value is None:
            raise self._expected("a value (text in single quotes)")
        self._at = word.end()
        return value

    def _values(self) -> tuple[Value, ...]:
        if not self._take("("):
            raise self._expected("'('")
        values = [self._value()]
        while self._take(","):
            values.append(self._value())
        if not self._take(")"):
            raise self._expected("',' or ')'")
        return tuple(values)

    def _comparison(self) -> Comparison:
        column = self._name()
        if self._keyword("is"):
            op = IS_NOT_NULL if self._keyword("not") else IS_NULL
            if not self._keyword("null"):
                raise self._expected("'null'")
            return Comparison(column, op)
        if self._keyword("in"):
            return Comparison(column, IN, self._values())
        for op in ("==", "!=", "<=", ">=", "=", "<", ">"):
            if self._take(op):
                return Comparison(column, "=" if op == "==" else op, (self._value(),))
        raise self._expected("=, !=, <, <=, >, >=, 'in' or 'is'")


def _value_of_word(word: str) -> Value | None:
    """The value of a word without quotes; None if it is not one."""
    small = word.lower()
    if small in ("true", "false"):
        return Boolean(small == "true")
    if small in ("nan", "inf", "+inf", "-inf"):
        return Number(float(small))
    if _NUMBER.fullmatch(word):
        return number_of_text(word)
    if instant_of_text(word) or time_of_day_of_text(word):
        return Text(word, is_bare=True)
    return None


# ---- conditions: comparisons in the type of a column ----


@dataclass(frozen=True)
class NumberCondition:
    """A comparison of stored numbers, for columns that are Pco files. Nulls never satisfy it."""

    type: str  #: of the stored numbers
    ranges: tuple[Range, ...]  #: closed ranges of the numbers that satisfy it, by Python's numbers
    has_nan: bool = False  #: NaN satisfies it
    is_negated: bool = False  #: satisfied by all other numbers instead

    def may_match(self, min_value: Any, max_value: Any, nan_count: int, count: int) -> bool:
        """Whether one of ``count`` numbers may satisfy it.

        Args:
            least, most: The range of those that are not NaN; None if all are.
            nan_count: How many are NaN.
            count: How many there are.
        """
        nans = nan_count > 0 and self.has_nan != self.is_negated
        if nans or nan_count == count or min_value is None:
            return nans
        if self.is_negated:
            return not any(low <= min_value and max_value <= high for low, high in self.ranges)
        return any(low <= max_value and min_value <= high for low, high in self.ranges)

    def mask(self, numbers: Array) -> Array:
        """(n,) of bool: which numbers satisfy it."""
        import numpy as np

        dtype = numbers.dtype
        found = np.zeros(numbers.shape, np.bool_)
        points = [low for low, high in self.ranges if low == high]
        if len(points) > _MAX_POINTS and len(points) == len(self.ranges):
            found |= np.isin(numbers, np.array(points, dtype))
        else:
            for low, high in self.ranges:
                inside = numbers >= dtype.type(low)
                inside &= numbers <= dtype.type(high)
                found |= inside
        if self.has_nan and dtype.kind == "f":
            found |= np.isnan(numbers)
        return ~found if self.is_negated else found


def bind_number(comparison: Comparison, logical: LogicalType) -> NumberCondition:
    """The condition of a comparison other than a test for null.

    Raises:
        TypeMismatchError: A value is of another kind than the column.
    """
    op = comparison.op
    if logical.kind == "bool" and op not in ("=", "!=", IN):
        raise TypeMismatchError(
            f"where: column {comparison.column!r} has booleans, which {op!r} cannot compare"
        )
    ranges: list[Range] = []
    has_nan = False
    for value in comparison.values:
        number = _stored(value, logical, comparison.column)
        if isinstance(number, float) and math.isnan(number):
            has_nan = has_nan or op in ("=", "!=", IN)
            continue
        positive = "=" if op in ("!=", IN) else op
        found = range_of(positive, number, logical.number_type)
        if found is not None:
            ranges.append(found)
    return NumberCondition(logical.number_type, tuple(ranges), has_nan, op == "!=")


def _stored(value: Value, logical: LogicalType, column: str) -> Fraction | float:
    """A value as a column stores it; not always a number that the column can hold."""
    kind = logical.kind
    if kind in ("number", "duration") and isinstance(value, Number):
        return value.value  # of a duration: a count of its units, as the command takes it
    if kind == "bool" and isinstance(value, Boolean):
        return Fraction(value.value)
    seconds: Instant | TimeOfDay | Duration | None = None
    if kind in ("date32", "date64", "timestamp"):
        seconds = value if isinstance(value, Instant) else None
        seconds = instant_of_text(value.text) if isinstance(value, Text) else seconds
    elif kind in ("time32", "time64"):
        seconds = value if isinstance(value, TimeOfDay) else None
        seconds = time_of_day_of_text(value.text) if isinstance(value, Text) else seconds
    elif kind == "duration":
        seconds = value if isinstance(value, Duration) else None
        seconds = duration_of_text(value.text) if isinstance(value, Text) else seconds
    if seconds is None:
        raise mismatch(column, _kind_name(kind), value)
    if kind == "date32":
        return seconds.seconds / 86_400
    return seconds.seconds * (1000 if kind == "date64" else _TICKS[logical.unit])


def mismatch(column: str, kind: str, value: Value) -> TypeMismatchError:
    shown = f" {value.text[:_SHOWN]!r}" if isinstance(value, Text) else ""
    return TypeMismatchError(
        f"where: column {column!r} has {kind}, and is not compared with {value.kind}{shown}"
    )


def _kind_name(kind: str) -> str:
    if kind in ("date32", "date64"):
        return "dates"
    return {
        "number": "numbers",
        "bool": "booleans",
        "timestamp": "times",
        "time32": "times of day",
        "time64": "times of day",
        "duration": "durations",
    }[kind]


def range_of(op: str, number: Fraction | float, type: str) -> Range | None:
    """The closed range of numbers of a type that compare so with a number; None if it is empty.

    Args:
        op: "=", "<", "<=", ">" or ">=".
        number: Exact, or an infinity.
        type: "i64", "f32", ...
    """
    import numpy as np

    dtype = dtype_of(type)
    if dtype.kind == "f":
        return _float_range(op, number, dtype)
    info = np.iinfo(dtype)
    return integer_range(op, number, int(info.min), int(info.max))


def integer_range(
    op: str, number: Fraction | float, min_value: int, max_value: int
) -> Range | None:
    """The same for whole numbers from ``min_value`` to ``max_value``."""
    if isinstance(number, float):  # an infinity
        is_all = op in (("<", "<=") if number > 0 else (">", ">="))
        return (min_value, max_value) if is_all else None
    floor, ceiling = math.floor(number), math.ceil(number)
    low, high = {
        "=": (ceiling, floor),
        "<": (min_value, ceiling - 1),
        "<=": (min_value, floor),
        ">": (floor + 1, max_value),
        ">=": (ceiling, max_value),
    }[op]
    low, high = max(low, min_value), min(high, max_value)
    return (low, high) if low <= high else None


def _float_range(op: str, number: Fraction | float, dtype: np.dtype[Any]) -> Range | None:
    import numpy as np

    with np.errstate(over="ignore"):
        try:
            near = dtype.type(float(number))
        except OverflowError:
            near = dtype.type(math.inf if number > 0 else -math.inf)
    infinity = dtype.type(math.inf)
    has_fraction = isinstance(number, Fraction) and number.denominator != 1
    if has_fraction and math.isfinite(near):  # 0.1 means the float nearest to it
        number = Fraction(float(near))
    # No float lies strictly between the number and the one next to it.
    is_less, is_greater = _compare(float(near), number)
    with np.errstate(over="ignore"):  # the largest is next to infinity
        below = near if is_less else np.nextafter(near, -infinity)
        above = near if is_greater else np.nextafter(near, infinity)
    is_exact = not is_less and not is_greater
    upper_bound = near if is_exact else below
    lower_bound = near if is_exact else above
    if op == "=":
        return (float(near), float(near)) if is_exact else None
    if op in ("<", "<="):
        if op == "<" and is_exact and near == -infinity:
            return None
        return -math.inf, float(below if op == "<" else upper_bound)
    if op == ">" and is_exact and near == infinity:
        return None
    return float(above if op == ">" else lower_bound), math.inf


def _compare(near: float, number: Fraction | float) -> tuple[bool, bool]:
    """Whether a float is less than a number, and whether it is greater."""
    if isinstance(number, float) or math.isinf(near):
        other = number if isinstance(number, float) else 0.0
        if isinstance(number, Fraction):
            return near < other, near > other  # an infinity beyond every fraction
        return near < number, near > number
    return Fraction(near) < number, Fraction(near) > number
