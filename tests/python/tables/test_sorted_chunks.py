# SPDX-License-Identifier: Apache-2.0
"""Filters read parts of chunks only: of sorted ones those that may match, and of other columns the
runs of rows that do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import numpact

pa = pytest.importorskip("pyarrow")

RESTART = 256  # the shortest distance of restart points
ROWS = 6000


def sorted_columns() -> dict[str, np.ndarray]:
    random = np.random.default_rng(5)
    steps = random.integers(0, 50, ROWS)
    return {
        "i64": np.cumsum(steps) - 40_000,
        # Its steps might pass the largest number: it is read whole.
        "u64 to the largest": np.uint64(2**64 - 1) - np.cumsum(steps[::-1])[::-1].astype("u8"),
        "i32 of few values": np.cumsum(steps > 48).astype("i4"),
        "multiples": np.cumsum(steps) * 1000,
        "f64": np.sort(random.normal(0, 1000, ROWS)),
        "u8": np.sort(random.integers(0, 256, ROWS)).astype("u1"),
    }


def bounds_of(column: np.ndarray) -> list[Any]:
    picked = [column[i] for i in (0, 1, RESTART - 1, RESTART, RESTART + 1, 3333, ROWS - 1)]
    return [one.item() for one in picked] + [column[0].item() - 1, column[-1].item() + 1]


def spans_of(table: numpact.OpenTable, where: str) -> list[tuple[int, int]]:
    """The rows that a scan reads."""
    scan, _ = table._scan([], None, numpact._folders.filters.parse_where(where), None)
    return scan.spans


@pytest.mark.parametrize("name", sorted_columns())
def test_all_rows_of_sorted_columns_are_found(name: str, tmp_path: Path) -> None:
    column = sorted_columns()[name]
    numpact.write_table(
        pa.table({"x": column, "row": np.arange(ROWS)}), tmp_path / "t", trailer=RESTART
    )
    with numpact.open_table(tmp_path / "t") as table:
        for low in bounds_of(column):
            for high in bounds_of(column):
                where = [("x", ">=", low), ("x", "<", high)]
                found = table.read(["row", "x"], where=where).to_arrow()
                expected = np.flatnonzero((column >= low) & (column < high))
                assert found["row"].to_pylist() == expected.tolist(), where
                assert found["x"].to_numpy().tobytes() == column[expected].tobytes()
            equal = table.row_numbers(where=[("x", "=", low)])
            assert equal.tolist() == np.flatnonzero(column == low).tolist(), low


@pytest.mark.parametrize("name", ["i64", "multiples"])
def test_little_of_a_sorted_chunk_is_read(name: str, tmp_path: Path) -> None:
    column = sorted_columns()[name]
    numpact.write_table(pa.table({"x": column}), tmp_path / "t", trailer=RESTART)
    with numpact.open_table(tmp_path / "t") as table:
        value = column[3000].item()
        ((first, end),) = spans_of(table, f"x = {value}")
        assert first <= 3000 < end
        assert end - first <= 2 * RESTART
        ((first, end),) = spans_of(table, f"x < {value}")
        assert first == 0
        assert 3000 <= end <= 3000 + 2 * RESTART
        assert spans_of(table, f"x > {column[-1].item() - 1} and x < {column[0].item() + 1}") == []


@pytest.mark.parametrize(
    "column",
    [
        np.concatenate([np.arange(3000), np.arange(3000)]),
        np.arange(ROWS)[::-1].copy(),
        np.where(np.arange(ROWS) == 4000, -1, np.arange(ROWS)),
        np.cumsum(np.full(ROWS, 2**63 // 1000)).astype("u8"),  # passes 2^64
        (np.arange(ROWS) + 65_000).astype("u2"),  # passes 2^16
        (np.arange(ROWS).astype("u8") * np.uint64(1000) + np.uint64(2**64 - 2_000_000)),
        (np.arange(ROWS) + 30_000).astype("i2"),
        np.where(np.arange(ROWS) == 5, np.nan, np.arange(ROWS) / 8),
    ],
    ids=["twice", "downwards", "one outlier", "wraps", "u16", "u64", "i16", "nan"],
)
def test_other_chunks_are_read_whole(column: np.ndarray, tmp_path: Path) -> None:
    numpact.write_table(pa.table({"x": column}), tmp_path / "t", trailer=RESTART)
    with numpact.open_table(tmp_path / "t") as table:
        for at in (0, 1, 536, 1999, 2001, 2500, 2768, 4000, ROWS - 1):
            low = column[at].item()
            found = table.row_numbers(where=[("x", ">=", low), ("x", "<=", low + 3)])
            exact = column.astype(object)
            expected = np.flatnonzero((exact >= low) & (exact <= low + 3))
            assert found.tolist() == expected.tolist()


def test_nulls_of_a_sorted_column(tmp_path: Path) -> None:
    values = np.arange(ROWS) * 7
    nulls = np.random.default_rng(2).random(ROWS) < 0.3
    numpact.write_table(
        pa.table({"x": pa.array(values, mask=nulls), "row": np.arange(ROWS)}),
        tmp_path / "t",
        trailer=RESTART,
    )
    with numpact.open_table(tmp_path / "t") as table:
        for low, high in ((0, 70), (5000, 9000), (41_000, 50_000)):
            where = f"x >= {low} and x < {high}"
            expected = np.flatnonzero(~nulls & (values >= low) & (values < high))
            assert table.row_numbers(where=where).tolist() == expected.tolist()
            assert table.row_numbers(where=f"{where} or x is null").tolist() == sorted(
                [*expected, *np.flatnonzero(nulls)]
            )


def test_runs_of_rows_that_match(tmp_path: Path) -> None:
    """Of columns without and with restart points, with nulls and as text."""
    rows = 150_000
    random = np.random.default_rng(9)
    key = np.zeros(rows, "i4")
    for first, end in (
        (10, 12),
        (30_000, 30_500),
        (64_000, 70_000),
        (99_999, 100_001),
        (149_990, 150_000),
    ):
        key[first:end] = 1
    jumps = random.integers(0, 1000, 200)
    columns = {
        "key": pa.array(key),
        "i": pa.array(random.integers(0, 10**12, rows), mask=random.random(rows) < 0.1),
        "looked back": pa.array(np.tile(jumps, rows // 200) + random.integers(0, 2, rows)),
        "b": pa.array(random.random(rows) < 0.5, mask=random.random(rows) < 0.01),
        "text": pa.array([f"t{i % 90}" for i in range(rows)]),
        "d": pa.array(random.integers(-999, 999, rows))
        .cast(pa.decimal128(19, 0))
        .cast(pa.decimal128(12, 0)),
        "blob": pa.array([b"%d" % i for i in range(rows)]),
    }
    table = pa.table(columns)
    numpact.write_table(table, tmp_path / "t")
    expected = table.filter(pa.compute.equal(table["key"], 1))
    for window in (None, 1000, 65_536):
        with numpact.open_table(tmp_path / "t") as opened:
            if window is None:
                found = opened.read(where="key = 1").to_arrow()
            else:
                batches = opened.batches(where="key = 1", batch_rows=window)
                found = pa.concat_tables([one.to_arrow() for one in batches])
        assert found.equals(expected.cast(found.schema)), window
