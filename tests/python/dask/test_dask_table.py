# SPDX-License-Identifier: Apache-2.0
"""numpact.dask.from_pco_table: types, and that only wanted columns are read."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from dask_support import TABLE, Prices, Reads, make_table, put
from fsspec.implementations.memory import MemoryFileSystem

import numpact
from numpact.dask import from_pco_table, pco_index


@pytest.fixture
def table(tmp_path: Path, folder: str) -> tuple[str, dict[str, np.ndarray]]:
    """A table of 5,000 rows in the memory file system."""
    numbers = make_table(tmp_path / "table", 5000)
    fs = MemoryFileSystem()
    fs.makedirs(f"{folder}/t")
    for file in (tmp_path / "table").iterdir():
        fs.pipe_file(f"{folder}/t/{file.name}", file.read_bytes())
    return f"{folder}/t", numbers


def test_only_columns_that_are_used_are_read(
    table: tuple[str, dict[str, np.ndarray]], reads: Reads
) -> None:
    folder, numbers = table
    frame = from_pco_table(folder)
    assert list(frame.columns) == [name for name, *_ in TABLE]
    assert reads.names == {"manifest.json"}
    reads.clear()
    total = frame["price"].sum().compute()
    assert total == numbers["price"].sum()
    assert reads.names == {"price.pco"}
    reads.clear()
    some = frame[["ok", "price"]].compute()
    assert list(some.columns) == ["ok", "price"]
    assert reads.names == {"ok.pco"}  # the other one, which is small, was read whole
    reads.clear()
    fast = frame[frame.clock < pd.Timedelta(5, "s")].price.mean().compute()
    assert reads.names == {"clock.pco"}
    assert fast == pytest.approx(numbers["price"][numbers["clock"] < 5000].mean())
    reads.clear()
    # Rows are known without reading; Dask's own len() asks for all columns.
    assert frame.divisions[-1] + 1 == 5000
    assert frame.price.count().compute() == 5000
    assert reads.names == set()


def test_columns_that_are_chosen(table: tuple[str, dict[str, np.ndarray]], reads: Reads) -> None:
    folder, _ = table
    frame = from_pco_table(folder, columns=["took", "price"])
    reads.clear()
    assert list(frame.compute().columns) == ["took", "price"]
    assert reads.names == {"took.pco", "price.pco"}


def test_partitions_read_the_chunks_they_need(
    table: tuple[str, dict[str, np.ndarray]], reads: Reads
) -> None:
    folder, numbers = table
    index = pco_index(folder)
    frame = from_pco_table(folder, rows_per_partition=1500, index=index)
    assert frame.divisions == (0, 1500, 3000, 4500, 4999)
    reads.clear()
    rows = frame.price.partitions[1].compute()
    np.testing.assert_array_equal(rows, numbers["price"][1500:3000])
    assert list(rows.index) == list(range(1500, 3000))
    # Rows 1500 to 3000: the second and the third chunk, in one request.
    chunks = next(file for file in index if file.url.endswith("price.pco")).chunks
    assert reads.of("price.pco") == [(chunks[1].offset, chunks[3].offset)]
    reads.clear()
    np.testing.assert_array_equal(frame.price.loc[4600:4700], numbers["price"][4600:4701])
    assert len(reads.of("price.pco")) == 1


def test_pandas_types(table: tuple[str, dict[str, np.ndarray]]) -> None:
    folder, numbers = table
    made = from_pco_table(folder)
    frame = made.compute(scheduler="synchronous")
    assert dict(made.dtypes.astype(str)) == dict(frame.dtypes.astype(str))
    assert dict(frame.dtypes.astype(str)) == {
        "price": "float64",
        "at": "datetime64[us, Europe/Berlin]",
        "seen": "datetime64[ns]",
        "day": "datetime64[s]",
        "week": "datetime64[ms]",
        "clock": "timedelta64[ms]",
        "tick": "timedelta64[us]",
        "took": "timedelta64[ms]",
        "ok": "bool",
        "half": "float16",
    }
    np.testing.assert_array_equal(frame.price, numbers["price"])
    at = pd.Timestamp(int(numbers["at"][7]), unit="us", tz="UTC")
    assert frame["at"][7] == at
    assert frame["at"][7].tzname() == "CET"
    assert frame.day[3] == pd.Timestamp(0) + pd.Timedelta(int(numbers["day"][3]), "D")
    assert frame.clock[3] == pd.Timedelta(int(numbers["clock"][3]), "ms")
    np.testing.assert_array_equal(frame.ok, numbers["ok"] != 0)


def test_arrow_types(table: tuple[str, dict[str, np.ndarray]]) -> None:
    folder, numbers = table
    made = from_pco_table(folder, dtype_backend="pyarrow", rows_per_partition=2000)
    frame = made.compute(scheduler="synchronous")
    assert [dtype.pyarrow_dtype for dtype in frame.dtypes] == [
        pa.float64(),
        pa.timestamp("us", "Europe/Berlin"),
        pa.timestamp("ns"),
        pa.date32(),
        pa.date64(),
        pa.time32("ms"),
        pa.time64("us"),
        pa.duration("ms"),
        pa.bool_(),
        pa.float16(),
    ]
    assert (made.dtypes == frame.dtypes).all()
    day = pa.array(numbers["day"][:5]).cast(pa.date32())
    assert pa.array(frame.day[:5]).to_pylist() == day.to_pylist()
    np.testing.assert_array_equal(frame.ok.to_numpy(bool), numbers["ok"] != 0)


@pytest.mark.parametrize("limit", [None, 3000])
def test_several_folders(tmp_path: Path, limit: int | None) -> None:
    tables = [make_table(tmp_path / f"day={i}", rows, i) for i, rows in enumerate([4000, 0, 5000])]
    for source in (str(tmp_path / "day=*"), [tmp_path / f"day={i}" for i in range(3)]):
        frame = from_pco_table(source, rows_per_partition=limit)
        expected = (0, 4000, 8999) if limit is None else (0, 3000, 4000, 7000, 8999)
        assert frame.divisions == expected
        price = np.concatenate([table["price"] for table in tables])
        np.testing.assert_array_equal(frame.price.compute(), price)


def test_a_table_without_rows(tmp_path: Path) -> None:
    make_table(tmp_path / "t", 0)
    frame = from_pco_table(tmp_path / "t").compute()
    assert len(frame) == 0
    assert str(frame["at"].dtype) == "datetime64[us, Europe/Berlin]"


def test_columns_of_files(prices: Prices, reads: Reads) -> None:
    folder, numbers = prices
    for day in range(3):
        at = np.arange(5000) + day * 5000
        put(f"{folder}/at{day}.pco", numpact.compress(at.astype("M8[us]"), paging=700))
    source = {"at": f"{folder}/at*.pco", "price": f"{folder}/day*.pco"}
    for limit in (None, 1200):
        frame = from_pco_table(source, dtypes={"at": "M8[us]"}, rows_per_partition=limit)
        assert frame.npartitions == (3 if limit is None else 15)
        reads.clear()
        np.testing.assert_array_equal(frame.price.compute(), numbers)
        assert all(name.startswith("day") for name in reads.names)
        got = frame.compute()
        np.testing.assert_array_equal(got["at"], np.arange(15_000).astype("M8[us]"))
        assert list(got.index) == list(range(15_000))


def test_it_can_be_pickled(tmp_path: Path) -> None:
    numbers = make_table(tmp_path / "t", 100)
    again = pickle.loads(pickle.dumps(from_pco_table(tmp_path / "t")))
    np.testing.assert_array_equal(again.price.compute(), numbers["price"])


def test_names_follow_the_files_state(tmp_path: Path) -> None:
    make_table(tmp_path / "t", 100)
    before = from_pco_table(tmp_path / "t")._name
    assert from_pco_table(tmp_path / "t")._name == before
    (tmp_path / "t/price.pco").write_bytes(numpact.compress(np.zeros(100)))
    assert from_pco_table(tmp_path / "t")._name != before


# ---- errors ----


def test_arguments(tmp_path: Path, prices: Prices) -> None:
    make_table(tmp_path / "t", 100)
    files = {"price": f"{prices[0]}/day0.pco"}
    cases: list[tuple[Any, dict[str, Any], str]] = [
        (tmp_path / "t", {"columns": ["nothing"]}, r"\['nothing'\]; there are \['price'"),
        (tmp_path / "t", {"columns": []}, "at least one"),
        (tmp_path / "t", {"columns": ["ok", "ok"]}, "each once"),
        (tmp_path / "t", {"rows_per_partition": 0}, "rows_per_partition"),
        (tmp_path / "t", {"dtype_backend": "polars"}, "dtype_backend"),
        (tmp_path / "t", {"dtypes": {"price": "f8"}}, "manifest"),
        (files, {"dtypes": {"size": "f8"}}, "size"),
        (files | {"more": f"{prices[0]}/*.pco"}, {}, "count of files"),
        ({}, {}, "no columns"),
        ([], {}, "no tables"),
    ]
    for source, options, message in cases:
        with pytest.raises(numpact.InvalidArgumentError, match=message):
            from_pco_table(source, **options)
    with pytest.raises(numpact.TypeMismatchError):
        from_pco_table(files, dtypes={"price": "M8[ns]"})


def test_absent_tables_and_columns(tmp_path: Path) -> None:
    for source in (tmp_path, tmp_path / "none", f"{tmp_path}/day=*"):
        with pytest.raises(FileNotFoundError):
            from_pco_table(source)
    make_table(tmp_path / "t", 100)
    (tmp_path / "t/ok.pco").unlink()
    with pytest.raises(FileNotFoundError, match=r"ok\.pco"):
        from_pco_table(tmp_path / "t")
    assert len(from_pco_table(tmp_path / "t", columns=["price"])) == 100


def test_columns_that_differ_in_length(tmp_path: Path) -> None:
    make_table(tmp_path / "t", 100)
    _edit(tmp_path / "t", lambda columns: columns[0].update(count=90, nulls_dropped=10))
    (tmp_path / "t/price.pco").write_bytes(numpact.compress(np.zeros(90)))
    with pytest.raises(numpact.InvalidArgumentError, match="differ in length"):
        from_pco_table(tmp_path / "t")
    assert len(from_pco_table(tmp_path / "t", columns=["price"])) == 90


def test_folders_that_differ(tmp_path: Path) -> None:
    make_table(tmp_path / "a", 100)
    make_table(tmp_path / "b", 100)
    _edit(tmp_path / "b", lambda columns: columns[1].update(timezone="UTC"))
    with pytest.raises(numpact.TypeMismatchError, match="'at'"):
        from_pco_table([tmp_path / "a", tmp_path / "b"])


def test_a_file_that_is_not_what_the_manifest_says(tmp_path: Path) -> None:
    make_table(tmp_path / "t", 100)
    (tmp_path / "t/price.pco").write_bytes(numpact.compress(np.zeros(99)))
    frame = from_pco_table(tmp_path / "t")
    with pytest.raises(
        numpact.CorruptError, match="than the manifest says: 99 f64 numbers, not 100"
    ):
        frame.price.compute()
    with pytest.raises(numpact.CorruptError, match="the manifest says"):
        from_pco_table(tmp_path / "t", rows_per_partition=10)


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c[0].update(file="../other/price.pco"),
        lambda c: c[0].update(file="/etc/passwd"),
        lambda c: c[0].update(file=""),
        lambda c: c[0].update(count=-1),
        lambda c: c[0].update(count="100"),
        lambda c: c[0].update(number_type="f80"),
        lambda c: c[0].update(logical_type="text"),
        lambda c: c[0].update(logical_type="date32"),
        lambda c: c[1].update(unit="weeks"),
        lambda c: c[1].pop("unit"),
        lambda c: c[0].pop("name"),
        lambda c: c.__setitem__(0, 5),
    ],
)
def test_damaged_manifests(tmp_path: Path, change: Any) -> None:
    make_table(tmp_path / "t", 10)
    _edit(tmp_path / "t", change)
    with pytest.raises(numpact.CorruptError, match=r"manifest\.json"):
        from_pco_table(tmp_path / "t")


def _edit(folder: Path, change: Any) -> None:
    path = folder / "manifest.json"
    document = json.loads(path.read_text())
    change(document["columns"])
    path.write_text(json.dumps(document))
