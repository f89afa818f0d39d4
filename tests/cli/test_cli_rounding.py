# SPDX-License-Identifier: Apache-2.0
"""compress --max-error, --decimals, --keep-bits and --fill."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli_program import USAGE, refused, run


def walk(n: int = 30_000) -> Any:
    return np.random.default_rng(7).normal(size=n).cumsum()


@pytest.fixture
def array(tmp_path: Path) -> Path:
    path = tmp_path / "x.npy"
    np.save(path, walk())
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "trips.parquet"
    nulls = [None if i % 5 == 0 else i / 7 for i in range(30_000)]
    columns = {"x": walk(), "n": nulls, "i": np.arange(30_000) * 3,
               "t": pa.array(range(30_000), pa.timestamp("s"))}
    pq.write_table(pa.table(columns), path)
    return path


def numbers_of(path: Path, tmp_path: Path) -> Any:
    out = tmp_path / "back.npy"
    run("decompress", path, "-f", "-o", out)
    return np.load(out)


def test_arrays_stay_within_the_bound(array: Path, tmp_path: Path) -> None:
    out = tmp_path / "x.pco"
    ran = run("compress", array, "-o", out, "--max-error", "0.01", "--json")
    error = float(np.abs(numbers_of(out, tmp_path) - walk()).max())
    report = json.loads(ran.text)
    assert report["output"] == str(out)
    (rounded,) = report["rounded"]
    assert rounded["max_error"] == error <= 0.01
    assert rounded["count"] == 30_000
    assert f"{out}: largest error {error}" in ran.err
    assert out.stat().st_size * 3 < array.stat().st_size
    run("compress", array, "-f", "-q", "-o", out, "--decimals", "1")
    assert (numbers_of(out, tmp_path) == walk().round(1)).mean() > 0.999
    run("compress", array, "-f", "-q", "-o", out, "--keep-bits", "8")
    assert (numbers_of(out, tmp_path).view(np.uint64) << np.uint64(20) == 0).all()


def test_integers_and_fill_values(tmp_path: Path) -> None:
    path, out = tmp_path / "i.npy", tmp_path / "i.pco"
    x = np.random.default_rng(1).integers(0, 30_000, 20_000).astype(np.int16)
    x[5] = -999
    np.save(path, x)
    run("compress", path, "-o", out, "--max-error", "4", "--fill", "-999")
    back = numbers_of(out, tmp_path)
    assert back[5] == -999
    assert 0 < np.abs(back.astype(int) - x).max() <= 4
    assert "does not fit i16" in refused("compress", path, "-f", "-o", out, "--max-error", "4",
                                         "--fill", "70000", code=USAGE)


def test_columns_of_tables(table: Path, tmp_path: Path) -> None:
    folder = tmp_path / "t"
    ran = run("compress", table, "-o", folder, "--max-error", "0.1", "--decimals", "n=1", "--json")
    rounded = {one["column"]: one for one in json.loads(ran.text)["rounded"]}
    assert list(rounded) == ["x", "n"]  # integers and times only on request
    assert rounded["n"]["count"] == 24_000
    out = tmp_path / "back.parquet"
    run("decompress", folder, "-o", out)
    back, before = pq.read_table(out), pq.read_table(table)
    assert 0 < np.abs(back["x"].to_numpy() - before["x"].to_numpy()).max() <= 0.1
    assert back["n"].null_count == 6000
    assert back["n"][1].as_py() == 0.1
    assert back["i"].equals(before["i"])
    run("compress", table, "--append", "-o", folder, "--max-error", "i=1")
    run("decompress", folder, "-f", "-o", out)
    again = pq.read_table(out)
    assert again["x"][:30_000].to_pylist() == back["x"].to_pylist()
    assert np.abs(again["i"][30_000:].to_numpy() - before["i"].to_numpy()).max() <= 1


def test_one_column_of_a_table(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "x.pco"
    run("compress", table, "--column", "x", "-o", out, "--max-error", "x=0.05")
    assert np.abs(numbers_of(out, tmp_path) - walk()).max() <= 0.05


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--max-error", "t=1"], "not a column of numbers"),
        (["--keep-bits", "i=3"], "no mantissa"),
        (["--keep-bits", "x=53"], "not as many bits"),
        (["--max-error", "x=-1"], "from 0 on"),
        (["--max-error", "one"], "'one' is not a number"),
        (["--decimals", "x=1.5"], "'1.5' is not a number"),
        (["--decimals", "1", "--max-error", "2"], "contradicts"),
        (["--fill", "1"], "applies to"),
    ],
)
def test_usage_errors(table: Path, tmp_path: Path, options: list[str], message: str) -> None:
    line = refused("compress", table, "-o", tmp_path / "t", *options, code=USAGE)
    assert message in line
    assert not (tmp_path / "t").exists()


def test_what_applies_to_nothing(table: Path, array: Path, tmp_path: Path) -> None:
    assert "no column that it rounds" in refused(
        "compress", table, "-q", "-o", tmp_path / "t", "--skip", "x", "--skip", "n", "--decimals",
        "1", code=USAGE)
    assert "no columns" in refused("compress", array, "-o", tmp_path / "t.pco", "--decimals", "x=1",
                                   code=USAGE)
    refused("compress", array, "-o", "-", "--decimals", "1", "--json", code=USAGE)
