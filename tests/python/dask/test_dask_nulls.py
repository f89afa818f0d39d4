# SPDX-License-Identifier: Apache-2.0
"""numpact.dask.from_pco_table: folders whose columns have nulls."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import numpact
from numpact.dask import from_pco_table

ROWS = 1000


def _values() -> dict[str, pa.Array]:
    rng = np.random.default_rng(5)
    counts = np.arange(ROWS) * 3
    return {
        "count": pa.array(counts, mask=rng.random(ROWS) < 0.3),
        "price": pa.array(np.where(counts % 7 == 0, np.nan, counts / 4), mask=counts % 5 == 0),
        "at": pa.array(counts, pa.timestamp("ms", "UTC"), mask=np.arange(ROWS) >= 900),
        "took": pa.array(counts, pa.duration("us"), mask=np.arange(ROWS) < 100),
        "day": pa.array(counts.astype(np.int32), pa.date32(), mask=counts % 2 == 0),
        "ok": pa.array(counts % 2 == 0, mask=rng.random(ROWS) < 0.01),
        "full": pa.array(counts),
        "none": pa.array([None] * ROWS, pa.int16()),
    }


_TYPES: dict[str, dict[str, str]] = {
    "count": {"logical_type": "number", "number_type": "i64"},
    "price": {"logical_type": "number", "number_type": "f64"},
    "at": {"logical_type": "timestamp", "unit": "ms", "timezone": "UTC", "number_type": "i64"},
    "took": {"logical_type": "duration", "unit": "us", "number_type": "i64"},
    "day": {"logical_type": "date32", "number_type": "i32"},
    "ok": {"logical_type": "bool", "number_type": "u8"},
    "full": {"logical_type": "number", "number_type": "i64"},
    "none": {"logical_type": "number", "number_type": "i16"},
}


def _runs(valid: np.ndarray) -> np.ndarray:
    edges = np.flatnonzero(np.diff(valid.astype(np.int8))) + 1
    lengths = np.diff(np.concatenate([[0], edges, [len(valid)]])).astype(np.uint64)
    return lengths if valid[0] else np.concatenate([np.zeros(1, np.uint64), lengths])


def make_folder(folder: Path) -> dict[str, pa.Array]:
    """A folder of version 2, as the command makes it."""
    folder.mkdir()
    columns: list[dict[str, Any]] = []
    for name, array in _values().items():
        stored = array.cast(pa.uint8()) if name == "ok" else array
        dtype = {"u8": "u1", "i16": "i2", "i32": "i4", "i64": "i8", "f64": "f8"}
        numbers = np.frombuffer(stored.drop_null().buffers()[1] or b"", np.uint8)
        kept = len(array) - array.null_count
        typed = numbers.view(dtype[_TYPES[name]["number_type"]])[:kept]
        (folder / f"{name}.pco").write_bytes(numpact.compress(typed))
        entry = {"name": name, "file": f"{name}.pco", **_TYPES[name], "count": kept}
        if array.null_count:
            valid = np.asarray(array.is_valid())
            (folder / f"{name}.nulls.pco").write_bytes(numpact.compress(_runs(valid)))
            entry["nulls"] = {"file": f"{name}.nulls.pco", "count": array.null_count}
        columns.append(entry)
    manifest = {"format": "numpact-table", "version": 2, "columns": columns, "skipped": []}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return _values()


@pytest.mark.parametrize("rows", [None, 1, 77, 500])
def test_nulls_are_where_they_were(tmp_path: Path, rows: int | None) -> None:
    values = make_folder(tmp_path / "t")
    names = list(values) if rows != 1 else ["count", "day"]
    frame = from_pco_table(
        tmp_path / "t", dtype_backend="pyarrow", rows_per_partition=rows, columns=names
    )
    assert frame.divisions[-1] + 1 == ROWS
    if rows == 1:
        frame = frame.partitions[:20]
    frame = pickle.loads(pickle.dumps(frame)).compute()
    for name in names:
        expected = pa.chunked_array([values[name].slice(0, len(frame))])
        assert pa.array(frame[name].array).to_pylist() == expected.to_pylist() or name == "price"
        assert pa.array(frame[name].array).type == expected.type, name
        # NaN is not null, and not equal to itself.
        null = pa.array(frame[name].array).is_null().to_pylist()
        assert null == expected.is_null().to_pylist(), name


def test_types_of_numpy(tmp_path: Path) -> None:
    values = make_folder(tmp_path / "t")
    lazy = from_pco_table(tmp_path / "t", rows_per_partition=300)
    frame = lazy.compute()
    assert dict(lazy.dtypes.astype(str)) == dict(frame.dtypes.astype(str))
    assert dict(frame.dtypes.astype(str)) == {
        "count": "Int64", "price": "Float64", "at": "datetime64[ms, UTC]",
        "took": "timedelta64[us]", "day": "datetime64[s]", "ok": "boolean", "full": "int64",
        "none": "Int16",
    }  # fmt: skip
    for name, array in values.items():
        assert frame[name].isna().sum() >= array.null_count
        for got, expected in zip(frame[name], array.to_pylist(), strict=True):
            if expected is None:
                assert got is pd.NaT or got is pd.NA
            elif isinstance(expected, float) and np.isnan(expected):
                assert np.isnan(got)
            elif name == "day":
                assert got.date() == expected
            else:
                assert got == expected


def test_a_folder_without_nulls_beside_one_with(tmp_path: Path) -> None:
    make_folder(tmp_path / "a")
    folder = tmp_path / "b"
    folder.mkdir()
    (folder / "count.pco").write_bytes(numpact.compress(np.arange(10)))
    entry = {"name": "count", "file": "count.pco", **_TYPES["count"], "count": 10}
    manifest = {"format": "numpact-table", "version": 1, "columns": [entry], "skipped": []}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    frame = from_pco_table([tmp_path / "b", tmp_path / "a"], columns=["count"])
    assert str(frame.dtypes["count"]) == "Int64"
    assert frame.compute()["count"].tolist()[:10] == list(range(10))


@pytest.mark.parametrize(
    ("runs", "says"),
    [
        ([700, 300], "more numbers than the manifest says"),
        ([], "fewer nulls than the manifest says"),
        ([10, 0, 10], "a run of nulls has no rows"),
        ([2**63, 2**63], "more numbers than the manifest says"),
        ([1] * 3000, "more numbers than the manifest says"),
    ],
)
def test_damaged_nulls(tmp_path: Path, runs: list[int], says: str) -> None:
    make_folder(tmp_path / "t")
    path = tmp_path / "t/day.nulls.pco"
    path.write_bytes(numpact.compress(np.array(runs, np.uint64)))
    with pytest.raises(numpact.CorruptError, match=says):
        from_pco_table(tmp_path / "t", columns=["day"])
    path.write_bytes(numpact.compress(np.arange(3)))
    with pytest.raises(numpact.CorruptError, match="does not hold u64 lengths of runs"):
        from_pco_table(tmp_path / "t", columns=["day"])
    path.unlink()
    with pytest.raises(FileNotFoundError, match=r"day\.nulls\.pco"):
        from_pco_table(tmp_path / "t", columns=["day"])


def test_columns_whose_nulls_were_left_out(tmp_path: Path) -> None:
    """As many of each leave equal lengths, but other rows."""
    columns = []
    for name in ("a", "b"):
        (tmp_path / f"{name}.pco").write_bytes(numpact.compress(np.arange(5)))
        entry = {"name": name, "file": f"{name}.pco", **_TYPES["full"], "count": 5}
        columns.append({**entry, "nulls_dropped": 2})
    manifest = {"format": "numpact-table", "version": 2, "columns": columns, "skipped": []}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(numpact.InvalidArgumentError, match="nulls were left out"):
        from_pco_table(tmp_path)
    assert from_pco_table(tmp_path, columns=["b"]).compute()["b"].tolist() == [0, 1, 2, 3, 4]
