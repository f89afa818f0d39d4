# SPDX-License-Identifier: Apache-2.0
"""Open tables as datasets of pyarrow, and what the library knows of pyarrow's expressions."""

from __future__ import annotations

import datetime
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.acero
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pytest
from tables_support import small_chunks

import numpact
from numpact._folders.arrow_predicates import pruning_of_arrow
from numpact._folders.polars_predicates import kind_of

ROWS = 3_000
RANDOM = np.random.default_rng(8)
DAY = datetime.datetime(2024, 1, 1)
NANS = np.where(RANDOM.random(ROWS) < 0.05, np.nan, RANDOM.normal(0, 2, ROWS).round(2))
TABLE = pa.table({
    "at": pa.array(np.arange(ROWS) * 1_000 + 1_704_067_200_000_000, pa.timestamp("us")),
    "zoned": pa.array(np.arange(ROWS) + 5, pa.timestamp("ns", "UTC")),
    "second": pa.array(np.arange(ROWS), pa.timestamp("s")),
    "day": pa.array(np.arange(ROWS, dtype=np.int32) // 10).cast(pa.date32()),
    "clock": pa.array(np.arange(ROWS) * 7, pa.time64("us")),
    "took": pa.array(RANDOM.integers(0, 99, ROWS), pa.duration("ms")),
    "price": pa.array(NANS, mask=RANDOM.random(ROWS) < 0.1),
    "half": pa.array(RANDOM.normal(0, 1, ROWS).astype(np.float32)),
    "size": RANDOM.integers(-500, 500, ROWS),
    "small": pa.array(RANDOM.integers(0, 250, ROWS), pa.uint8()),
    "large": pa.array(RANDOM.integers(0, 2**64, ROWS, np.uint64), pa.uint64()),
    "flag": pa.array(RANDOM.random(ROWS) < 0.5, mask=RANDOM.random(ROWS) < 0.1),
    "symbol": [["AA", "BB", None, "CC"][i % 4] for i in range(ROWS)],
    "name": [f"row {i}" for i in range(ROWS)],
    "kind": pa.array([["x", "y"][i % 2] for i in range(ROWS)]).dictionary_encode(),
    "cost": pa.array(RANDOM.integers(0, 10**6, ROWS)).cast(pa.decimal128(19, 0)),
})  # fmt: skip


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> numpact.OpenTable:
    folder = tmp_path_factory.mktemp("arrow_datasets") / "t"
    small_chunks(TABLE, folder, 300)
    return numpact.open_table(folder)


def field(name: str) -> pc.Expression:
    return pc.field(name)


#: Expressions of which the library knows something, for each column.
KNOWN = [
    field("at") >= DAY + datetime.timedelta(seconds=2),
    field("zoned") < pa.scalar(700, pa.timestamp("ns", "UTC")),
    field("second") <= pa.scalar(50_000, pa.timestamp("ms")),
    field("day") == datetime.date(1970, 3, 1),
    field("clock") > pa.scalar(20_000, pa.time64("us")),
    field("took") == pa.scalar(5, pa.duration("ms")),
    field("price") > 1.5,
    field("price") <= -1,
    pa.scalar(1.25) < field("price"),
    field("price").is_valid(),
    field("half") < 0.1,
    field("size") > 490,
    field("size") != 3,
    field("size").isin([1, 5, 900]),
    field("small") > 200,
    field("large") > pa.scalar(2**64 - 2**60, pa.uint64()),
    field("flag") == True,  # noqa: E712
    field("symbol") == "BB",
    field("symbol").isin(["AA", "ZZ"]),
    field("symbol") > "BA",
    field("symbol").is_null(),
    pc.starts_with(field("name"), "row 12"),
    field("kind") == "y",
    pc.if_else(field("size").is_valid(), field("size").isin([1, 5]), pa.scalar(None, pa.bool_())),
    (field("size") > 400) & (pc.second(field("at")) == 2),
    (field("symbol") == "BB") | ((field("size") < -450) & field("price").is_null()),
]
#: Others, which pyarrow judges alone.
UNKNOWN = [
    field("size") * 2 > 900,
    ~(field("size") > 10),
    field("flag"),
    field("cost") > pa.scalar(900_000).cast(pa.decimal128(19, 0)),
    field("price").isin([1.5, 0.25]),
    field("price").is_null(nan_is_null=True),
    field("size").isin([1, None]),
    field("size") == pa.scalar(None, pa.int64()),
    field("size") > field("small"),
    pc.match_like(field("name"), "%99"),
    pc.if_else(field("size") > 0, field("size").isin([1, 5]), pa.scalar(True)),
    pc.starts_with(field("name"), "ROW 12", ignore_case=True),
    field("size").cast(pa.int32()) > 3,
]


def rows_of(where: pc.Expression) -> list[int]:
    numbered = TABLE.append_column("row", pa.array(np.arange(ROWS)))
    decoded = numbered.set_column(14, "kind", numbered["kind"].cast(pa.string()))
    rows: list[int] = decoded.filter(where)["row"].to_pylist()
    return rows


def conditions_of(opened: numpact.OpenTable, where: pc.Expression) -> list[Any]:
    sources = [opened.source(i) for i in range(opened.num_columns)]
    return pruning_of_arrow(where, opened.column_names, lambda i: kind_of(sources[i]))


@pytest.mark.parametrize("where", KNOWN + UNKNOWN, ids=str)
def test_rows(opened: numpact.OpenTable, where: pc.Expression) -> None:
    rows = rows_of(where)
    for dataset in opened.dataset(), opened.dataset(dictionaries=False):
        found = dataset.to_table(filter=where)
        assert found.schema == dataset.schema
        assert same(found, rows)
        assert dataset.to_table(["price"], filter=where).column_names == ["price"]
        assert dataset.count_rows(filter=where) == len(rows)
        assert dataset.filter(where).count_rows() == len(rows)
    assert opened.row_numbers(where).tolist() == rows


def same(found: pa.Table, rows: list[int]) -> bool:
    expected = TABLE.take(pa.array(rows, pa.int64()))
    return all(
        repr(found[name].to_pylist()) == repr(expected[name].to_pylist())
        for name in found.column_names
    )


@pytest.mark.parametrize("where", KNOWN, ids=str)
def test_known(opened: numpact.OpenTable, where: pc.Expression) -> None:
    assert conditions_of(opened, where)


@pytest.mark.parametrize("where", UNKNOWN, ids=str)
def test_unknown(opened: numpact.OpenTable, where: pc.Expression) -> None:
    assert not conditions_of(opened, where)


def test_random_expressions(opened: numpact.OpenTable) -> None:
    random = np.random.default_rng(3)

    def made(depth: int) -> pc.Expression:
        if depth == 0 or random.random() < 0.3:
            return (KNOWN + UNKNOWN)[random.integers(len(KNOWN) + len(UNKNOWN))]
        one, other = made(depth - 1), made(depth - 1)
        return [one & other, one | other, ~one][random.choice(3, p=(0.45, 0.45, 0.1))]

    for _ in range(60):
        where = made(3)
        assert opened.row_numbers(where).tolist() == rows_of(where), str(where)


def test_dataset(opened: numpact.OpenTable) -> None:
    dataset = opened.dataset()
    assert isinstance(dataset, ds.Dataset)
    assert dataset.schema.field("symbol").type == pa.dictionary(pa.int32(), pa.string())
    assert dataset.schema.field("kind").type == TABLE.schema.field("kind").type
    plain = opened.dataset(dictionaries=False)
    assert plain.schema == TABLE.schema
    assert plain.to_table().to_pylist()[:7] == TABLE.to_pylist()[:7]
    assert plain.count_rows() == ROWS
    assert plain.head(3, columns=["size"]).equals(TABLE.select(["size"])[:3])
    assert (
        plain.take([5, 70])
        .select(["size", "name"])
        .equals(TABLE.take([5, 70]).select(["size", "name"]))
    )
    assert [len(batch) for batch in plain.to_batches(columns=["size"], batch_size=2_000)] == [
        2_000, 1_000,
    ]  # fmt: skip
    doubled = plain.to_table({"double": field("size") * 2}, filter=field("size") > 400)
    expected = TABLE.filter(field("size") > 400)["size"]
    assert doubled["double"].to_pylist() == [2 * x for x in expected.to_pylist()]
    twice = plain.filter(field("size") > 400).filter(field("symbol") == "AA")
    assert same(twice.to_table(), rows_of((field("size") > 400) & (field("symbol") == "AA")))
    part = opened[["size"]][100:200].dataset()
    assert part.to_table().equals(TABLE.select(["size"])[100:200])
    assert part.to_table(filter=field("size") > 0).equals(
        TABLE.select(["size"])[100:200].filter(field("size") > 0)
    )


def test_refused(opened: numpact.OpenTable) -> None:
    dataset = opened.dataset()
    for call in (
        dataset.get_fragments,
        lambda: dataset.join(dataset, "size"),
        lambda: dataset.sort_by("size"),
        lambda: dataset.replace_schema(dataset.schema),
        # Arrow's own plans do not ask for a scanner.
        lambda: pyarrow.acero.Declaration(
            "scan", pyarrow.acero.ScanNodeOptions(dataset)
        ).to_table(),
        lambda: ds.Scanner.from_dataset(dataset).to_table(),
    ):
        with pytest.raises(NotImplementedError, match=r"scanner\(\)"):
            call()
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(dataset)
    for names in ["no such"], ["size", "no such"]:
        with pytest.raises(numpact.InvalidArgumentError, match="no column 'no such'"):
            dataset.to_table(names)
    with pytest.raises(numpact.InvalidArgumentError, match="no column 'no such'"):
        dataset.to_table(filter=field("no such") > 3)


def test_closed_and_repeated_names(tmp_path: Path) -> None:
    numpact.write_table(TABLE, tmp_path / "t")
    table = numpact.open_table(tmp_path / "t")
    dataset = table.dataset()
    table.close()
    assert dataset.schema.names == TABLE.column_names  # and rows are an error, if any are gone
    with pytest.raises(ValueError, match="closed"):
        table.dataset()
    twice = pa.table([[1], [2]], names=["a", "a"])
    numpact.write_table(twice, tmp_path / "u")
    with pytest.raises(numpact.InvalidArgumentError, match="same name"):
        numpact.open_table(tmp_path / "u").dataset()


QUERIES = [
    "SELECT symbol, count(*), sum(size) FROM {} GROUP BY ALL",
    "SELECT count(*) FROM {}",
    "SELECT name, size FROM {} WHERE size > 400 AND symbol = 'AA'",
    "SELECT count(*) FROM {} WHERE symbol IN ('AA', 'BB') OR flag IS NULL",
    "SELECT kind, max(day) FROM {} WHERE second >= TIMESTAMP '1970-01-01 00:10:00' GROUP BY 1",
    "SELECT sum(cost) FROM {} WHERE cost > 500000 AND name LIKE 'row 1%'",
    "SELECT count(*) FROM {} WHERE price > 1 AND half < 0.5",
    "SELECT count(*) FROM {} WHERE large > 9223372036854775808 OR small = 7",
]


@pytest.mark.parametrize("query", QUERIES)
def test_duckdb(opened: numpact.OpenTable, query: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    dataset, whole = opened.dataset(), TABLE  # noqa: F841 # the names of the query
    rows = []
    for name in "dataset", "whole":
        rows.append(duckdb.sql(query.format(name) + " ORDER BY ALL").fetchall())
    assert rows[0] == rows[1]
    assert rows[0]


def test_duckdb_requests_columns(opened: numpact.OpenTable) -> None:
    duckdb = pytest.importorskip("duckdb")
    seen: list[Any] = []

    class Watched(type(opened.dataset())):  # type: ignore[misc]
        def scanner(self, columns: Any = None, filter: Any = None, **options: Any) -> ds.Scanner:
            seen.append((columns, str(filter)))
            return super().scanner(columns, filter, **options)

    watched = Watched(opened)  # noqa: F841
    duckdb.sql("SELECT sum(size) FROM watched WHERE symbol = 'AA'").fetchall()
    assert seen == [(["size"], '(symbol == "AA")')]
