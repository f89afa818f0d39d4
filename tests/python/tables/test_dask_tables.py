# SPDX-License-Identifier: Apache-2.0
"""Dask data frames: written, filtered, and with columns from names of folders."""

from __future__ import annotations

import datetime
import decimal
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tables_support import small_chunks

import numpact

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")

from numpact.dask import from_pco_table, to_pco_table  # noqa: E402

ROWS = 300


def frame(rows: int = ROWS) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "i": np.arange(rows),
            "x": np.round(rng.normal(0, 5, rows), 1),
            "n": pd.array([None if i % 7 == 0 else i for i in range(rows)], "Int64"),
            "s": [f"n{i % 5}" for i in range(rows)],
        }
    )


def computed(made: Any) -> pd.DataFrame:
    found: pd.DataFrame = made.compute(scheduler="synchronous")
    return found


@pytest.mark.parametrize("convert", [None, True, False])
def test_only_text_becomes_text(convert: bool | None, tmp_path: Path) -> None:
    """Dask would make text of all objects: "[0. 0. ... 0.]" of long lists."""
    money = [decimal.Decimal("1.25"), None, decimal.Decimal("-3.5"), decimal.Decimal(0)]
    vectors = pa.array([[float(i)] * 2000 for i in range(4)], pa.list_(pa.float32(), 2000))
    table = pa.table(
        {
            "v": vectors,
            "short": pa.array(money, pa.decimal128(9, 2)),
            "long": pa.array(money, pa.decimal128(38, 2)),
            "bytes": pa.array([b"\xff", None, b"a", b""]),
            "list": pa.array([[1, 2], None, [], [None]]),
            "struct": pa.array([{"a": 0.1}, None, {"a": 2.0}, {"a": None}]),
            "text": pa.array(["a", None, "c", "d"]),
            "large": pa.array(["a", None, "c", "d"], pa.large_string()),
            "repeated": pa.array(["a", "a", "a", "a"]),
        }
    )
    numpact.write_table(table, tmp_path / "t")
    with dask.config.set({"dataframe.convert-string": convert}):
        read = from_pco_table(tmp_path / "t")
        found = computed(read)
        assert dask.config.get("dataframe.convert-string") is convert
    assert list(read._meta.dtypes) == list(found.dtypes)
    texts = ["text", "large", "repeated"]
    has_strings = [name for name in found if found[name].dtype == pd.StringDtype("pyarrow")]
    assert has_strings == ([] if convert is False else texts)
    for name in table.column_names:
        back = pa.array(found[name].astype(object).to_list(), table[name].type, from_pandas=True)
        assert back.to_pylist() == table[name].to_pylist(), name
    with dask.config.set({"dataframe.convert-string": convert}):
        arrow = computed(from_pco_table(tmp_path / "t", dtype_backend="pyarrow"))
    assert [dtype.pyarrow_dtype for dtype in arrow.dtypes] == table.schema.types


def test_frames_are_written_and_read_back(tmp_path: Path) -> None:
    whole = computed(dd.from_pandas(frame(), npartitions=1))  # with Dask's type of text
    folders = to_pco_table(dd.from_pandas(whole, npartitions=3), tmp_path / "a/b", level=1)
    assert [Path(url).name for url in folders] == ["part-00000", "part-00001", "part-00002"]
    read = from_pco_table(tmp_path / "a/b")
    assert read.npartitions == 3
    pd.testing.assert_frame_equal(computed(read), whole)
    assert list(read._meta.dtypes) == list(whole.dtypes)
    arrow = computed(from_pco_table(tmp_path / "a/b", dtype_backend="pyarrow"))
    assert arrow["s"].to_list() == whole["s"].to_list()
    assert arrow["x"].dtype == pd.ArrowDtype(pa.float64())
    pd.testing.assert_frame_equal(computed(read[["s", "i"]]), whole[["s", "i"]])
    assert len(numpact.read_table(tmp_path / "a/b/part-00001")) == 100
    with pytest.raises(FileExistsError, match="part-00000"):
        to_pco_table(dd.from_pandas(whole, npartitions=2), tmp_path / "a/b")
    with pytest.raises(numpact.InvalidArgumentError, match="read from there"):
        to_pco_table(read, tmp_path / "a/b", overwrite=True)
    to_pco_table(dd.from_pandas(whole[:50], npartitions=1), tmp_path / "a/b", overwrite=True)
    assert sorted(path.name for path in (tmp_path / "a/b").iterdir()) == [
        "dataset.json",
        "part-00000",
    ]
    pd.testing.assert_frame_equal(computed(from_pco_table(tmp_path / "a/b")), whole[:50])
    with pytest.raises(numpact.TypeMismatchError, match="expected a Dask data frame"):
        to_pco_table(whole, tmp_path / "c")


def test_frames_in_stores() -> None:
    from fsspec.implementations.memory import MemoryFileSystem

    whole = computed(dd.from_pandas(frame(), npartitions=1))
    url = "memory://dask-tables/x"
    to_pco_table(dd.from_pandas(whole, npartitions=2), url)
    pd.testing.assert_frame_equal(computed(from_pco_table(url)), whole)
    found = computed(from_pco_table(url, filters="i >= 140 and s = 'n1'", columns=["i"]))
    assert found["i"].to_list() == [i for i in range(140, ROWS) if i % 5 == 1]
    with pytest.raises(numpact.InvalidArgumentError, match="for local folders"):
        to_pco_table(dd.from_pandas(whole, npartitions=2), url, overwrite=True)
    MemoryFileSystem().rm("/dask-tables", recursive=True)


@pytest.mark.parametrize("backend", ["numpy", "pyarrow"])
def test_rows_are_filtered(tmp_path: Path, backend: Any) -> None:
    whole = frame()
    small_chunks(pa.Table.from_pandas(whole, preserve_index=False), tmp_path / "t", 50)
    cases: list[tuple[Any, Any]] = [
        ("i >= 120 and i < 130", whole.i.between(120, 129)),
        ([("x", ">", 0.0), ("s", "in", ["n1", "n2"])], (whole.x > 0) & whole.s.isin(["n1", "n2"])),
        ("n is null", whole.n.isna()),
        ("n is not null and n < 20", whole.n < 20),
        ("s != 'n3'", whole.s != "n3"),
        ("i > 1000", whole.i > 1000),
    ]
    for filters, mask in cases:
        expected = whole[mask.fillna(False).astype(bool)]
        for columns in (None, ["s", "i"]) if backend == "numpy" else (["x"],):
            made = from_pco_table(tmp_path / "t", filters=filters, columns=columns,
                                  rows_per_partition=60, dtype_backend=backend)  # fmt: skip
            found = computed(made)
            expected_value = expected if columns is None else expected[columns]
            assert list(found.index) == list(expected_value.index), (filters, columns)
            assert list(found.columns) == list(expected_value.columns)
            for name in expected_value.columns:
                assert found[name].isna().to_list() == expected_value[name].isna().to_list()
                assert found[name].dropna().to_list() == expected_value[name].dropna().to_list()
        assert len(made) == len(expected)


def test_partitions_without_a_match_are_left_out(tmp_path: Path) -> None:
    whole = frame()
    small_chunks(pa.Table.from_pandas(whole, preserve_index=False), tmp_path / "t", 50)
    made = from_pco_table(tmp_path / "t", filters="i >= 120 and i < 130", rows_per_partition=50)
    assert made.npartitions == 1
    assert made.divisions == (100, 149)
    two = from_pco_table(tmp_path / "t", filters="i in (3, 299)", rows_per_partition=50)
    assert two.npartitions == 2
    assert from_pco_table(tmp_path / "t", filters="i > 999").npartitions == 1
    pickle.loads(pickle.dumps(made))


def test_rows_are_filtered_by_an_index_of_files(tmp_path: Path) -> None:
    whole = frame()
    whole["b"] = whole.i % 3 == 0
    arrow = pa.Table.from_pandas(whole, preserve_index=False)
    numpact.write_table(arrow, tmp_path / "t", trailer=False)
    index = numpact.dask.pco_index(tmp_path / "t")
    options: dict[str, Any] = {"index": index, "rows_per_partition": 125}
    for backend in ("numpy", "pyarrow"):
        options["dtype_backend"] = backend
        where = "i >= 120 and i < 130"
        made = from_pco_table(tmp_path / "t", ["x", "b", "n", "s"], where, **options)
        found = computed(made)
        assert list(found.index) == list(range(120, 130))
        expected = whole[120:130]
        for name in ("x", "b", "s"):
            assert found[name].to_list() == expected[name].to_list()
        assert dict(found.dtypes) == dict(made._meta.dtypes)
    assert computed(from_pco_table(tmp_path / "t", ["x"], "i < 0", index=index)).empty


def test_columns_of_nulls_alone_in_filters(tmp_path: Path) -> None:
    numpact.write_table({"x": [1, 2, 3], "n": [5, 2, None], "s": ["a", "b", None]}, tmp_path / "0")
    nulls = {"x": [4, 5], "n": pa.nulls(2), "s": pa.nulls(2)}
    numpact.write_table(pa.table(nulls), tmp_path / "1")
    cases: dict[str, list[int]] = {
        "n > 1": [0, 1],
        "n > 1 or x = 5": [0, 1, 4],
        "n = x": [1],
        "n = x or x >= 4": [1, 3, 4],
        "n is null": [2, 3, 4],
        "s is not null": [0, 1],
        "s != 'a' and x > 0": [1],
        "s is null and n is null and x < 5": [2, 3],
    }
    folders = [tmp_path / "0", tmp_path / "1"]
    for where, rows in cases.items():
        for columns in (None, ["x"], ["s", "n"]):
            found = computed(from_pco_table(folders, columns, where))
            assert list(found.index) == rows, (where, columns)
    assert computed(from_pco_table(folders, ["n"], "x >= 4"))["n"].isna().to_list() == [True] * 2
    with pytest.raises(numpact.TypeMismatchError):
        from_pco_table(folders, filters="s > 5")


def test_names_of_folders_are_columns(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for day in (1, 2, 3):
        for symbol in ("a b", "c"):
            name = f"day=2024-01-{day:02d}/symbol={symbol.replace(' ', '%20')}/run={day}"
            numpact.write_table({"x": [day, day + 1], "s": ["u", None]}, root / name)
    for source in (root, str(root / "day=*/symbol=*/run=*")):
        made = from_pco_table(source)
        found = computed(made)
        assert list(found.columns) == list(made.columns) == ["x", "s", "day", "symbol", "run"]
        assert made._meta["day"].dtype == found["day"].dtype
        assert found["day"].dtype.kind == "M"
        assert found["run"].to_list() == [1] * 4 + [2] * 4 + [3] * 4
        assert found["symbol"].to_list() == ["a b", "a b", "c", "c"] * 3
        assert found["day"].iloc[-1] == pd.Timestamp("2024-01-03")
    day = datetime.date(2024, 1, 2)
    for filters in ("day = '2024-01-02' and symbol = 'c'",
                    [("day", "=", day), ("symbol", "=", "c"), ("x", "<=", 3)]):  # fmt: skip
        some = from_pco_table(root, filters=filters)
        assert some.npartitions == 1
        assert computed(some)["x"].to_list() == [2, 3]
    some = from_pco_table(root, columns=["symbol", "x"])
    assert list(computed(some).columns) == list(some.columns) == ["symbol", "x"]
    arrow = computed(from_pco_table(root, dtype_backend="pyarrow"))
    assert arrow["day"].dtype == pd.ArrowDtype(pa.date32())
    numpact.write_table({"x": [1], "s": ["v"]}, root / "day=2024-01-04")
    with pytest.raises(numpact.InvalidArgumentError, match="others"):
        from_pco_table(root)


def test_no_folder_has_more_columns_than_others(tmp_path: Path) -> None:
    numpact.write_table({"x": [1]}, tmp_path / "day=1")
    numpact.write_table({"x": [2], "y": [3]}, tmp_path / "day=2")
    with pytest.raises(numpact.InvalidArgumentError, match=r"day=2: has the columns .'y'., which"):
        from_pco_table(tmp_path)
    assert computed(from_pco_table(tmp_path, columns=["x"]))["x"].to_list() == [1, 2]


def test_filters_are_checked(tmp_path: Path) -> None:
    numpact.write_table({"x": [1]}, tmp_path / "t")
    with pytest.raises(numpact.InvalidArgumentError, match="has no columns"):
        from_pco_table(tmp_path / "t", filters="nothing = 5")
    with pytest.raises(numpact.TypeMismatchError, match="is of type i64"):
        from_pco_table(tmp_path / "t", filters="x = 'a'")
    with pytest.raises(numpact.InvalidArgumentError, match="for folders"):
        from_pco_table({"x": str(tmp_path / "t/x.pco")}, filters="x = 1")
