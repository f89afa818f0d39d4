# SPDX-License-Identifier: Apache-2.0
"""numpact estimate: sizes without encoding."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli_program import FAILURE, USAGE, refused, run


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(7)
    prices = np.round(1000 + rng.normal(size=30_000).cumsum(), 2)
    ids = rng.integers(0, 1000, 30_000)
    path = tmp_path / "trips.parquet"
    pq.write_table(pa.table({"price": prices, "id": ids, "text": ["a"] * 30_000}), path)
    return path


def estimated(*arguments: object) -> list[dict[str, Any]]:
    return json.loads(run("estimate", *arguments, "--json").text)["columns"]


def test_columns_of_a_table(table: Path, tmp_path: Path) -> None:
    columns = estimated(table)
    assert [column["place"] for column in columns] == \
        [f"{table}: column '{name}'" for name in ("price", "id")]
    for column, name in zip(columns, ("price", "id"), strict=True):
        assert column["count"] == 30_000
        assert column["raw_bytes"] == 240_000
        file = tmp_path / f"{name}.pco"
        run("compress", table, "--column", name, "-o", file, "--no-trailer")
        assert abs(file.stat().st_size - column["estimated_bytes"]) <= column["error_bytes"]
        assert estimated(table, "--column", name) == [column]
        chunk = json.loads(run("inspect", file, "--json").text)["chunks"][0]
        assert [column["mode"], column["delta"]] == [chunk["mode_text"], chunk["delta_text"]]


def test_report_has_a_sum(table: Path) -> None:
    result = run("estimate", table)
    lines = result.text.splitlines()
    assert [line.split()[0] for line in lines if line[:1].isalpha()] == \
        ["column", "price", "id", "sum"]
    assert "column 'text' is left out" in result.err


def test_arrays_and_options(tmp_path: Path) -> None:
    path = tmp_path / "walk.npy"
    np.save(path, np.arange(10_000) * 3)
    found = estimated(path)[0]
    assert found["place"] == str(path)
    assert found["type"] == "i64"
    assert estimated(path, "--mode", "classic", "--delta", "none")[0]["estimated_bytes"] > \
        found["estimated_bytes"]
    assert "sum" not in run("estimate", path).text


def test_refusals(table: Path, tmp_path: Path) -> None:
    assert refused("estimate", table, "--column", "none", code=USAGE)
    assert refused("estimate", table, "--level", 13, code=USAGE)
    assert refused("estimate", tmp_path / "missing.npy", code=FAILURE)


def test_fits_the_numbers(tmp_path: Path) -> None:
    path = tmp_path / "whole.npy"
    np.save(path, np.arange(100))
    assert refused("estimate", path, "--mode", "float-mult=0.1", code=USAGE)
