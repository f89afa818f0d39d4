# SPDX-License-Identifier: Apache-2.0
"""Values of filters, which are compared exactly: numbers are fractions, times fractions of seconds.

"2024-01-01T00:00:00.5" is half a second after midnight also for a column of seconds.
"""

from __future__ import annotations

import datetime
import decimal
import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Union

from .._errors import InvalidArgumentError

# Decimal exponents beyond these bounds stand for them: no number of a column lies beyond (the
# largest are decimals of 76 digits and 1.8e308), and the smallest positive one is 4.9e-324.
_MAX_EXPONENT = 400
_SECONDS_A_DAY = 86_400
_DATE = r"(?P<year>[+-]?\d{4,9})-(?P<month>\d\d)-(?P<day>\d\d)"
_CLOCK = r"(?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<part>\d{1,18}))?)?"
_ZONE = r"(?P<zone>[Zz]|[+-]\d\d:?\d\d)"
_INSTANT = re.compile(rf"{_DATE}(?:[Tt ]{_CLOCK}{_ZONE}?)?", re.ASCII)
_TIME_OF_DAY = re.compile(_CLOCK, re.ASCII)
_DURATION = re.compile(
    r"(?P<sign>[+-]?)P(?:(?P<days>\d{1,12})D)?"
    r"(?:T(?:(?P<hours>\d{1,12})H)?(?:(?P<minutes>\d{1,12})M)?"
    r"(?:(?P<seconds>\d{1,18})(?:\.(?P<part>\d{1,18}))?S)?)?",
    re.ASCII | re.IGNORECASE,
)
_UNITS = {"D": Fraction(_SECONDS_A_DAY), "h": Fraction(3600), "m": Fraction(60), "s": Fraction(1)}
_UNITS |= {"W": 7 * _UNITS["D"]}
_UNITS |= {
    name: Fraction(1, 10**digits)
    for name, digits in (("ms", 3), ("us", 6), ("ns", 9), ("ps", 12), ("fs", 15), ("as", 18))
}


@dataclass(frozen=True)
class Number:
    """A number."""

    value: Fraction | float  #: a float for infinities and NaN only
    kind = "a number"


@dataclass(frozen=True)
class Text:
    """Text, or a date or time in ISO form."""

    text: str
    is_bare: bool = False  #: a date without quotes, which is no text
    kind = "text"


@dataclass(frozen=True)
class Boolean:
    """true or false."""

    value: bool
    kind = "a boolean"


@dataclass(frozen=True)
class Instant:
    """A date or a point in time."""

    seconds: Fraction  #: since 1970-01-01T00:00Z
    kind = "a time"


@dataclass(frozen=True)
class TimeOfDay:
    """A time of day."""

    seconds: Fraction  #: since midnight
    kind = "a time of day"


@dataclass(frozen=True)
class Duration:
    """A duration."""

    seconds: Fraction
    kind = "a duration"


@dataclass(frozen=True)
class Bytes:
    """Bytes."""

    content: bytes
    kind = "bytes"


Value = Union[Number, Text, Boolean, Instant, TimeOfDay, Duration, Bytes]


def number_of_text(text: str) -> Number:
    """A decimal number, exactly."""
    with decimal.localcontext(decimal.Context(prec=decimal.MAX_PREC, Emax=decimal.MAX_EMAX)):
        try:
            return Number(_fraction(decimal.Decimal(text)))
        except (decimal.DecimalException, MemoryError):
            # Exponents that do not fit into a machine word.
            mantissa, _, exponent = text.lower().partition("e")
            if not decimal.Decimal(mantissa):
                return Number(Fraction(0))
            sign = -1 if mantissa.startswith("-") else 1
            return Number(sign * _bound(-1 if exponent.startswith("-") else 1))


def _bound(direction: int) -> Fraction:
    return Fraction(10) ** (direction * _MAX_EXPONENT)


def _fraction(number: decimal.Decimal) -> Fraction:
    if not number:
        return Fraction(0)
    magnitude = number.adjusted()
    if abs(magnitude) > _MAX_EXPONENT:
        bound = _bound(1 if magnitude > 0 else -1)
        return -bound if number.is_signed() else bound
    return Fraction(number)


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
        return Boolean(x)
    if isinstance(x, (int, Fraction)):
        return Number(Fraction(x))
    if isinstance(x, float):
        if not math.isfinite(x):
            return Number(x)
        # 0.1 means one tenth, also for decimals; a column of floats has the same nearest float.
        return Number(Fraction(x) if x.is_integer() else Fraction(float.__repr__(x)))
    if isinstance(x, decimal.Decimal):
        return Number(_fraction(x)) if x.is_finite() else Number(float(x))
    if isinstance(x, str):
        return Text(x)
    if isinstance(x, (bytes, bytearray, memoryview)):
        return Bytes(bytes(x))
    return _of_time(x)


def _of_time(x: Any) -> Value:
    if x is None or type(x).__name__ == "NaTType":  # of pandas
        raise InvalidArgumentError(f"where: {x!r} is not a value: 'is null' tests for nulls")
    if isinstance(x, datetime.datetime):
        extra = Fraction(getattr(x, "nanosecond", 0), 10**9)  # of pandas
        naive = x.replace(tzinfo=None)
        offset = x.utcoffset() or datetime.timedelta()
        since = datetime.datetime.combine(naive.date(), naive.time()) - datetime.datetime(
            1970, 1, 1
        )
        return Instant(_seconds(since - offset) + extra)
    if isinstance(x, datetime.date):
        return Instant(Fraction((x - datetime.date(1970, 1, 1)).days * _SECONDS_A_DAY))
    if isinstance(x, datetime.time):
        if x.tzinfo is not None:
            raise InvalidArgumentError("where: a time of day has no time zone")
        whole = x.hour * 3600 + x.minute * 60 + x.second
        return TimeOfDay(whole + Fraction(x.microsecond, 10**6))
    if isinstance(x, datetime.timedelta):
        return Duration(_seconds(x) + Fraction(getattr(x, "nanoseconds", 0), 10**9))
    raise InvalidArgumentError(f"where: a {type(x).__name__} is not a value of a filter")


def _seconds(span: datetime.timedelta) -> Fraction:
    return span.days * _SECONDS_A_DAY + span.seconds + Fraction(span.microseconds, 10**6)


def _of_numpy_time(x: Any) -> Value:
    import numpy as np

    if np.isnat(x):
        raise InvalidArgumentError("where: NaT is not a value: 'is null' tests for nulls")
    unit, multiple = np.datetime_data(x.dtype)
    made = Instant if x.dtype.kind == "M" else Duration
    if unit in ("Y", "M") and x.dtype.kind == "M":
        return made(Fraction(int(x.astype("M8[D]").view("i8"))) * _UNITS["D"])
    if unit not in _UNITS:
        raise InvalidArgumentError(f"where: {x!r} has no unit of a fixed length")
    return made(int(x.view("i8")) * multiple * _UNITS[unit])


def instant_of_text(text: str) -> Instant | None:
    """A date or time in ISO form, in UTC unless it has an offset; None if it is not one."""
    match = _INSTANT.fullmatch(text)
    if match is None:
        return None
    days = _days(int(match["year"]), int(match["month"]), int(match["day"]))
    clock = _clock(match) if match["hour"] else Fraction(0)
    if days is None or clock is None:
        return None
    offset = 0
    if match["zone"] and match["zone"] not in "Zz":
        digits = match["zone"][1:].replace(":", "")
        offset = int(digits[:2]) * 3600 + int(digits[2:]) * 60
        offset = -offset if match["zone"].startswith("-") else offset
    return Instant(days * _SECONDS_A_DAY + clock - offset)


def time_of_day_of_text(text: str) -> TimeOfDay | None:
    """A time of day, "09:30" or "09:30:00.5"; None if it is not one."""
    match = _TIME_OF_DAY.fullmatch(text)
    seconds = None if match is None else _clock(match)
    return None if seconds is None else TimeOfDay(seconds)


def duration_of_text(text: str) -> Duration | None:
    """A duration in ISO form, "P1DT2H3M4.5S"; None if it is not one."""
    match = _DURATION.fullmatch(text)
    if match is None or not any(match[name] for name in ("days", "hours", "minutes", "seconds")):
        return None
    whole = [int(match[name] or 0) for name in ("days", "hours", "minutes", "seconds")]
    seconds = sum(n * size for n, size in zip(whole, (_SECONDS_A_DAY, 3600, 60, 1), strict=True))
    exact = seconds + _part(match["part"])
    return Duration(-exact if match["sign"] == "-" else exact)


def _part(digits: str | None) -> Fraction:
    return Fraction(int(digits), 10 ** len(digits)) if digits else Fraction(0)


def _clock(match: re.Match[str]) -> Fraction | None:
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    return hour * 3600 + minute * 60 + second + _part(match["part"])


def _days(year: int, month: int, day: int) -> int | None:
    """Days since 1970-01-01 in the proleptic Gregorian calendar; None: there is no such day."""
    # The calendar repeats after 400 years, and Python's dates begin with the year 1.
    turns, year = divmod(year - 1, 400)
    try:
        date = datetime.date(year + 1, month, day)
    except ValueError:
        return None
    return (date - datetime.date(1970, 1, 1)).days + turns * 146_097
