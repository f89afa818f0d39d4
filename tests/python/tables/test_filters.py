# SPDX-License-Identifier: Apache-2.0
"""Filters: their language, exact comparisons, and chunks that are left out."""

from __future__ import annotations

import datetime
import operator
import random
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tables_support import NUMBERS, TIMES, every_kind, filter_oracle, numbers, small_chunks

import numpact
from numpact._folders import values
from numpact._folders.filters import Comparison, NumberCondition, parse_where
from numpact._folders.values import Value
from numpact._remote.manifest import LogicalType

ROWS = 400


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return every_kind(ROWS)


@pytest.fixture(scope="module")
def folder(table: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filters") / "t"
    small_chunks(table, folder, 64)
    return folder


@pytest.fixture(scope="module")
def opened(folder: Path) -> numpact.OpenTable:
    return numpact.open_table(folder, threads=1)


# ---- the language ----


def test_text_and_lists_say_the_same() -> None:
    text = (
        "a >= 1.5 AND \"b \"\"c\" == 'it''s' and c.d!=1 and x in (1,'y' , true) and "
        "y Is Not Null and z is null and d > 2024-01-01"
    )
    assert parse_where(text) == [
        Comparison("a", ">=", (Value("number", "1.5"),)),
        Comparison('b "c', "=", (Value("text", "it's"),)),
        Comparison("c.d", "!=", (Value("number", "1"),)),
        Comparison("x", "in", (Value("number", "1"), Value("text", "y"), Value("bool", "true"))),
        Comparison("y", "is not null"),
        Comparison("z", "is null"),
        Comparison("d", ">", (Value("time", "2024-01-01"),)),
    ]
    (special,) = parse_where("w in (nan, -inf)")
    assert [value.content for value in special.values] == ["nan", "-inf"]
    listed = [
        ("a", ">=", 1.5),
        ('b "c', "==", "it's"),
        ("c.d", "!=", 1),
        ("x", "IN", [1, "y", True]),
    ]
    listed += [("y", "is not null", None), ("z", "is null", None)]
    assert parse_where(listed) == parse_where(text)[:6]
    assert parse_where(("a", "=", 1)) == parse_where("a=1")
    assert parse_where(None) == parse_where([]) == []


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "the name of a column, in double quotes if it is not one word, is expected at "
             "character 1, not the end"),
        ("a", "=, !=, <, <=, >, >=, 'in', 'like', 'between' or 'is' is expected at character 2"),
        ("a =", "a value .* at character 4"),
        ("a = b-", "a value \\(text in single quotes\\) is expected at character 5, not 'b-'"),
        ("a = 1 b = 2", "'and', 'or' or the end is expected at character 7, not 'b = 2'"),
        ("a = 1 and", "name of a column.* at character 10"),
        ("a = 'x", "text that ends with ' is expected at character 5"),
        ('"a = 1', "text that ends with \" is expected at character 1"),
        ("a in 1", "'\\(' is expected at character 6"),
        ("a in (1", "',' or '\\)' is expected"),
        ("a in ()", "a value"),
        ("a is 5", "'null' is expected at character 6"),
        ("a = 1and b = 2", "a value"),
        ("5 = a", "name of a column"),
    ],
)  # fmt: skip
def test_errors_say_where(text: str, message: str) -> None:
    with pytest.raises(numpact.InvalidArgumentError, match=f"where: .*{message}"):
        parse_where(text)


@pytest.mark.parametrize(
    "where",
    [5, [5], ["a"], [("a",)], [("a", "=", 1, 2)], [(1, "=", 1)], [("a", "~", 1)], [("a", "in", 5)],
     [("a", "is null", 5)], [("a", "=", None)], [("a", "=", [1])], [("a", "=", pd.NaT)],
     [("a", "=", np.datetime64("NaT"))], [("a", "in", "abc")]],
)  # fmt: skip
def test_lists_are_checked(where: Any) -> None:
    with pytest.raises(numpact.InvalidArgumentError, match="where"):
        parse_where(where)


def test_values_of_python() -> None:
    def instant(x: Any) -> Fraction:
        value = values.value_of(x)
        assert value.kind == "instant"
        return Fraction(value.content)

    at = datetime.datetime(2024, 1, 1, 9, 30, 0, 500_000)
    seconds = Fraction(1704101400) + Fraction(1, 2)
    east = datetime.timezone(datetime.timedelta(hours=2))
    utc = at.replace(tzinfo=datetime.timezone.utc)
    assert {instant(x) for x in (at, np.datetime64(at), pd.Timestamp(at), utc)} == {seconds}
    assert [values.value_of(x).is_zoned for x in (at, np.datetime64(at), utc)] == [0, 0, 1]
    assert instant(at.replace(tzinfo=east)) == seconds - 7200
    assert instant(pd.Timestamp(at) + pd.Timedelta(1, "ns")) == seconds + Fraction(1, 10**9)
    assert instant(datetime.date(2024, 1, 1)) == instant(np.datetime64("2024-01")) == 19723 * 86_400
    late = pd.Timestamp("9999-01-01", tz="UTC")  # past the nanoseconds that pandas counts
    assert instant(late) == 253_370_764_800
    assert instant(np.datetime64(-3, "as")) == Fraction(-3, 10**18)
    clock = values.value_of(datetime.time(9, 30))
    assert (clock.kind, Fraction(clock.content)) == ("time of day", 34200)
    span = values.value_of(datetime.timedelta(days=1, hours=2, seconds=4, milliseconds=500))
    assert (span.kind, Fraction(span.content)) == ("duration", 93604 + Fraction(1, 2))
    assert Fraction(values.value_of(np.timedelta64(-5, "ns")).content) == Fraction(-5, 10**9)
    assert values.value_of(0.1) == values.value_of(np.float64(0.1)) == Value("number", "0.1")
    for number in (7, np.int8(7), np.float32(7), Decimal(7), 7.0, Fraction(7)):
        assert values.value_of(number) == Value("number", "7")
    assert values.number_text(-(10**100_000)) == "-1e500"
    assert values.number_text(Fraction(10**100_000, 3)) == "1e500"
    assert Fraction(values.number_text(Fraction(-3, 8))) == Fraction(-3, 8)
    third = Fraction(values.number_text(Fraction(1, 3)))
    assert 0 < Fraction(1, 3) - third < Fraction(1, 10**1100)


# ---- exact comparisons ----

OPS = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def near(number: Any, rng: random.Random) -> Fraction:
    """The number, or one that is a little greater or less."""
    step = Fraction(1, rng.choice([2, 3, 10**30]))
    return Fraction(number) + rng.choice([0, 0, step, -step])


@pytest.mark.parametrize("type", NUMBERS)
def test_comparisons_are_exact(type: str) -> None:
    rng = random.Random(type)
    oracle = filter_oracle()
    stored = numbers(type, 60)
    name = type if type[0] != "f" else f"f{8 * int(type[1:])}"
    exact = [float(x) if type[0] == "f" else int(x) for x in stored]
    picks = [near(x, rng) for x in exact if np.isfinite(x)][:15]
    picks += [Fraction(10) ** 400, -(Fraction(10) ** 400), Fraction(2**53 + 1), Fraction(1, 10)]
    picks += [sign * Fraction(10) ** power for sign in (1, -1) for power in (5, 39, -46, -330)]
    for pick in [*picks, float("inf"), float("-inf")]:
        value = pick
        if type[0] == "f" and isinstance(pick, Fraction) and pick.denominator != 1:
            value = oracle.nearest(pick, name)  # a fraction stands for the float nearest to it
        for op, compare in OPS.items():
            comparison = Comparison("x", op, (values.value_of(pick),))
            got = NumberCondition([comparison], LogicalType("number", name)).mask(stored)
            for x, inside in zip(exact, got, strict=True):
                is_special = isinstance(x, float) and not np.isfinite(x)
                other = x if is_special or isinstance(value, float) else Fraction(x)
                if is_special and isinstance(value, Fraction) and not np.isnan(x):
                    expected = compare(x, 0)  # beyond every fraction
                else:
                    expected = compare(other, value)
                assert bool(inside) == expected, (op, x, value)


def matching(table: pa.Table, column: str, test: Any) -> list[int]:
    found = table[column].to_pylist()
    return [i for i, value in enumerate(found) if value is not None and test(value)]


def rows_of(opened: numpact.OpenTable, where: Any) -> list[int]:
    """The rows that match, by the column of the rows' numbers in "struct"."""
    read = opened.read(["struct"], where=where)
    return [value["a"] for value in read["struct"].to_pylist()]


@pytest.mark.parametrize("seed", range(3))
def test_random_filters_of_numbers(table: pa.Table, opened: numpact.OpenTable, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        name = rng.choice(NUMBERS) + rng.choice(["", "?"])
        column = table[name].to_pylist()
        picked = rng.choice([value for value in column if value is not None])
        op = rng.choice(list(OPS))
        expected = matching(table, name, lambda x, o=op, p=picked: OPS[o](x, p))
        if picked != picked:
            nans = matching(table, name, lambda x: x != x)
            others = matching(table, name, lambda x: x == x)
            expected = {"=": nans, "!=": others}.get(op, [])
        assert rows_of(opened, [(name, op, picked)]) == expected, (name, op, picked)
        some = rng.sample([v for v in column if v is not None and v == v], 12)
        inside = matching(table, name, lambda x, s=some: x in s)
        assert rows_of(opened, [(name, "in", some)]) == inside
        if picked == picked and abs(picked) != float("inf"):
            text = f'"{name}" {op} {Decimal(picked)}'
            assert rows_of(opened, text) == expected, text


@pytest.mark.parametrize("type", TIMES, ids=str)
def test_random_filters_of_times(
    table: pa.Table, opened: numpact.OpenTable, type: pa.DataType
) -> None:
    rng = random.Random(str(type))
    ticks = (
        1 if pa.types.is_date(type) else {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9}[type.unit]
    )
    for name in (str(type), f"{type}?"):
        stored = table[name].cast(pa.int32() if type.bit_width == 32 else pa.int64())
        if pa.types.is_date64(type):
            ticks = 1000
        counts = stored.to_pylist()
        for _ in range(4):
            picked = rng.choice([value for value in counts if value is not None])
            scale = 86_400 if pa.types.is_date32(type) else Fraction(1, ticks)
            shift = Fraction(rng.choice([0, 0, 1, -1]), 3 * 10**9)
            seconds = picked * scale + shift
            kind = "instant"
            if pa.types.is_duration(type):
                kind = "duration"
            elif pa.types.is_time(type):
                kind = "time of day"
            made = Value(kind, values.number_text(Fraction(seconds)))
            op = rng.choice(list(OPS))
            bound = Comparison(name, op, (made,))
            expected = [
                i for i, x in enumerate(counts) if x is not None and OPS[op](x * scale, seconds)
            ]
            assert rows_of(opened, [bound]) == expected


def test_times_in_text(tmp_path: Path) -> None:
    table = pa.table(
        {
            "s": pa.array([0, 1, 2], pa.timestamp("s", "Europe/Berlin")),
            "d": pa.array([0, 1, 2], pa.date32()),
            "c": pa.array([0, 1000, 2000], pa.time32("ms")),
            "n": pa.array([0, 1, 2], pa.duration("ns")),
        }
    )
    numpact.write_table(table, tmp_path / "t")

    def count(where: Any) -> int:
        return len(numpact.read_table(tmp_path / "t", where=where))

    assert count("s > '1970-01-01T00:00:00.5'") == 2
    assert count("s = '1970-01-01T00:00:00.5'") == 0
    assert count("s >= '1970-01-01T01:00:01+01:00'") == 2
    assert count("s < 1970-01-01") == 0
    assert count("d >= '1970-01-02'") == count("d >= 1970-01-02") == 2
    assert count("d > '1970-01-02T00:00:00.1'") == 1
    assert count([("d", "in", [datetime.date(1970, 1, 1), np.datetime64("1970-01-03")])]) == 2
    assert count("c = '00:00:01'") == count([("c", "=", datetime.time(0, 0, 1))]) == 1
    assert count("n <= 'PT0.000000001S'") == count([("n", "<=", np.timedelta64(1, "ns"))]) == 2
    assert count("n <= 1") == count([("n", "<=", 1)]) == 2  # a count of its units


def test_nulls_and_nan(tmp_path: Path) -> None:
    nan = float("nan")
    table = pa.table({"x": pa.array([1.0, nan, None, 2.0]), "s": ["a", None, "b", "a"]})
    numpact.write_table(table, tmp_path / "t")

    def found(where: Any) -> list[str]:
        return [str(x) for x in numpact.read_table(tmp_path / "t", where=where)["x"].to_pylist()]

    assert found("x is null") == ["None"]
    assert found("x is not null") == ["1.0", "nan", "2.0"]
    assert found("x != 1") == ["nan", "2.0"]
    assert found("x = nan") == ["nan"]
    assert found("x in (nan, 2)") == ["nan", "2.0"]
    assert found("x != nan") == ["1.0", "2.0"]
    assert found("x < nan") == found("x >= nan") == []
    assert found("x < inf") == ["1.0", "2.0"]
    assert found("s is null") == ["nan"]
    assert found("s is not null and x is null") == ["None"]
    assert found("s != 'b'") == ["1.0", "2.0"]
    assert found([("s", "in", [])]) == []


def test_other_columns(table: pa.Table, opened: numpact.OpenTable) -> None:
    for name in ("text", "large text", "view", "dictionary"):
        for op, compare in OPS.items():
            expected = matching(table, name, lambda x, c=compare: c(x.encode(), b"a"))
            assert rows_of(opened, [(name, op, "a")]) == expected, (name, op)
        assert rows_of(opened, f"\"{name}\" in ('a', 'ü/x')") == matching(
            table, name, lambda x: x in ("a", "ü/x")
        )
        assert rows_of(opened, f'"{name}" is null') == [
            i for i, x in enumerate(table[name].to_pylist()) if x is None
        ]
    assert rows_of(opened, [("bytes", ">", b"a")]) == matching(table, "bytes", lambda x: x > b"a")
    some = next(x for x in table["decimal"].to_pylist() if x is not None)
    for op, compare in OPS.items():
        for value in (some, some + Decimal("0.001"), Decimal(10) ** 30, float("inf"), 0):
            expected = matching(table, "decimal", lambda x, c=compare, v=value: c(x, v))
            assert rows_of(opened, [("decimal", op, value)]) == expected, (op, value)
    assert rows_of(opened, [("decimal", "=", float(some))]) == rows_of(opened, f"decimal = {some}")
    assert rows_of(opened, "decimal = nan") == []
    assert rows_of(opened, "list is null") == rows_of(opened, "text is null")
    assert rows_of(opened, "bool = true and text = 'a'") == [
        i for i, row in enumerate(table.select(["bool", "text"]).to_pylist())
        if row["bool"] and row["text"] == "a"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "where, message",
    [
        ("i32 = 'x'", "column 'i32' is of type i32, which the text 'x' cannot be compared with"),
        ("i32 = true", "column 'i32' is of type i32, which the boolean true cannot"),
        ("bool = 1", "'bool' is of type bool, which the number 1 cannot"),
        ("\"date32[day]\" = 5", "is of type date32, which the number 5 cannot"),
        ("\"date32[day]\" = 'soon'", "is of type date32, which the text 'soon' cannot"),
        ("\"timestamp[s]\" = '09:30'", "is of type timestamp[s], which the text '09:30' cannot"),
        ("\"time32[s]\" = '2024-01-01'", "is of type time32[s], which the text '2024-01-01'"),
        ("\"duration[s]\" = true", "is of type duration[s], which the boolean true cannot"),
        ("text = 5", "'text' is of type text, which the number 5 cannot"),
        ("text = 2024-01-01", "'text' is of type text, which the time 2024-01-01 cannot"),
        ("bytes = 'x'", "'bytes' is of type binary, which the text 'x' cannot"),
        ("decimal = 'x'", "'decimal' is of type decimal128(12, 2), which the text 'x' cannot"),
        ("list = 5", "'list' is of type list<item: int64>, whose values are not compared"),
    ],
)  # fmt: skip
def test_values_of_another_kind(opened: numpact.OpenTable, where: str, message: str) -> None:
    with pytest.raises(numpact.TypeMismatchError, match=re.escape(message)):
        opened.read(where=where)


def test_columns_that_do_not_exist(folder: Path) -> None:
    with pytest.raises(numpact.InvalidArgumentError, match="there is no column 'nothing'"):
        numpact.read_table(folder, where="nothing = 5")
    with pytest.raises(numpact.InvalidArgumentError, match="there is no column 'nothing'"):
        numpact.read_table(folder, ["nothing"])


# ---- chunks that are left out ----


def ruin(path: Path, chunks: list[int]) -> None:
    """Damages chunks of a Pco file."""
    data = bytearray(path.read_bytes())
    trailer = numpact.read_trailer(path)
    assert trailer is not None
    for chunk in chunks:
        entry = trailer.chunks[chunk]
        for at in range(entry.offset + 4, entry.offset + entry.bytes):
            data[at] ^= 0x5A
    path.write_bytes(data)


@pytest.mark.parametrize("nulls", [False, True])
def test_chunks_without_a_match_are_not_read(tmp_path: Path, nulls: bool) -> None:
    """Neither those of the filter's column, nor those of others without rows that match."""
    count = 10_000
    x = pa.array(range(count), mask=np.arange(count) % 10 == 3 if nulls else None)
    table = pa.table({"x": x, "y": np.arange(count) * 0.5, "s": [str(i) for i in range(count)]})
    small_chunks(table, tmp_path / "t", 1000)
    ruin(tmp_path / "t/x.pco", [0, 1, 2, 5, 6, 7, 8])
    ruin(tmp_path / "t/y.pco", [0, 1, 2, 5, 6, 7, 8, 9])
    with pytest.raises(numpact.CorruptError):
        numpact.read_table(tmp_path / "t")
    for threads in (1, 2):
        found = numpact.read_table(tmp_path / "t", where="x >= 3999 and x < 4010", threads=threads)
        expected = [i for i in range(3999, 4010) if not nulls or i % 10 != 3]
        assert found["x"].to_pylist() == expected
        assert found["y"].to_pylist() == [i / 2 for i in expected]
        assert found["s"].to_pylist() == [str(i) for i in expected]
    rows = numpact.read_table(tmp_path / "t", ["y"], rows=(3500, 3510))
    assert rows["y"].to_pylist() == [i / 2 for i in range(3500, 3510)]
    assert len(numpact.read_table(tmp_path / "t", where="x > 10000")) == 0


def test_batches_of_text_without_a_match_are_not_read(tmp_path: Path) -> None:
    count = 3 << 16
    table = pa.table({"x": np.arange(count), "s": np.arange(count).astype(str).tolist()})
    numpact.write_table(table, tmp_path / "t", level=0)
    path = tmp_path / "t/s.arrow"
    data = bytearray(path.read_bytes())
    third = len(data) // 3
    data[third // 2 : third // 2 + 999] = b"\xa5" * 999  # in the first batch
    path.write_bytes(data)
    with pytest.raises(numpact.CorruptError):
        numpact.read_table(tmp_path / "t")
    found = numpact.read_table(tmp_path / "t", where=f"x = {count - 7}")
    assert found["s"].to_pylist() == [str(count - 7)]


def test_without_trailers_filters_find_the_same(tmp_path: Path) -> None:
    table = pa.table({"x": [5, 7, None, 9], "s": list("abcd")})
    numpact.write_table(table, tmp_path / "t", trailer=False)
    found = numpact.read_table(tmp_path / "t", where="x > 5")
    assert found.to_arrow().to_pylist() == [{"x": 7, "s": "b"}, {"x": 9, "s": "d"}]


def test_rows_and_filters_together(folder: Path, table: pa.Table) -> None:
    expected = [i for i in matching(table, "i64", lambda x: x > 3) if 100 <= i < 300]
    for rows in ((100, 300), slice(100, 300), slice(-300, -100), range(100, 300)):
        read = numpact.read_table(folder, ["struct"], rows=rows, where="i64 > 3")
        assert [value["a"] for value in read["struct"].to_pylist()] == expected
    batches = numpact.open_table(folder).batches(["struct"], (100, 300), "i64 > 3", batch_rows=70)
    got = [value["a"] for batch in batches for value in batch["struct"].to_pylist()]
    assert got == expected
    for rows in ((0, ROWS + 1), (5, 3), (-1, 4), 5, "ab"):
        with pytest.raises(numpact.InvalidArgumentError):
            numpact.read_table(folder, rows=rows)  # type: ignore[arg-type]
