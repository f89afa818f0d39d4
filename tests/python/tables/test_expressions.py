# SPDX-License-Identifier: Apache-2.0
"""Filters that are expressions of polars or pyarrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tables_support import small_chunks

import numpact

pl = pytest.importorskip("polars")

ROWS = 5_000
RANDOM = np.random.default_rng(5)
TABLE = pa.table({
    "at": pa.array(np.arange(ROWS) * 1_000, pa.timestamp("us")),
    "price": pa.array(RANDOM.normal(100, 3, ROWS).round(2), mask=RANDOM.random(ROWS) < 0.1),
    "size": RANDOM.integers(1, 500, ROWS),
    "symbol": [["AA", "BB", None, "CC"][i % 4] for i in range(ROWS)],
    "pair": pa.array([[i, i % 7] for i in range(ROWS)], pa.list_(pa.int64())),
})  # fmt: skip


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> numpact.OpenTable:
    folder = tmp_path_factory.mktemp("expressions") / "t"
    small_chunks(TABLE, folder, 300)
    return numpact.open_table(folder)


POLARS = [
    pl.col("size") > 490,
    (pl.col("size") * 2 + 1 > 900) & (pl.col("price") < 95),
    pl.col("symbol").is_in(["AA", "CC"]) | pl.col("price").is_null(),
    pl.col("symbol").str.ends_with("B"),
    pl.col("price") > 1e9,
    pl.col("at").dt.second() == 3,
    pl.col("pair").list.get(1) == 3,
    ~(pl.col("size") <= 10),
    pl.lit(True),
]
PYARROW = [
    pc.field("size") > 490,
    (pc.field("size") * 2 + 1 > 900) & (pc.field("price") < 95),
    pc.field("symbol").isin(["AA", "CC"]) | pc.field("price").is_null(),
    pc.ends_with(pc.field("symbol"), "B"),
    pc.field("price") > 1e9,
    pc.second(pc.field("at")) == 3,
    ~(pc.field("size") <= 10),
    pc.scalar(True),
]


def expected_of(where: Any) -> pa.Table:
    numbered = TABLE.append_column("row", pa.array(np.arange(ROWS)))
    if isinstance(where, pc.Expression):
        rows = numbered.filter(where)["row"]
    else:
        rows = pl.from_arrow(numbered).filter(where)["row"].to_arrow()
    return TABLE.take(rows)


@pytest.mark.parametrize("where", POLARS + PYARROW, ids=str)
def test_rows(opened: numpact.OpenTable, where: Any) -> None:
    expected = expected_of(where)
    found = opened.read(where=where).to_arrow()
    assert found.schema == TABLE.schema
    assert found.to_pylist() == expected.to_pylist()
    assert opened.read(["price"], where=where).to_arrow().equals(expected.select(["price"]))
    numbers = opened.row_numbers(where)
    assert TABLE.take(numbers).to_pylist() == expected.to_pylist()
    batches = list(opened.batches(["size"], where=where, batch_rows=100))
    assert all(len(batch) <= 100 for batch in batches)
    assert [x for batch in batches for x in batch["size"].to_pylist()] == expected[
        "size"
    ].to_pylist()


@pytest.mark.parametrize("where", [pl.col("size") > 450, pc.field("size") > 450], ids=str)
def test_parts_of_a_table(opened: numpact.OpenTable, where: Any) -> None:
    plain = opened.read(["at", "size"], (1_000, 2_000), "size > 450").to_arrow()
    assert opened.read(["at", "size"], (1_000, 2_000), where).to_arrow().equals(plain)
    part = opened[1_000:2_000]
    assert part.read(["at", "size"], where=where).to_arrow().equals(plain)
    assert part.row_numbers(where).tolist() == part.row_numbers("size > 450").tolist()
    assert (
        numpact.read_table(opened.path, ["at", "size"], (1_000, 2_000), where).to_arrow() == plain
    )


def test_chunks_are_left_out(tmp_path: Path) -> None:
    """Damage in chunks that an expression of polars excludes is not seen."""
    small_chunks(TABLE.select(["at", "size"]), tmp_path / "t", 300)
    file = tmp_path / "t/at.pco"
    content = bytearray(file.read_bytes())
    begin, end = (numpact.inspect(bytes(content)).chunks[at].offset for at in (10, 11))
    content[(begin + end) // 2] ^= 64
    file.write_bytes(content)
    few = pl.col("at") < pl.lit(250_000, pl.Datetime("us"))
    assert len(numpact.read_table(tmp_path / "t", where=few)) == 250
    with pytest.raises(numpact.CorruptError):
        numpact.read_table(tmp_path / "t", where=pc.field("at") == pc.field("at"))


@pytest.mark.parametrize(
    "where",
    [pl.col("none") > 1, pc.field("none") > 1, pl.col("size"), pc.field("size"),
     pl.col("size").head(3) > 1, pc.field("size") > "x", pl.col("size").str.len_chars() > 1],
    ids=str,
)  # fmt: skip
def test_what_is_no_filter(opened: numpact.OpenTable, where: Any) -> None:
    for call in (opened.read, opened.batches, opened.row_numbers):
        with pytest.raises(numpact.InvalidArgumentError, match="where: "):
            call(where=where)  # type: ignore[operator]


def test_rows_by_number_have_no_filter(opened: numpact.OpenTable) -> None:
    with pytest.raises(numpact.InvalidArgumentError, match="a range of rows is a slice"):
        opened.read(rows=[1, 5], where=pl.col("size") > 1)
