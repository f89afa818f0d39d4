# SPDX-License-Identifier: Apache-2.0
"""Tables that are divided among folders by the values of columns."""

from __future__ import annotations

import datetime
import os
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from untakeable import TYPES, untakeable

import numpact

ROWS = 1000


@pytest.fixture
def table() -> pa.Table:
    rng = np.random.default_rng(3)
    start = datetime.date(2024, 1, 1)
    days = [start + datetime.timedelta(int(i)) for i in rng.integers(0, 4, ROWS)]
    zones = [["a b", "c/d", None, "é"][i] for i in rng.integers(0, 4, ROWS)]
    return pa.table({"n": range(ROWS), "day": days, "zone": zones, "x": rng.normal(size=ROWS)})


def test_rows_are_divided_and_come_back(tmp_path: Path, table: pa.Table) -> None:
    numpact.write_table(table, tmp_path / "t", partition_by=["day", "zone"])
    names = sorted(path.name for path in (tmp_path / "t").iterdir())
    assert names == ["dataset.json", *(f"day=2024-01-0{i}" for i in range(1, 5))]
    assert sorted(path.name for path in (tmp_path / "t/day=2024-01-02").iterdir()) == [
        "zone=%C3%A9",
        "zone=__HIVE_DEFAULT_PARTITION__",
        "zone=a%20b",
        "zone=c%2Fd",
    ]
    frame = numpact.scan_table(tmp_path / "t")
    assert frame.collect_schema().names() == ["n", "x", "day", "zone"]
    back = frame.sort("n").select("n", "day", "zone", "x").collect()
    assert back.equals(pl.from_arrow(table))
    # Rows keep their order, and every folder is a table.
    part = numpact.read_table(tmp_path / "t/day=2024-01-02/zone=a%20b")
    assert part.column_names == ["n", "x"]
    numbers = part["n"].to_pylist()
    assert numbers == sorted(numbers)
    assert os.listdir(tmp_path) == ["t"]


@pytest.mark.parametrize(
    "values",
    [[5, -3, None, 5], [0, 10**18 - 1, 1 - 10**18], ["x", "y", "x"], [None, None]],
)
def test_values_come_back(tmp_path: Path, values: list[Any]) -> None:
    type = None if any(v is not None for v in values) else pa.string()
    table = pa.table({"k": pa.array(values, type), "n": range(len(values))})
    numpact.write_table(table, tmp_path / "t", partition_by=["k"])
    back = numpact.scan_table(tmp_path / "t").sort("n").collect()
    assert back["k"].to_list() == values


def test_streams_dictionaries_and_no_rows(tmp_path: Path, table: pa.Table) -> None:
    coded = table.set_column(2, "zone", table["zone"].dictionary_encode())
    stream = pa.RecordBatchReader.from_batches(coded.schema, coded.to_batches(max_chunksize=99))
    numpact.write_table(stream, tmp_path / "t", partition_by=["zone"])
    assert numpact.scan_table(tmp_path / "t").select(pl.len()).collect().item() == ROWS
    numpact.write_table(table.slice(0, 0), tmp_path / "empty", partition_by=["zone"])
    assert os.listdir(tmp_path / "empty") == ["dataset.json"]
    with pytest.raises(FileNotFoundError, match="without tables"):
        numpact.scan_table(tmp_path / "empty")


@pytest.mark.parametrize(
    ("columns", "kind", "said"),
    [
        (["y"], numpact.InvalidArgumentError, "'y'"),
        (["day", "day"], numpact.InvalidArgumentError, "'day'"),
        ("day", numpact.InvalidArgumentError, "list of names"),
        ([], numpact.InvalidArgumentError, "at least one"),
        (["x"], numpact.TypeMismatchError, "'x' is double"),
    ],
)
def test_columns_that_name_no_folders(
    tmp_path: Path, table: pa.Table, columns: Any, kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said):
        numpact.write_table(table, tmp_path / "t", partition_by=columns)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("value", ["", "__HIVE_DEFAULT_PARTITION__", "y" * 300, 10**18])
def test_values_that_name_no_folder(tmp_path: Path, value: Any) -> None:
    with pytest.raises(numpact.InvalidArgumentError, match="column 'k'"):
        numpact.write_table({"k": [value], "n": [1]}, tmp_path / "t", partition_by=["k"])
    assert os.listdir(tmp_path) == []


def test_too_many_folders_and_a_folder_that_exists(tmp_path: Path) -> None:
    with pytest.raises(numpact.InvalidArgumentError, match="16385 folders"):
        numpact.write_table(
            {"k": range(16_385), "n": range(16_385)}, tmp_path / "t", partition_by=["k"]
        )
    assert os.listdir(tmp_path) == []
    (tmp_path / "t").mkdir()
    with pytest.raises(FileExistsError):
        numpact.write_table({"k": [1], "n": [1]}, tmp_path / "t", partition_by=["k"])
    assert os.listdir(tmp_path / "t") == []


def test_frames_with_views_of_text(tmp_path: Path) -> None:
    frame = pl.DataFrame({"k": ["a", "b"] * 50, "s": [f"text number {i}" for i in range(100)]})
    numpact.write_table(frame, tmp_path / "t", partition_by=["k"])
    back = numpact.scan_table(tmp_path / "t").collect()
    assert back.sort("s").equals(frame.select("s", "k").sort("s"))


@pytest.mark.parametrize("name", TYPES)
def test_types_of_which_arrow_takes_no_rows(tmp_path: Path, name: str) -> None:
    table = untakeable(name)
    numpact.write_table(table, tmp_path / "t", partition_by=["k"])
    back = pa.table(numpact.read_table(tmp_path / "t", ["i", "v"]))
    back.validate(full=True)
    assert back.schema.field("v").type == TYPES[name]
    values = table["v"].to_pylist()
    assert back["v"].to_pylist() == [values[i] for i in back["i"].to_pylist()]
    assert sorted(back["i"].to_pylist()) == list(range(len(table)))
