# SPDX-License-Identifier: Apache-2.0
"""Values of filters that are given as objects of Python, as exact decimal text.

The library reads and compares them (include/numpact/table_filter.hpp).
"""

from __future__ import annotations

import datetime
import decimal
from fractions import Fraction
from typing import Any, NamedTuple

from .._errors import InvalidArgumentError

# Whole numbers of more bits stand for 10^500 with their sign: no column has numbers so large (the
# largest are 1.8e308), and Python converts no more than some thousand digits to text.
_MAX_BITS = 1_600
# Digits behind the point up to which fractions are exact. No number of a column, and none between
# two numbers of it, has more: 2^-1075, halfway to the smallest double, has 1,075.
_MAX_DIGITS = 1_100
_SECONDS_A_DAY = 86_400
# Seconds of a unit of NumPy, or the digits behind the point of a second.
_SECONDS = {"W": 7 * _SECONDS_A_DAY, "D": _SECONDS_A_DAY, "h": 3600, "m": 60, "s": 1}
_DIGITS = {"ms": 3, "us": 6, "ns": 9, "ps": 12, "fs": 15, "as": 18}


class Value(NamedTuple):
    """A value of a comparison."""

    #: "number", "text", "bool", "time" (a date or time without quotes), "instant" (seconds since
    #: 1970-01-01T00:00Z), "time of day" (seconds since midnight), "duration" (seconds), "bytes"
    kind: str
    content: str | bytes  #: bytes for "bytes" only; numbers and seconds are decimal
    is_zoned: bool = False  #: an instant with a time zone


def value_of(x: Any) -> Value:
    """A value of a filter in the form of a list.

    Raises:
        InvalidArgumentError: A value of another type, or a time without a unit.
    """
    shaped = getattr(x, "dtype", None) is not None and getattr(x, "shape", None) == ()
    if shaped and x.dtype.kind in "mM":
        return _of_numpy_time(x)
    if shaped and not isinstance(x, (datetime.datetime, datetime.timedelta)):
        x = x.item()
    if isinstance(x, bool):
        return Value("bool", "true" if x else "false")
    if isinstance(x, str):
        return Value("text", x)
    if isinstance(x, (int, float, Fraction, decimal.Decimal)):
        return Value("number", number_text(x))
    if isinstance(x, (bytes, bytearray, memoryview)):
        return Value("bytes", bytes(x))
    return _of_time(x)


def number_text(x: int | float | Fraction | decimal.Decimal) -> str:
    """A number as decimal text.

    A float that is not whole is the shortest decimal that rounds to it: 0.1 means one tenth, also
    for decimals; a column of floats has the same nearest float.
    """
    if isinstance(x, decimal.Decimal):
        return str(x) if x.is_finite() else repr(float(x))
    if isinstance(x, float):
        if not x.is_integer():  # infinities and NaN, too
            return float.__repr__(x)
        x = int(x)
    if isinstance(x, Fraction) and x.denominator == 1:
        x = x.numerator
    if isinstance(x, Fraction):
        return _fraction_text(x)
    # int() of a subclass, such as an enumeration, which has another text.
    return str(int(x)) if x.bit_length() <= _MAX_BITS else _huge(x)


def _huge(x: int) -> str:
    return "1e500" if x > 0 else "-1e500"


def _fraction_text(x: Fraction) -> str:
    """Digits that compare with all numbers of columns as the fraction does."""
    whole, rest = divmod(abs(x.numerator), x.denominator)
    if whole.bit_length() > _MAX_BITS:
        return _huge(x.numerator)
    part, rest = divmod(rest * 10**_MAX_DIGITS, x.denominator)
    # Any digit behind the last one: it only says that the fraction is greater.
    sign = "-" if x < 0 else ""
    return f"{sign}{whole}.{part:0{_MAX_DIGITS}d}{'1' if rest else ''}"


def _of_time(x: Any) -> Value:
    if x is None or type(x).__name__ == "NaTType":  # of pandas
        raise InvalidArgumentError(f"where: {x!r} is not a value: 'is null' tests for nulls")
    if isinstance(x, datetime.datetime):
        offset = x.utcoffset()
        naive = x.replace(tzinfo=None)
        since = datetime.datetime.combine(naive.date(), naive.time()) - datetime.datetime(
            1970, 1, 1
        )
        count = _nanoseconds(since - (offset or datetime.timedelta()))
        count += getattr(x, "nanosecond", 0)  # of pandas
        return Value("instant", f"{count}e-9", offset is not None)
    if isinstance(x, datetime.date):
        return Value("instant", str((x - datetime.date(1970, 1, 1)).days * _SECONDS_A_DAY))
    if isinstance(x, datetime.time):
        if x.tzinfo is not None:
            raise InvalidArgumentError("where: a time of day has no time zone")
        whole = x.hour * 3600 + x.minute * 60 + x.second
        return Value("time of day", f"{whole * 10**6 + x.microsecond}e-6")
    if isinstance(x, datetime.timedelta):
        # Those of pandas have nanoseconds.
        return Value("duration", f"{_nanoseconds(x) + getattr(x, 'nanoseconds', 0)}e-9")
    raise InvalidArgumentError(f"where: a {type(x).__name__} is not a value of a filter")


def _nanoseconds(span: datetime.timedelta) -> int:
    return ((span.days * _SECONDS_A_DAY + span.seconds) * 10**6 + span.microseconds) * 1000


def _of_numpy_time(x: Any) -> Value:
    import numpy as np

    if np.isnat(x):
        raise InvalidArgumentError("where: NaT is not a value: 'is null' tests for nulls")
    unit, multiple = np.datetime_data(x.dtype)
    kind = "instant" if x.dtype.kind == "M" else "duration"
    if unit in ("Y", "M") and x.dtype.kind == "M":
        return Value(kind, str(int(x.astype("M8[D]").view("i8")) * _SECONDS_A_DAY))
    count = int(x.view("i8")) * multiple
    if unit in _SECONDS:
        return Value(kind, str(count * _SECONDS[unit]))
    if unit not in _DIGITS:
        raise InvalidArgumentError(f"where: {x!r} has no unit of a fixed length")
    return Value(kind, f"{count}e-{_DIGITS[unit]}")
