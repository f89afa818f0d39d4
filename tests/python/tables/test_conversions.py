# SPDX-License-Identifier: Apache-2.0
"""Tables as frames of pandas, and tables without columns."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import numpact

BIG = [2**53 + 1, None, 2**62 + 1]


def through(table: Any, folder: Path) -> pd.DataFrame:
    numpact.write_table(table, folder)
    frame = numpact.open_table(folder).to_pandas()
    pd.testing.assert_frame_equal(frame, numpact.read_table(folder).to_pandas())
    return frame


def values(series: Any) -> list[Any]:
    return [None if x is None or x is pd.NA or x != x else x for x in series.astype(object)]


def test_integers_with_nulls_are_exact(tmp_path: Path) -> None:
    top = [2**64 - 1, None, 2**63]
    table = pa.table(
        {
            "id": pa.array(BIG),
            "u": pa.array(top, pa.uint64()),
            "whole": pa.array([2**53 + 1, 2, 3]),
            "small": pa.array([1, None, 3], pa.int32()),
            "none": pa.array([None] * 3, pa.int64()),
            "x": [1.5, None, 2.5],
            "s": ["a", None, "c"],
            "at": pa.array([0, None, 1], pa.timestamp("us")),
            "lists": [[2**53 + 1, None], None, [1]],
            "structs": [{"a": 2**53 + 1}, {"a": None}, None],
            "deep": [[{"a": [2**53 + 1, None]}], [], None],
        }
    )
    frame = through(table, tmp_path / "t")
    assert list(frame.columns) == table.column_names
    assert values(frame["id"]) == BIG
    assert values(frame["u"]) == top
    assert frame["id"].dtype == "Int64"
    assert frame["u"].dtype == "UInt64"
    assert frame["whole"].dtype == np.int64
    assert frame["small"].dtype == np.float64  # holds all numbers of 32 bits
    assert frame["none"].isna().all()
    assert frame["at"].dtype == table.select(["at"]).to_pandas()["at"].dtype
    assert list(frame["lists"][0]) == [2**53 + 1, None]
    assert list(frame["lists"][2]) == [1]
    assert frame["structs"][0] == {"a": 2**53 + 1}
    assert list(frame["deep"][0][0]["a"]) == [2**53 + 1, None]


def test_frames_of_pandas_stay_as_they_are(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "masked": pd.array([2**53 + 1, None, 3], dtype="Int64"),
            "plain": [1, 2, 3],
            "other": pd.array([1, None, 2], dtype="Int32"),
        },
        index=pd.Index([5, 6, 7], name="key"),
    )
    numpact.write_table(pa.Table.from_pandas(frame), tmp_path / "t")
    pd.testing.assert_frame_equal(numpact.read_table(tmp_path / "t").to_pandas(), frame)


@pytest.mark.parametrize("levels", [["k"], ["k", "s"]])
def test_integers_with_nulls_in_an_index(tmp_path: Path, levels: list[str]) -> None:
    keys = pd.array(BIG, dtype="Int64")
    frame = pd.DataFrame({"k": keys, "s": list("abc"), "v": pd.array(BIG, dtype="Int64")})
    table = pa.Table.from_pandas(frame.set_index(levels))
    made = through(table, tmp_path / "t")
    assert made.index.names == levels
    assert values(pd.Series(made.index.get_level_values("k"))) == BIG
    assert values(made["v"]) == BIG


def test_names_that_repeat(tmp_path: Path) -> None:
    columns = [pa.array(BIG), pa.array([1, 2, 3]), pa.array(BIG[::-1])]
    frame = through(pa.Table.from_arrays(columns, ["a", "a", "a"]), tmp_path / "t")
    assert [values(frame.iloc[:, i]) for i in range(3)] == [BIG, [1, 2, 3], BIG[::-1]]


# ---- no columns ----


def test_no_columns_keep_the_rows(tmp_path: Path) -> None:
    table = pa.table({"a": [1, None, 3, 4], "s": list("wxyz")}, metadata={"k": "v"})
    folder = tmp_path / "t"
    numpact.write_table(table, folder)
    opened = numpact.open_table(folder)
    for none in (numpact.read_table(folder, []), opened.read([]), opened[[]].read()):
        assert (len(none), none.num_columns, none.shape) == (4, 0, (4, 0))
        assert none.to_arrow().num_rows == 4
        assert none.schema.metadata == {b"k": b"v"}
        assert len(none[1:3]) == 2
        assert len(none[[]]) == 4
        assert none.to_pandas().shape == (4, 0)
        assert none.to_numpy() == {}
    assert len(opened[[]]) == len(opened[[]][[]]) == 4
    assert len(opened[1:3][[]]) == len(opened[[]][1:3]) == len(opened[[]][1:3].read()) == 2
    assert len(numpact.read_table(folder, [], rows=(1, 4))) == 3
    assert len(numpact.read_table(folder, [], where="a > 1")) == 2
    assert len(numpact.read_table(folder, [], rows=(0, 3), where="s != 'w' and a is null")) == 1
    assert len(numpact.read_table(folder, [], where="a > 99")) == 0
    assert sum(map(len, opened.batches([], batch_rows=3))) == 4
    assert [len(batch) for batch in opened.batches([], where="a >= 3", batch_rows=3)] == [1, 1]
    assert len(numpact.read_table(folder)[[]]) == 4
    assert "4 rows" in repr(opened[[]])
    assert pa.table(opened[[]]).num_rows in (0, 4)  # a stream of no columns has no count of its own


def test_no_columns_of_rows_that_do_not_match(tmp_path: Path) -> None:
    """Nulls of a column were left out, as the command can: the columns' rows do not match."""
    for name, columns in (("t", {"a": [1, 3]}), ("u", {"a": [1, 3], "b": [1, 2]})):
        numpact.write_table(pa.table(columns), tmp_path / name)
        path = tmp_path / name / "manifest.json"
        manifest = json.loads(path.read_text())
        for column in manifest["columns"]:
            column["nulls_dropped"] = 1
        path.write_text(json.dumps(manifest))
    assert len(numpact.read_table(tmp_path / "t", [])) == 2
    with pytest.raises(numpact.InvalidArgumentError, match="choose one of"):
        numpact.read_table(tmp_path / "u", [])
    opened = numpact.open_table(tmp_path / "u")
    assert opened.read(["a"], where="a > 1").to_arrow().to_pydict() == {"a": [3]}
    assert opened.read(["b"], rows=(1, 2)).to_arrow().to_pydict() == {"b": [2]}
    assert [len(part) for part in opened.batches(["b"])] == [2]
    assert opened.row_numbers("a > 1").tolist() == [1]
    with pytest.raises(numpact.InvalidArgumentError, match="choose one of"):
        opened.read(where="a > 1")


def test_messages_show_a_few_of_many(tmp_path: Path) -> None:
    count = 3_000
    numpact.write_table(pa.table({f"c{i}": [1] for i in range(count)}), tmp_path / "t", level=0)
    opened = numpact.open_table(tmp_path / "t")
    wrong: list[Any] = [
        lambda: opened["none"],
        lambda: opened[list(range(50_000))],
        lambda: opened.read(rows=list(range(50_000))),
        lambda: opened.read(["none"]),
        lambda: opened.read(where="none = 5"),
        lambda: numpact.read_table(tmp_path / "t", rows=np.arange(50_000)),
        lambda: numpact.compress([1], level=list(range(50_000))),
        lambda: numpact.compress([1], threads=[datetime.date(2024, 1, 1)] * 50_000),
    ]
    for call in wrong:
        with pytest.raises(numpact.Error) as error:
            call()
        assert len(str(error.value)) < 600, str(error.value)[:300]
