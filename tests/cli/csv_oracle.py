# SPDX-License-Identifier: Apache-2.0
"""A second reader of CSV files by docs/text-to-numbers.md: exact decimals, slow."""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np

csv.field_size_limit(1 << 28)

BITS = {"u8": 8, "u16": 16, "u32": 32, "u64": 64, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
UNITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


@dataclass
class Dialect:
    delimiter: str | None = None  # None: recognised
    quote: str | None = '"'
    decimal: str = "."
    header: bool = True
    null_words: tuple[str, ...] = ()


@dataclass
class Field:
    text: str
    quoted: bool
    line: int


@dataclass
class Column:
    """A column that is kept: values are integers or floats as stored, None for null."""

    name: str
    type: str
    values: list
    kind: str = "number"
    unit: str | None = None
    zone: str | None = None
    notes: dict[str, tuple[int, int]] = field(default_factory=dict)  # note: count, first line


@dataclass
class Skipped:
    name: str
    line: int  # of the first value that does not fit
    text: str


class Refusal(Exception):
    """``lines``: those that a message may name."""

    def __init__(self, code: int, lines: set[int], column: str | None = None) -> None:
        super().__init__(f"code {code}, lines {sorted(lines)}, column {column!r}")
        self.code, self.lines, self.column = code, lines, column


# ---- records ----

_LINE_END = re.compile(r"\r\n|\r|\n")


def records(text: str, delimiter: str, quote: str | None) -> list[list[Field]]:
    """All records, an empty line as one empty field."""
    found: list[list[Field]] = []
    at, line = 0, 1
    while at < len(text):
        record: list[Field] = []
        while True:
            begin = line
            quoted = quote is not None and text.startswith(quote, at)
            value = ""
            if quoted:
                at += 1
                while True:
                    end = text.find(quote, at)
                    if end < 0:
                        raise Refusal(3, {begin})
                    value += text[at:end]
                    at = end + 1
                    if not text.startswith(quote, at):
                        break
                    value += quote
                    at += 1
                line += len(_LINE_END.findall(value))
            plain = re.compile(f"[^{re.escape(delimiter)}\r\n]*").match(text, at)
            assert plain is not None
            value += plain.group()
            at = plain.end()
            record.append(Field(value, quoted, begin))
            if not text.startswith(delimiter, at):
                break
            at += 1
        line_end = _LINE_END.match(text, at)
        if line_end:
            at = line_end.end()
            line += 1
        found.append(record)
    return found


def check_with_csv_module(text: str, delimiter: str, quote: str | None,
                          found: list[list[Field]]) -> None:
    """The texts of all fields are those that Python's reader finds."""
    quoting = csv.QUOTE_NONE if quote is None else csv.QUOTE_MINIMAL
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote or '"',
                        quoting=quoting)
    requested = [record or [""] for record in reader]
    assert [[one.text for one in record] for record in found] == requested


def is_empty_line(record: list[Field]) -> bool:
    return len(record) == 1 and not record[0].text and not record[0].quoted


def recognise(text: str, dialect: Dialect) -> str:
    def header_of(delimiter: str) -> list[Field]:
        for record in records(text, delimiter, dialect.quote):
            if not is_empty_line(record):
                return record
        return []

    try:
        if len(header_of(",")) > 1:
            return ","
    except Refusal:
        pass
    best, maximum = ",", 1
    for delimiter in ";\t|":
        if delimiter in (dialect.quote, dialect.decimal):
            continue
        try:
            lengths = {len(record) for record in records(text, delimiter, dialect.quote)
                       if not is_empty_line(record)}
        except Refusal:
            continue
        if len(lengths) == 1 and max(lengths) > maximum:
            best, maximum = delimiter, max(lengths)
    return best


# ---- fields ----

_WORD = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE | re.ASCII)
_DATE = r"(?P<year>-?[0-9]{4,7})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
_CLOCK = r"(?P<h>[0-9]{2}):(?P<m>[0-9]{2})(:(?P<s>[0-9]{2})(\.(?P<f>[0-9]+))?)?"
_HOUR = _CLOCK.replace("):(?P<m>", ")(:(?P<m>", 1) + ")?"
_ZONE = r"(?P<zone>Z|[+-](?P<zh>[0-9]{2})(:?(?P<zm>[0-9]{2}))?)"
_IS_DATE = re.compile(_DATE)
_IS_TIME = re.compile(_CLOCK)
_IS_STAMP = re.compile(f"{_DATE}[ T]{_HOUR}{_ZONE}?")


@dataclass
class Literal:
    kind: str  # "int", "float", "bool", "date", "time", "stamp" or "text"
    value: object = None  # int; Decimal or float; bool; days; Fraction of seconds
    digits: int = 0  # of a fraction of a second
    zoned: bool = False
    offset: bool = False  # other than UTC
    notes: tuple[str, ...] = ()


def _days(match: re.Match[str]) -> int | None:
    year = int(match["year"])
    eras, year_of_era = divmod(year, 400)
    try:
        day = dt.date(year_of_era + 400, int(match["month"]), int(match["day"]))
    except ValueError:
        return None
    return day.toordinal() - dt.date(1970, 1, 1).toordinal() + (eras - 1) * 146_097


def _clock(match: re.Match[str]) -> Fraction | None:
    hours, minutes, seconds = (int(match[part] or 0) for part in "hms")
    if hours > 23 or minutes > 59 or seconds > 59:
        return None
    fraction = match["f"] or ""
    return hours * 3600 + minutes * 60 + seconds + Fraction(int(fraction or 0), 10 ** len(fraction))


def _stamp(match: re.Match[str]) -> Literal | None:
    days, clock = _days(match), _clock(match)
    if days is None or clock is None:
        return None
    value = days * 86_400 + clock
    offset = 0
    if match["zh"]:
        hours, minutes = int(match["zh"]), int(match["zm"] or 0)
        if hours > 23 or minutes > 59:
            return None
        offset = (hours * 3600 + minutes * 60) * (-1 if match["zone"][0] == "-" else 1)
    return Literal("stamp", value - offset, len(match["f"] or ""), bool(match["zone"]), offset != 0)


def literal_of(text: str, decimal: str) -> Literal:
    text = text.strip(" \t")
    point = re.escape(decimal)
    mantissa = rf"[+-]?(?P<whole>[0-9]*)({point}(?P<rest>[0-9]*))?"
    number = re.fullmatch(mantissa + "([eE][+-]?[0-9]+)?", text)
    if number and (number["whole"] or number["rest"]):
        notes = []
        if len(number["whole"]) > 1 and number["whole"][0] == "0":
            notes.append("leading zeros")
        if text[0] == "+":
            notes.append("plus signs")
        if re.fullmatch("[+-]?[0-9]+", text) and not re.fullmatch("-0+", text):
            return Literal("int", int(text), notes=tuple(notes))
        # Decimal itself rounds nothing, but has a range of exponents.
        return Literal("float", Decimal(text.replace(decimal, ".")), notes=tuple(notes))
    if _WORD.fullmatch(text):
        return Literal("float", float(text))
    if text in ("true", "True", "TRUE", "false", "False", "FALSE"):
        return Literal("bool", text.lower() == "true")
    if match := _IS_DATE.fullmatch(text):
        days = _days(match)
        return Literal("text") if days is None else Literal("date", Fraction(days * 86_400))
    if match := _IS_TIME.fullmatch(text):
        clock = _clock(match)
        return Literal("text") if clock is None else Literal("time", clock, len(match["f"] or ""))
    if match := _IS_STAMP.fullmatch(text):
        return _stamp(match) or Literal("text")
    return Literal("text")


# ---- types ----

def nearest(value: Decimal | float, dtype: str) -> tuple[float, str]:
    """The number of the type that is nearest, and "exact", "rounded" or "range"."""
    if isinstance(value, float):
        return value, "exact"
    cls = FLOATS[dtype]
    # A text far beyond the range must not make an integer of a million digits.
    if value and not -400 < value.adjusted() < 400:
        return 0.0, "range"
    with np.errstate(over="ignore"):
        start = cls(float(value))
    exact = Fraction(value)
    largest = Fraction(float(np.finfo(cls).max))
    ulp = largest - Fraction(float(np.nextafter(np.finfo(cls).max, cls(0))))
    if abs(exact) >= largest + ulp / 2:
        return 0.0, "range"
    if np.isinf(start):
        start = np.copysign(np.finfo(cls).max, start)
    near = [start, np.nextafter(start, cls(np.inf)), np.nextafter(start, cls(-np.inf))]
    near = [one for one in near if np.isfinite(one)]
    even = {8: np.uint64, 4: np.uint32, 2: np.uint16}[np.dtype(cls).itemsize]
    best = min(near, key=lambda one: (abs(Fraction(float(one)) - exact), int(one.view(even)) % 2))
    number = float(best)
    if number == 0:
        return (-0.0 if value.is_signed() else 0.0), ("exact" if value == 0 else "range")
    digits = len(value.normalize(Context(prec=10**6)).as_tuple().digits)
    printed = Context(prec=digits).create_decimal(Decimal(number))
    return number, "exact" if printed == value else "rounded"


class _Values:
    """The values of one column that are not null, with their fields."""

    def __init__(self, name: str, decimal: str, requested: str | None) -> None:
        self.name, self.decimal, self.requested = name, decimal, requested
        self.rows: list[tuple[Field, Literal] | None] = []

    def refuse(self, *lines: int) -> Refusal:
        return Refusal(1, set(lines), self.name)

    def present(self) -> list[tuple[Field, Literal]]:
        return [row for row in self.rows if row is not None]

    def spread(self, values: list) -> list:
        """Values with None in the places of nulls."""
        left = iter(values)
        return [None if row is None else next(left) for row in self.rows]

    def notes(self, words: tuple[str, ...]) -> dict[str, tuple[int, int]]:
        found = {}
        for word in words:
            lines = [one.line for one, literal in self.present() if word in literal.notes]
            if lines:
                found[word] = (len(lines), lines[0])
        return found

    def column(self) -> Column | Skipped:
        families = {"int": "number", "float": "number", "date": "day", "stamp": "day"}
        first = None
        for one, literal in self.present():
            family = families.get(literal.kind, literal.kind)
            if family == "text" or (first is not None and family != first):
                return Skipped(self.name, one.line, one.text)
            first = family
        if first == "bool":
            values = [int(literal.value) for _, literal in self.present()]
            return Column(self.name, "u8", self.spread(values), "bool")
        if first in ("day", "time"):
            return self.times(first == "time")
        if self.requested:
            return self.numbers_as(self.requested)
        return self.numbers()

    def numbers(self) -> Column:
        notes = self.notes(("leading zeros", "plus signs"))
        present = self.present()
        integers = [(one, literal.value) for one, literal in present if literal.kind == "int"]
        if len(integers) == len(present):
            minimum = min((value for _, value in integers), default=0)
            maximum = max((value for _, value in integers), default=0)
            if minimum < -(2**63) or maximum >= 2**64 or (minimum < 0 and maximum >= 2**63):
                lines = [one.line for one, value in integers if value < 0 or value >= 2**63]
                raise self.refuse(*lines)
            number_type = "u64" if maximum >= 2**63 else "i64"
            whole = [value for _, value in integers]
            return Column(self.name, number_type, self.spread(whole), notes=notes)
        values, bad = [], []
        for one, literal in present:
            value = literal.value
            if literal.kind == "int":
                number, fit = nearest(Decimal(value), "f64")
                fit = "exact" if fit != "range" and int(number) == value else "rounded"
            else:
                number, fit = nearest(value, "f64")
            values.append(number)
            if fit != "exact":
                bad.append(one.line)
        if bad:
            raise self.refuse(*bad)
        return Column(self.name, "f64", self.spread(values), notes=notes)

    def numbers_as(self, requested: str) -> Column:
        notes = self.notes(("leading zeros", "plus signs"))
        values, bad, rounded = [], [], []
        for one, literal in self.present():
            value = literal.value
            if requested in FLOATS:
                number, fit = nearest(Decimal(value) if literal.kind == "int" else value, requested)
                values.append(number)
                if fit == "range":
                    bad.append(one.line)
                if fit == "rounded":
                    rounded.append(one.line)
                continue
            signed = requested[0] == "i"
            low = -(2 ** (BITS[requested] - 1)) if signed else 0
            high = 2 ** (BITS[requested] - signed)
            whole = isinstance(value, int) or (
                isinstance(value, Decimal) and value.adjusted() < 400 and value == int(value)
                and not (value == 0 and value.is_signed()))
            if not whole or not low <= int(value) < high:
                bad.append(one.line)
                continue
            values.append(int(value))
        if bad:
            raise self.refuse(*bad)
        if rounded:
            notes[f"rounded to {requested}"] = (len(rounded), rounded[0])
        return Column(self.name, requested, self.spread(values), notes=notes)

    def times(self, are_times: bool) -> Column:
        present = self.present()
        bad = [one.line for one, literal in present if literal.value.denominator > 1
               and (literal.value * 10**9).denominator > 1]
        if bad:
            raise self.refuse(*bad)
        zones = {literal.zoned for _, literal in present}
        if len(zones) == 2:
            raise self.refuse(*[one.line for one, _ in present])
        digits = max(literal.digits for _, literal in present)
        unit = next((name for name, maximum in UNITS.items() if digits <= maximum), "ns")
        notes = {}
        offsets = [one.line for one, literal in present if literal.offset]
        if offsets:
            notes["offsets"] = (len(offsets), offsets[0])
        if all(literal.kind == "date" for _, literal in present):
            kind, number_type, stated_unit = "date32", "i32", None
            values = [int(literal.value) // 86_400 for _, literal in present]
        else:
            values = [int(literal.value * 10 ** UNITS[unit]) for _, literal in present]
            kind, number_type, stated_unit = "timestamp", "i64", unit
            if are_times:
                kind, number_type = ("time32", "i32") if unit in ("s", "ms") else ("time64", "i64")
        limit = 2 ** (BITS[number_type] - 1)
        bad = [one.line for (one, _), value in zip(present, values, strict=True)
               if not -limit <= value < limit]
        if bad:
            raise self.refuse(*bad)
        return Column(self.name, number_type, self.spread(values), kind, stated_unit,
                      "UTC" if True in zones and kind == "timestamp" else None, notes)


def is_null(one: Field, dialect: Dialect) -> bool:
    if not one.text and not one.quoted:
        return True
    return one.text.strip(" \t") in dialect.null_words


def read(text: str, dialect: Dialect, requested: dict[int, str] | None = None,
         usual_delimiter: str = ",") -> list[Column | Skipped]:
    """The columns of a file. Raises Refusal."""
    text = text.removeprefix("\ufeff")
    delimiter = dialect.delimiter or usual_delimiter
    if dialect.delimiter is None and usual_delimiter == ",":
        delimiter = recognise(text, dialect)
    try:
        found = records(text, delimiter, dialect.quote)
    except Refusal as open_quote:
        # A row of another length before it is found first.
        before = records_before(text, delimiter, dialect, open_quote)
        rows_of(before, dialect)
        raise
    if not re.search("[\0]", text):
        check_with_csv_module(text, delimiter, dialect.quote, found)
    names, rows = rows_of(found, dialect)
    columns: list[Column | Skipped] = []
    for index, name in enumerate(names):
        values = _Values(name, dialect.decimal, (requested or {}).get(index))
        for row in rows:
            one = row[index]
            null = is_null(one, dialect)
            values.rows.append(None if null else (one, literal_of(one.text, dialect.decimal)))
        columns.append(values.column())
    if not any(isinstance(column, Column) for column in columns):
        raise Refusal(1, {column.line for column in columns if isinstance(column, Skipped)})
    return columns


def records_before(text: str, delimiter: str, dialect: Dialect,
                   fault: Refusal) -> list[list[Field]]:
    """The records that end before the line of the fault."""
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n|$)", text)
    for count in range(min(fault.lines) - 1, 0, -1):
        try:
            return records("".join(lines[:count]), delimiter, dialect.quote)
        except Refusal:
            continue
    return []


def rows_of(found: list[list[Field]], dialect: Dialect) -> tuple[list[str], list[list[Field]]]:
    """Names and rows; empty lines are gone where there are several columns."""
    whole = [record for record in found if not is_empty_line(record)]
    if not whole and (dialect.header or not found):
        raise Refusal(3, set())
    width = len(whole[0]) if whole else 1
    if dialect.header:
        start = found.index(whole[0])
        names = [one.text for one in found[start]]
        rows = found[start + 1 :]
    else:
        names = [f"f{i}" for i in range(width)]
        rows = found
    if width > 1:
        rows = [record for record in rows if not is_empty_line(record)]
    for record in rows:
        if len(record) != width:
            raise Refusal(3, {record[0].line})
    return names, rows
