# SPDX-License-Identifier: Apache-2.0
"""Random CSV files of every dialect, with the options that read them."""

from __future__ import annotations

import gzip
import random
import struct
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
from csv_oracle import Dialect

NULL_WORDS = ["NA", "null", "-999", "N/A", "1", "none"]
NAMES = ["a", "b", "c", "A", "x y", "a", "7", "0", "", "é", "two\nlines", "semi;colon", "q\"uote",
         "co,mma", "tab\there", "trip/../up", "name=f64", "🙂"]
TEXTS = ["abc", "5%", "$7", "1,000", "1_000", "0x10", "12/31/2024", "", "1 2", "--1", "1e", "e5",
         ".", "+", "-", "1.2.3", "0b1", "٣", "tru", "yes", "2023-02-29", "24:00:00", "12:60",
         "2024-01-01T", "2024-01-01 12:30:60", "99:99", "infinit", "1e+", "2024-1-1", "20240101",
         "nan0", "1f", "12:30Z", "2024-02-29Z", "2024-02-29 12:30 Z", "two\nlines", "a\"b", "x,y;z"]
SPECIALS = ["nan", "NaN", "NAN", "inf", "-inf", "Infinity", "+inf", "-nan", "INF", "-0", "-0.0"]
DTYPES = ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "f32", "f64"]


@dataclass
class Case:
    data: bytes
    text: str
    dialect: Dialect
    options: list[str]
    ending: str = ".csv"
    requested: dict[int, str] = field(default_factory=dict)
    usual_delimiter: str = ","

    def write(self, folder: Path, stem: str) -> Path:
        path = folder / (stem + self.ending)
        path.write_bytes(self.data)
        return path


# ---- values ----

def _near_limits(rng: random.Random) -> str:
    limit = rng.choice([0, 2**7, 2**8, 2**15, 2**16, 2**31, 2**32, 2**53, 2**63, 2**64])
    return str(rng.choice([1, 1, -1]) * limit + rng.randint(-2, 2))


def _decimal(rng: random.Random) -> str:
    digits = "".join(rng.choices("0123456789", k=rng.randint(1, 30)))
    point = rng.randint(0, len(digits))
    text = f"{digits[:point]}.{digits[point:]}"
    if rng.random() < 0.2:
        text += rng.choice(["e", "E", "e+", "e-"]) + str(rng.choice([0, 1, 5, 20, 290, 310, 330]))
    return rng.choice(["", "-", "+"]) + text


def _double(rng: random.Random) -> float:
    if rng.random() < 0.5:
        return rng.choice([rng.gauss(0, 1), rng.uniform(-1e6, 1e6), rng.randint(-100, 100) / 8])
    while True:
        (number,) = struct.unpack("<d", rng.randbytes(8))
        if number == number and abs(number) != float("inf"):
            return number


def _date(rng: random.Random) -> str:
    year = rng.choice([2024, 1970, 1969, 1600, 2400, rng.randint(0, 9999), rng.randint(1900, 2100)])
    if rng.random() < 0.05:
        year = rng.choice([-1, -400, 12345, -9999, 5881580, 5881581, -5877641, 292277, 9999999])
    day = rng.choice([1, 28, 29, rng.randint(1, 28)])
    month = rng.randint(1, 12)
    if day == 29 and month == 2:
        year = 2024
    return f"{'-' if year < 0 else ''}{abs(year):04d}-{month:02d}-{day:02d}"


def _clock(rng: random.Random, digits: int, short: bool) -> str:
    text = f"{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}"
    if short and not digits and rng.random() < 0.3:
        return text
    text += f":{rng.randint(0, 59):02d}"
    if digits:
        text += "." + "".join(rng.choices("0123456789", k=min(digits, 9))) + "0" * (digits - 9)
    return text


def _zone(rng: random.Random) -> str:
    return rng.choice(["Z", "Z", "+00:00", "+02:00", "-0530", "+14", "-23:59", "-00"])


def _stamp(rng: random.Random, digits: int, zoned: bool) -> str:
    if rng.random() < 0.05 and not digits:
        clock = f"{rng.randint(0, 23):02d}"
    else:
        clock = _clock(rng, rng.randint(0, digits) if digits else 0, True)
    return _date(rng) + rng.choice(" T") + clock + (_zone(rng) if zoned else "")


def _column(rng: random.Random, rows: int) -> list[str | None]:
    """Values of one kind; None is a null. Some columns hold values that make them unfit."""
    start = rng.randint(-1000, 1000)
    digits = rng.choice([0, 0, 1, 3, 4, 6, 9, 9, 11])
    zoned = rng.random() < 0.4
    high = rng.choice([2**31, 2**63, 2**64])
    places = rng.randint(1, 17)
    kinds = {
        "small": lambda i: str(rng.randint(-100, 100)),
        "steps": lambda i: str(start + 3 * i),
        "limits": lambda i: _near_limits(rng),
        "hash": lambda i: str(rng.randrange(2**64)),
        "below": lambda i: str(rng.randrange(-(2**63), 2**63)),
        "unsigned": lambda i: str(rng.randrange(high)),
        "long": lambda i: str(rng.choice([2**64, 2**70, 10**22, 10**23, 5**30, 1])),
        "decimal": lambda i: _decimal(rng),
        "money": lambda i: f"{rng.uniform(-1000, 1000):.2f}",
        "repr": lambda i: repr(_double(rng)),
        "e18": lambda i: f"{_double(rng):.18e}",
        "f3": lambda i: f"{_double(rng) % 1e12:.3f}",
        "g": lambda i: f"{_double(rng):.{places}g}",
        "special": lambda i: rng.choice([*SPECIALS, "1.5", "2"]),
        "bool": lambda i: rng.choice(["true", "True", "TRUE", "false", "False", "FALSE"]),
        "date": lambda i: _date(rng),
        "stamp": lambda i: _stamp(rng, digits, zoned),
        "time": lambda i: _clock(rng, rng.randint(0, digits) if digits else 0, True),
        "padded": lambda i: f"{rng.randint(0, 99999):05d}",
        "signed": lambda i: f"{rng.randint(-9, 9):+d}",
        "text": lambda i: rng.choice(TEXTS),
        "empty": lambda i: None,
    }
    kind = rng.choice(list(kinds))
    make = kinds[kind]
    nulls = rng.choice([0, 0, 0.1, 0.6])
    values = [None if rng.random() < nulls else make(i) for i in range(rows)]
    if rows and rng.random() < 0.15:  # a value of another kind among them
        other = kinds[rng.choice(list(kinds))]
        values[rng.randrange(rows)] = other(0)
    return values


# ---- files ----

class _Writer:
    def __init__(self, rng: random.Random, dialect: Dialect, delimiter: str) -> None:
        self.rng, self.dialect, self.delimiter = rng, dialect, delimiter
        self.line_ends = rng.choice([["\n"], ["\n"], ["\r\n"], ["\r"], ["\n", "\r\n", "\r"]])
        self.quotes_all = rng.random() < 0.15
        self.blanks = rng.random() < 0.2
        self.empty_lines = rng.random() < 0.2

    def field(self, value: str | None) -> str:
        rng, quote = self.rng, self.dialect.quote
        if value is None:
            if self.dialect.null_words and rng.random() < 0.6:
                value = rng.choice(self.dialect.null_words)
            else:
                return " " * rng.randint(0, 2) if self.blanks else ""
        elif self.dialect.decimal != ".":
            value = value.replace(".", self.dialect.decimal) if value[:1] != "2" else value
        if self.blanks and rng.random() < 0.5:
            padding = " \t" if self.delimiter != "\t" else " "
            value = rng.choice(padding) * rng.randint(0, 2) + value + " " * rng.randint(0, 1)
        special = set(value) & {self.delimiter, "\r", "\n"} or (quote and value.startswith(quote))
        if quote is None:
            for c in {self.delimiter, "\r", "\n"}:
                value = value.replace(c, "_")
            return value
        if special or self.quotes_all or value == "" or rng.random() < 0.05:
            tail = "9" if rng.random() < 0.01 else ""
            return quote + value.replace(quote, quote * 2) + quote + tail
        return value

    def record(self, values: list[str | None]) -> str:
        line = self.delimiter.join(self.field(value) for value in values)
        end = self.rng.choice(self.line_ends)
        if self.empty_lines and self.rng.random() < 0.3:
            end += self.rng.choice(self.line_ends) * self.rng.randint(1, 2)
        return line + end


def _dialect(rng: random.Random) -> tuple[Dialect, str, list[str], str]:
    """The dialect as options tell it, the delimiter of the file, the options and the ending."""
    options: list[str] = []
    delimiter = rng.choice([",", ",", ",", ";", "\t", "|", ":", "^"])
    dialect = Dialect()
    ending = ".csv"
    if delimiter == "\t" and rng.random() < 0.5:
        ending = rng.choice([".tsv", ".tab"])
    elif delimiter in ":^" or rng.random() < 0.4:
        dialect.delimiter = delimiter
        named = "tab" if delimiter == "\t" and rng.random() < 0.5 else delimiter
        options += ["--delimiter", named]
    choice = rng.random()
    if choice < 0.1:
        dialect.quote = "'"
        options += ["--quote", "'"]
    elif choice < 0.15:
        dialect.quote = None
        options += ["--quote", "none"]
    if dialect.delimiter not in (None, ",") and rng.random() < 0.3:
        dialect.decimal = ","
        options += ["--decimal", ","]
    if rng.random() < 0.15:
        dialect.header = False
        options.append("--no-header")
    if rng.random() < 0.3:
        dialect.null_words = tuple(rng.sample(NULL_WORDS, rng.randint(1, 3)))
        options += ["--null-values", ",".join(dialect.null_words)]
    return dialect, delimiter, options, ending


def _packed(rng: random.Random, data: bytes) -> tuple[bytes, str]:
    """The file, sometimes compressed, in one member or two."""
    if rng.random() < 0.85:
        return data, ""
    cut = rng.randint(0, len(data)) if rng.random() < 0.5 else len(data)
    parts = [data[:cut], data[cut:]] if cut < len(data) else [data]
    if rng.random() < 0.5:
        return b"".join(gzip.compress(part, mtime=0) for part in parts), ".gz"
    return b"".join(pa.compress(part, "zstd", asbytes=True) for part in parts), ".zst"


def make(seed: int) -> Case:
    rng = random.Random(seed)
    dialect, delimiter, options, ending = _dialect(rng)
    width = rng.choice([1, 1, 2, 3, 5, 8])
    rows = rng.choice([0, 1, 2, 5, 12, 30])
    writer = _Writer(rng, dialect, delimiter)
    columns = [_column(rng, rows) for _ in range(width)]
    lines = []
    if writer.empty_lines and rng.random() < 0.5:
        lines.append(rng.choice(writer.line_ends))
    if dialect.header:
        lines.append(writer.record(rng.sample(NAMES, width) if width <= 8 else NAMES))
    elif rows == 0:
        lines.append(writer.record(["1"] * width))
    lines += [writer.record([column[row] for column in columns]) for row in range(rows)]
    if rows > 1 and rng.random() < 0.06:  # a row of another length
        at = rng.randrange(1, len(lines))
        lines[at] = rng.choice(["1" + delimiter, "5"]) + lines[at]
        if rng.random() < 0.5:
            lines[at] = "7" + delimiter * rng.randint(0, 3) + rng.choice(writer.line_ends)
    text = "".join(lines)
    if rng.random() < 0.3:
        text = text.rstrip("\r\n")
    if dialect.quote and rng.random() < 0.03:
        text += delimiter + dialect.quote + "open\nend"
    requested: dict[int, str] = {}
    usual = "\t" if ending in (".tsv", ".tab") else ","
    is_known = dialect.delimiter is not None or usual == "\t" or (delimiter == "," and width > 1)
    if rng.random() < 0.15 and is_known:
        index = rng.randrange(width)
        requested[index] = rng.choice(DTYPES)
        if dialect.header:
            name = lines_names(text, delimiter, dialect)
            if name is not None and index < len(name) and name.count(name[index]) == 1:
                options += ["--dtype", f"{name[index]}={requested[index]}"]
            else:
                requested = {}
        else:
            options += ["--dtype", f"f{index}={requested[index]}"]
    if rng.random() < 0.1:
        options += ["--memory", "64K"]
    mark = "\ufeff" if rng.random() < 0.1 else ""
    data, packed = _packed(rng, (mark + text).encode())
    return Case(data, mark + text, dialect, options, ending + packed, requested, usual)


def lines_names(text: str, delimiter: str, dialect: Dialect) -> list[str] | None:
    """The names in the header; None where they cannot be told."""
    from csv_oracle import Refusal, is_empty_line, records

    try:
        for record in records(text, delimiter, dialect.quote):
            if not is_empty_line(record):
                return [one.text for one in record]
    except Refusal:
        pass
    return None
