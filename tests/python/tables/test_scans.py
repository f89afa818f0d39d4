# SPDX-License-Identifier: Apache-2.0
"""Lazy frames of polars over tables: the same rows as without them, and chunks left out."""

from __future__ import annotations

import datetime
import random
import zoneinfo
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from tables_support import small_chunks

import numpact

ROWS = 600


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(3)
    x = np.round(rng.normal(0, 5, ROWS), 1)
    x[rng.random(ROWS) < 0.1] = np.nan
    x[:3] = [np.inf, -np.inf, -0.0]
    start = datetime.datetime(2024, 1, 1)
    table = pa.table(
        {
            "i": pa.array(np.arange(ROWS), mask=rng.random(ROWS) < 0.1),
            "x": pa.array(x, mask=rng.random(ROWS) < 0.1),
            "f": pa.array(x.astype("f4")),
            "u": pa.array(rng.integers(0, 2**64 - 1, ROWS, np.uint64)),
            "at": [start + datetime.timedelta(hours=i) for i in range(ROWS)],
            "day": [(start + datetime.timedelta(hours=i)).date() for i in range(ROWS)],
            "zone": pa.array(np.arange(ROWS) * 3600, pa.timestamp("s", "Europe/Berlin")),
            "ok": pa.array(rng.random(ROWS) < 0.5, mask=rng.random(ROWS) < 0.1),
            "s": [None if i % 11 == 0 else f"n{i % 7}" for i in range(ROWS)],
        }
    )
    folder = tmp_path_factory.mktemp("scans") / "t"
    small_chunks(table, folder, 50)
    return folder


@pytest.fixture(scope="module")
def whole(folder: Path) -> pl.DataFrame:
    return numpact.read_table(folder).to_polars()


AT = datetime.datetime(2024, 1, 9, 12)
TESTS = [
    pl.col("i") > 300,
    pl.lit(300) >= pl.col("i"),
    pl.col("i") == 17,
    pl.col("i") != 17,
    pl.col("i") < 100.5,
    pl.col("i").is_between(100, 120),
    pl.col("i").is_between(100, 120, closed="none"),
    pl.col("i").is_in([5, 500, None]),
    pl.col("i").is_null(),
    pl.col("i").is_not_null(),
    pl.col("i").eq_missing(None),
    pl.col("i") + 1 > 500,
    pl.col("x") > 8.0,
    pl.col("x") >= float("nan"),
    pl.col("x") == float("nan"),
    pl.col("x") < float("inf"),
    pl.col("x") != 0.0,
    pl.col("x").is_nan(),
    pl.col("f") == 0.1,
    pl.col("f") > pl.col("x"),
    pl.col("u") > 2**63,
    pl.col("at") >= AT,
    pl.col("at") >= AT.date(),
    pl.col("day") == AT.date(),
    pl.col("zone") < datetime.datetime(1970, 1, 3, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")),
    pl.col("ok"),
    ~pl.col("ok"),
    pl.col("ok") == True,  # noqa: E712
    pl.col("s") == "n3",
    pl.col("s") > "n3",
    pl.col("s").str.contains("4"),
    pl.col("i").cast(pl.Float32) > 500,
    (pl.col("i") > 580) | (pl.col("i") < 5),
    (pl.col("i") > 580) | (pl.col("s") == "n3"),
    (pl.col("x") > 8.0) | (pl.col("i") == 17) & (pl.col("s") != "n3"),
    pl.col("s").is_in(["n3", "n4", None]),
    ~pl.col("s").is_in(["n3", "n4"]),
    pl.col("s").str.starts_with("n1"),
    pl.col("s").str.starts_with("%") | pl.col("s").str.starts_with("n_"),
    pl.col("s").is_null() | (pl.col("x") > float("inf")),
    (pl.col("x") > 3.0) & (pl.col("x") + 1 < 9.0),
    pl.col("i").cum_sum() > 1000,
    pl.lit(False),
    pl.lit(True),
]


@pytest.mark.parametrize("number", range(len(TESTS)))
def test_filters_find_what_polars_finds(folder: Path, whole: pl.DataFrame, number: int) -> None:
    scan, test = numpact.scan_table(folder, threads=1), TESTS[number]
    for query in (
        lambda frame: frame.filter(test),
        lambda frame: frame.filter(test).select("s", "x"),
        lambda frame: frame.filter(test, pl.col("i") > 50).select(
            pl.len(), pl.col("i").sum(), pl.col("x").max()
        ),
        lambda frame: frame.head(333).filter(test).select("i"),
        lambda frame: frame.filter(test).head(3),
    ):
        assert query(scan).collect().equals(query(whole.lazy()).collect()), query


def test_random_filters(folder: Path, whole: pl.DataFrame) -> None:
    rng = random.Random(7)
    scan = numpact.scan_table(folder, threads=1)
    for _ in range(20):
        test = rng.choice(TESTS[:-3]) & rng.choice(TESTS[:-3])
        columns = rng.sample(whole.columns, rng.randrange(1, 4))
        found = scan.filter(test).select(columns).collect()
        assert found.equals(whole.filter(test).select(columns)), test


# Values of a column, and literals that polars finds equal to some of them only after it converted
# both to one type, or that differ from them by less than that type resolves.
CONVERTED: list[tuple[pl.Series, list[pl.Expr]]] = [
    (
        pl.Series([2**53 + 1, -(2**53) - 1, 2**63 - 1, 5]),
        [pl.lit(2.0**53), pl.lit(-(2.0**53)), pl.lit(2.0**63), pl.lit(5.0), pl.lit(5.5)],
    ),
    (
        pl.Series([2**64 - 1, 2**53 + 1, 7], dtype=pl.UInt64),
        [pl.lit(2.0**64), pl.lit(2.0**53), pl.lit(2**53, pl.Int64), pl.lit(2**53 + 1)],
    ),
    (pl.Series([5, -7], dtype=pl.Int8), [pl.lit(5.00000001), pl.lit(5, pl.UInt64), pl.lit(300)]),
    (
        pl.Series([0.1, 0.5, 2.0**24], dtype=pl.Float32),
        [
            pl.lit(0.1),
            pl.lit(0.1, pl.Float64),
            pl.lit(0.1, pl.Float32),
            pl.lit(2**24 + 1),
            pl.lit(2**24 + 1, pl.Int64),
        ],
    ),
    (
        pl.Series([0.1, float(np.float32(0.1)), 2.0**53]),
        [pl.lit(0.1), pl.lit(0.1, pl.Float32), pl.lit(2**53 + 1), pl.lit(2**53 + 1, pl.Int64)],
    ),
    (
        pl.Series([0, 1_000, 1_500]).cast(pl.Datetime("ns")),
        [pl.lit(value).cast(pl.Int64).cast(pl.Datetime("us")) for value in (0, 1, 2)],
    ),
    (
        pl.Series([0, 1, 2]).cast(pl.Datetime("ms")),
        [pl.lit(np.datetime64(at, "us")) for at in (-1, 0, 999, 1_000, 1_001)],
    ),
    (
        pl.Series([0, 1_500, -1]).cast(pl.Duration("us")),
        [pl.lit(np.timedelta64(at, "ns")) for at in (-1, 0, 1_499_999, 1_500_001)]
        + [pl.lit(np.timedelta64(at, "ms")) for at in (-1, 0, 1, 2)],
    ),
]


@pytest.mark.parametrize("case", range(len(CONVERTED)))
def test_literals_that_polars_converts(tmp_path: Path, case: int) -> None:
    values, literals = CONVERTED[case]
    frame = pl.DataFrame({"v": values}).select(pl.col("v").repeat_by(3).explode())
    small_chunks(frame.to_arrow(), tmp_path / "t", 3)
    assert len(numpact.read_trailer(tmp_path / "t/v.pco").chunks) == len(values)
    scan, v = numpact.scan_table(tmp_path / "t"), pl.col("v")
    for literal in literals:
        for test in (v == literal, v != literal, v < literal, v <= literal, v > literal,
                     v >= literal, literal > v, v.is_between(literal, literal)):  # fmt: skip
            assert scan.filter(test).collect().equals(frame.filter(test)), test


@pytest.mark.parametrize("engine", ["streaming", "in-memory", "auto"])
def test_rows_keep_their_order(tmp_path: Path, engine: str) -> None:
    numpact.write_table({"a": np.arange(1_000_000)}, tmp_path / "t")
    scan = numpact.scan_table(tmp_path / "t")
    found = scan.filter(pl.col("a") % 3 == 0).collect(engine=engine)  # type: ignore[call-overload]
    assert np.array_equal(found["a"].to_numpy(), np.arange(0, 1_000_000, 3))


def test_projections_and_rows(folder: Path, whole: pl.DataFrame) -> None:
    scan = numpact.scan_table(folder)
    assert scan.collect_schema() == whole.schema
    assert scan.collect().equals(whole)
    assert scan.select("s").collect().equals(whole.select("s"))
    assert scan.head(7).collect().equals(whole.head(7))
    assert scan.slice(590, 100).collect().equals(whole.slice(590, 100))
    assert scan.tail(4).collect().equals(whole.tail(4))
    assert scan.select(pl.len()).collect().item() == ROWS
    assert (
        scan.group_by("s")
        .agg(pl.len())
        .sort("s")
        .collect()
        .equals(whole.lazy().group_by("s").agg(pl.len()).sort("s").collect())
    )
    batches = list(scan.collect_batches(chunk_size=100)) if hasattr(scan, "collect_batches") else []
    assert not batches or pl.concat(batches).equals(whole)


def test_chunks_without_a_match_are_not_read(folder: Path, tmp_path: Path) -> None:
    from test_filters import ruin

    table = numpact.read_table(folder)
    small_chunks(table.to_arrow(), tmp_path / "t", 50)
    last = len(numpact.read_trailer(tmp_path / "t/i.pco").chunks) - 1
    ruin(tmp_path / "t/i.pco", list(range(2, last)))
    ruin(tmp_path / "t/u.pco", list(range(2, 12)))
    scan = numpact.scan_table(tmp_path / "t")
    with pytest.raises(Exception, match="chunk"):
        scan.select("i").collect()
    found = scan.filter(pl.col("i").is_between(10, 20)).select("i", "u").collect()
    assert found.height > 5
    either = (pl.col("i") < 11) & (pl.col("i") > 9) | pl.col("i").is_between(15, 20)
    assert 0 < scan.filter(either).select("i", "u").collect().height < found.height
    # Others than those of the query are not read either.
    assert scan.select("s").collect().height == ROWS


def test_what_is_understood(folder: Path) -> None:
    opened = numpact.open_table(folder)

    def columns(test: pl.Expr) -> list[str]:
        return [opened.column_names[item.column] for item in opened.pruned(test)]

    assert columns((pl.col("i") > 5) & (pl.lit(1.5) < pl.col("x")) & pl.col("u").is_null()) == list(
        "ixu"
    )
    assert columns((pl.col("i") > 5) | (pl.col("x") > 5)) == ["i", "x"]
    assert columns((pl.col("i") > 5) | (pl.col("s") == "a")) == ["i", "s"]
    unknown = pl.col("s").str.contains("a")
    assert columns((pl.col("i") > 5) | unknown) == []
    assert columns(pl.col("i").is_in([1, 2]) & pl.col("s").is_in(["a", None])) == ["i", "s"]
    assert columns(pl.col("i").is_in([1.5])) == []
    assert columns(pl.col("s").str.starts_with("a") & pl.col("s").str.ends_with("b")) == ["s"]
    both = (pl.col("i") > 5) & (unknown | (pl.col("x") > 5))
    assert columns(both) == ["i"]
    assert columns(both | pl.col("u").is_null()) == ["i", "u"]
    assert columns(~(pl.col("i") > 5)) == []
    assert columns(pl.col("i") + 1 > 5) == []
    assert columns(pl.col("nothing") > 5) == []


def test_names_that_repeat(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    numpact.write_table(table, tmp_path / "t")
    with pytest.raises(numpact.InvalidArgumentError, match="names of columns repeat"):
        numpact.scan_table(tmp_path / "t")


def test_a_table_without_rows(tmp_path: Path) -> None:
    numpact.write_table(pa.table({"a": pa.array([], pa.int64()), "s": pa.array([], pa.string())}),
                        tmp_path / "t")  # fmt: skip
    scan = numpact.scan_table(tmp_path / "t")
    assert scan.filter(pl.col("a") > 1).collect().shape == (0, 2)
    assert scan.select("s").collect().schema == {"s": pl.String}


# ---- every type of polars ----

FLOATS = [-np.inf, -2.5, -1.0, -0.0, 0.0, 0.1, 0.5, 1.0, 2.0, 3.0, 7.5, np.inf, np.nan]
INTEGERS = {
    pl.Int8: 2**7, pl.Int16: 2**15, pl.Int32: 2**31, pl.Int64: 2**63,
    pl.UInt8: 2**8, pl.UInt16: 2**16, pl.UInt32: 2**32, pl.UInt64: 2**64,
}  # fmt: skip


def _integers(dtype: type[pl.DataType]) -> pl.Series:
    end = INTEGERS[dtype]
    low = 0 if dtype in (pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64) else -end
    near = [x for x in (2**24 + 1, 2**53 + 1) if x < end]
    return pl.Series([low, low + 1, 5, 6, 7, *near, end - 2, end - 1], dtype=dtype)


def _series() -> dict[str, pl.Series]:
    made = {str(dtype): _integers(dtype) for dtype in INTEGERS}
    singles = [*FLOATS, 123456792.0, 2.0**24 + 2, 1e38, float(np.finfo("f4").max)]
    made["Float32"] = pl.Series(singles, dtype=pl.Float32)
    made["Float64"] = pl.Series([*FLOATS, 2.0**53, 1e300, 5e-324])
    if hasattr(pl, "Float16"):
        made["Float16"] = pl.Series(FLOATS, dtype=pl.Float16)
    made["Boolean"] = pl.Series([False, True, None])
    made["Date"] = pl.Series([0, 1, -1, 20_000, None]).cast(pl.Date)
    made["Time"] = pl.Series([0, 1, 10**9, 86_399 * 10**9]).cast(pl.Time)
    for unit in ("ms", "us", "ns"):
        counts = pl.Series([0, 1, -1, 1_500, 10**12, None])
        made[f"Datetime {unit}"] = counts.cast(pl.Datetime(unit))
        made[f"Datetime {unit} zoned"] = counts.cast(pl.Datetime(unit, "Europe/Berlin"))
        made[f"Duration {unit}"] = counts.cast(pl.Duration(unit))
    made["String"] = pl.Series(["a", "b", "", None])
    made["Binary"] = pl.Series([b"a", b"b", b"", None])
    made["Categorical"] = pl.Series(["a", "b", "a", None], dtype=pl.Categorical)
    made["Enum"] = pl.Series(["a", "b", "a", None], dtype=pl.Enum(["b", "a"]))
    made["Decimal"] = pl.Series([Decimal("1.50"), Decimal("-2.25"), None], dtype=pl.Decimal(10, 2))
    made["Null"] = pl.Series([None, None])
    return made


SERIES = _series()


def _result(frame: pl.LazyFrame, test: pl.Expr) -> object:
    """The numbers of the rows, or the error."""
    try:
        return frame.filter(test).select("row").collect()["row"].to_list()
    except (pl.exceptions.PolarsError, OverflowError) as error:
        return type(error).__name__


@pytest.mark.parametrize("name", SERIES)
@pytest.mark.filterwarnings("ignore")
def test_literals_of_every_type(tmp_path: Path, name: str) -> None:
    """Chunks lie below, at and above each literal; none is left out that polars would find."""
    values = SERIES[name]
    frame = pl.DataFrame({"v": values, "row": range(len(values))})
    numpact.write_table(frame[:1], tmp_path / "t")
    for row in range(1, frame.height):
        numpact.append_table(frame[row : row + 1], tmp_path / "t")
    scan, whole = numpact.scan_table(tmp_path / "t"), numpact.read_table(tmp_path / "t").to_polars()
    assert whole.equals(frame)
    literals = [pl.lit(x, values.dtype) for x in values]
    if values.dtype.is_numeric() and not values.dtype.is_decimal():
        numbers = [0, 5, -1, 300, 2.5, -0.5, 0.1, 123456792.0, 2**24 + 1, 2**53, 2**53 + 1, 1e38]
        literals += [pl.lit(x) for x in [*numbers, 2**63 - 1, 1e300, np.nan, np.inf]]
        kinds = [pl.Float64, pl.Float32, pl.Int64, pl.UInt64, pl.Int32, pl.Int8]
        kinds += [kind for kind in (getattr(pl, "Float16", None), pl.Int128) if kind is not None]
        literals += [pl.lit(x, kind) for kind in kinds for x in (5, -1, 2)
                     if x >= 0 or kind != pl.UInt64]  # fmt: skip
    elif values.dtype.is_temporal():
        at = datetime.datetime(1970, 1, 1, 0, 0, 1)
        literals += [pl.lit(at), pl.lit(at.date()), pl.lit(at.time()), pl.lit(at - at)]
        literals += [pl.lit(at.replace(tzinfo=datetime.timezone.utc))]
        units = ("ms", "us", "ns")
        literals += [pl.lit(1).cast(pl.Int64).cast(pl.Datetime(unit)) for unit in units]
    literals += [pl.lit(None), pl.lit("a"), pl.lit(b"a"), pl.lit(True), pl.lit(Decimal("1.5"))]
    v = pl.col("v")
    for literal in literals:
        for test in (
            v == literal, v != literal, v < literal, v <= literal, v > literal, v >= literal,
            literal < v, v.eq_missing(literal), v.is_between(literal, literal),
            v.is_between(literal, literal, closed="none"),
        ):  # fmt: skip
            assert _result(scan, test) == _result(whole.lazy(), test), test
    some = values.drop_nulls()[:2].to_list()
    for test in (v.is_in(some), v.is_in([]), v.is_null(), v.is_not_null(), ~v.is_in(some)):
        assert _result(scan, test) == _result(whole.lazy(), test), test


def test_errors_of_polars_stay_errors(tmp_path: Path) -> None:
    """Also where all chunks are left out."""
    at = datetime.datetime(2030, 1, 1)
    frame = pl.DataFrame({"x": [datetime.datetime(2024, 1, 1)], "n": [1]})
    numpact.write_table(frame, tmp_path / "t")
    scan, zoned = numpact.scan_table(tmp_path / "t"), at.replace(tzinfo=datetime.timezone.utc)
    for test in (pl.col("x") > zoned, (pl.col("n") > 5) & (pl.col("x") > zoned)):
        assert _result(frame.with_columns(row=0).lazy(), test) == "SchemaError"
        with pytest.raises(pl.exceptions.PolarsError):
            scan.filter(test).collect()
    assert scan.filter(pl.col("x") > at).collect().height == 0


@pytest.mark.parametrize("type", [pa.timestamp("s"), pa.duration("s"), pa.timestamp("s", "UTC")])
def test_seconds_that_polars_cannot_hold(tmp_path: Path, type: pa.DataType) -> None:
    most = (2**63 - 1) // 1000
    table = pa.table({"n": [1, 2], "t": pa.array([-most, most + 1]).cast(type)})
    numpact.write_table(table, tmp_path / "t")
    frame = numpact.scan_table(tmp_path / "t")
    assert frame.filter(pl.col("n") == 1).collect().height == 1
    assert frame.select("n").collect().height == 2
    with pytest.raises(numpact.TypeMismatchError, match=f"'t': polars cannot hold {most + 1}"):
        frame.collect()


def test_nested_categories(tmp_path: Path) -> None:
    enum = pl.Enum(["x", "y"])
    frame = pl.DataFrame(
        {
            "list": pl.Series([["x"], ["y", None], None], dtype=pl.List(pl.Categorical)),
            "struct": pl.Series([{"a": "x"}, {"a": None}, None], dtype=pl.Struct({"a": enum})),
            "deep": pl.Series([[{"a": "x"}], [], None], dtype=pl.List(pl.Struct({"a": enum}))),
            "array": pl.Series([["x", "y"], None, ["y", None]], dtype=pl.Array(enum, 2)),
            "n": [0, 1, 2],
        }
    )
    numpact.write_table(frame, tmp_path / "t")
    scan = numpact.scan_table(tmp_path / "t")
    whole = numpact.read_table(tmp_path / "t").to_polars()
    assert scan.collect_schema() == whole.schema
    assert scan.select("n").collect().equals(frame.select("n"))
    assert scan.collect().equals(whole)
    assert scan.filter(pl.col("n") > 0).collect().equals(whole[1:])
    assert scan.filter(pl.col("n") > 5).collect().equals(whole[:0])


@pytest.mark.skipif(find_spec("duckdb") is None, reason="there is no duckdb")
def test_duckdb_reads_what_a_query_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import duckdb

    from numpact._folders import polars_scan

    rows = 10_000
    columns = {
        "n": np.arange(rows),
        "text": [f"t{i % 7}" for i in range(rows)],
        "other": np.arange(rows) / 8,
    }
    numpact.write_table(pa.table(columns), tmp_path / "t")
    asked = []
    frames = polars_scan._Scan.frames

    def seen(scan: polars_scan._Scan, chosen: list[str], predicate: object, *rest: object):
        asked.append((chosen, predicate is not None))
        return frames(scan, chosen, predicate, *rest)

    monkeypatch.setattr(polars_scan._Scan, "frames", seen)
    lazy = numpact.scan_table(tmp_path / "t")  # noqa: F841 # DuckDB finds it by its name
    with duckdb.connect() as connection:
        found = connection.sql("select text, sum(n) from lazy where n < 20 group by 1 order by 1")
        expected = [(f"t{i}", sum(range(i, 20, 7))) for i in range(7)]
        assert found.fetchall() == expected
    assert [(sorted(chosen), filtered) for chosen, filtered in asked][-1] == (["n", "text"], True)
