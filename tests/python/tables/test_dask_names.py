# SPDX-License-Identifier: Apache-2.0
"""Nulls in the names of folders, as Hive, Spark and DuckDB write them."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import numpact

dask = pytest.importorskip("dask")

from numpact.dask import from_pco_table  # noqa: E402

HIVE = "__HIVE_DEFAULT_PARTITION__"
NAMES: dict[str, tuple[list[str], list[Any], pa.DataType]] = {
    "numbers": (["7", "", "-3", HIVE], [7, None, -3, None], pa.int64()),
    "dates": (
        ["2024-01-01", HIVE, ""], [pd.Timestamp("2024-01-01").date(), None, None], pa.date32()),
    "text": (["a", "", HIVE], ["a", None, None], pa.string()),
    "mixed": (["7", "", "x"], ["7", None, "x"], pa.string()),
    "leading zeros": (["07", ""], ["07", None], pa.string()),
    "nulls": (["", HIVE], [None, None], pa.string()),
    "one null": ([HIVE], [None], pa.string()),
    "equals": (["=", "a=b", ""], ["=", "a=b", None], pa.string()),
    "escapes": (["%20", "a%3Db", "%5F_HIVE"], [" ", "a=b", "__HIVE"], pa.string()),
}  # fmt: skip


def computed(frame: Any) -> pd.DataFrame:
    found: pd.DataFrame = frame.compute(scheduler="synchronous")
    return found


@pytest.mark.parametrize("name", NAMES)
def test_nulls(tmp_path: Path, name: str) -> None:
    texts, values, type = NAMES[name]
    for i, text in enumerate(texts):
        numpact.write_table({"v": np.arange(2) + 2 * i}, tmp_path / f"h/k={text}/part-0")
    by_row = {2 * i + j: value for i, value in enumerate(values) for j in range(2)}
    for source in (tmp_path / "h", f"{tmp_path}/h/k=*/part-0"):
        made = from_pco_table(source, dtype_backend="pyarrow")
        found = computed(made)
        assert found["k"].dtype == made._meta["k"].dtype == pd.ArrowDtype(type)
        rows = dict(zip(found["v"], pa.array(found["k"]).to_pylist(), strict=True))
        assert rows == by_row
        plain = from_pco_table(source)
        assert computed(plain)["k"].dtype == plain._meta["k"].dtype
        assert computed(plain)["k"].isna().sum() == sum(v is None for v in by_row.values())
    for filters, is_kept in (("k is null", True), ("k is not null", False)):
        expected = sorted(row for row, value in by_row.items() if (value is None) == is_kept)
        assert sorted(computed(from_pco_table(tmp_path / "h", filters=filters))["v"]) == expected
    if type == pa.int64():
        assert computed(from_pco_table(tmp_path / "h", filters="k < 0"))["v"].tolist() == [4, 5]


def test_a_null_among_several_names(tmp_path: Path) -> None:
    for day in ("2024-01-01", HIVE):
        for symbol in ("a", ""):
            numpact.write_table({"v": [1]}, tmp_path / f"day={day}/symbol={symbol}")
    found = computed(from_pco_table(tmp_path))
    assert found["day"].isna().sum() == found["symbol"].isna().sum() == 2
    assert len(computed(from_pco_table(tmp_path, filters="day is null and symbol = 'a'"))) == 1
    part = from_pco_table(tmp_path / "day=2024-01-01")
    assert computed(part)["symbol"].isna().to_list() == [True, False]


def test_a_table_with_another_name_is_left_out_with_a_word(tmp_path: Path) -> None:
    for name in ("x=1", "x=2", ".x=3.1-0.tmp", "_old"):
        numpact.write_table({"v": [1]}, tmp_path / name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(computed(from_pco_table(tmp_path))) == 2
    for name in ("=3", "backup"):
        numpact.write_table({"v": [1]}, tmp_path / name)
        with pytest.warns(UserWarning, match=f"{name}: is a table, but is left out"):
            assert len(computed(from_pco_table(tmp_path))) == 2
        (tmp_path / name).rename(tmp_path / f".{name}")
