# SPDX-License-Identifier: Apache-2.0
"""Appending to tables: all columns or none, and no rows are lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tables_support import every_kind, files_in, same

import numpact
from numpact._folders import writing


def test_all_kinds_are_appended(tmp_path: Path) -> None:
    parts = [every_kind(300, seed) for seed in range(3)]
    # One dictionary, since the table has one.
    parts = pa.concat_tables(parts).unify_dictionaries()
    numpact.write_table(parts.slice(0, 300), tmp_path / "t")
    rest = parts.slice(300, 600)
    numpact.append_table(rest.to_reader(max_chunksize=100), tmp_path / "t", threads=2)
    same(numpact.read_table(tmp_path / "t").to_arrow(), parts)
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


def test_appending_to_no_rows_and_of_no_rows(tmp_path: Path) -> None:
    schema = pa.schema([("a", pa.int64()), ("s", pa.string()), ("t", pa.timestamp("s"))])
    table = pa.table({"a": [1, None], "s": [None, "x"], "t": [None, 5]}, schema=schema)
    numpact.write_table(table.slice(0, 0), tmp_path / "t")
    numpact.append_table(table, tmp_path / "t")
    numpact.append_table(table.slice(0, 0), tmp_path / "t")
    same(numpact.read_table(tmp_path / "t").to_arrow(), table)


def test_trailers_are_kept(tmp_path: Path) -> None:
    for name, trailer in (("none", False), ("index", True), ("points", 256)):
        numpact.write_table({"a": range(1000)}, tmp_path / name, trailer=trailer)
        numpact.append_table({"a": range(1000)}, tmp_path / name, trailer=trailer)
        (path,) = (tmp_path / name).glob("a.*pco")
        found = numpact.read_trailer(path)
        assert (found is None) == (trailer is False)
        if found is not None:
            assert found.count == 2000
            assert found.restart_every == (256 if trailer == 256 else None)


def test_columns_may_come_in_another_order_and_from_other_libraries(tmp_path: Path) -> None:
    numpact.write_table(pa.table({"a": [1], "s": ["x"], "b": [0.5]}), tmp_path / "t")
    numpact.append_table(pl.DataFrame({"b": [1.5], "a": [2], "s": ["y"]}), tmp_path / "t")
    numpact.append_table({"s": ["z"], "b": [2.5], "a": [3]}, tmp_path / "t")
    found = numpact.read_table(tmp_path / "t").to_arrow()
    assert found.schema.types == [pa.int64(), pa.string(), pa.float64()]
    assert found.to_pydict() == {"a": [1, 2, 3], "s": ["x", "y", "z"], "b": [0.5, 1.5, 2.5]}


def test_columns_of_the_same_name(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array(["x"])], names=["a", "a"])
    numpact.write_table(table, tmp_path / "t")
    numpact.append_table(table, tmp_path / "t")
    found = numpact.read_table(tmp_path / "t").to_arrow()
    assert [column.to_pylist() for column in found.columns] == [[1, 1], ["x", "x"]]


STAMP = pa.timestamp("us", "UTC")
OLD = pa.schema(
    [
        pa.field("a", pa.int64()),
        pa.field("at", STAMP),
        pa.field("n", pa.int8(), nullable=False),
        pa.field("s", pa.string()),
    ]
)
ROW = {"a": 1, "at": 0, "n": 2, "s": "x"}


def rows(**types: Any) -> pa.Table:
    """A row with other types; None leaves a column out."""
    fields = [pa.field(f.name, types.get(f.name, f.type)) for f in OLD if types.get(f.name, 1)]
    fields += [pa.field(name, type) for name, type in types.items() if type and name not in ROW]
    return pa.table({f.name: [ROW.get(f.name, 0)] for f in fields}, schema=pa.schema(fields))


@pytest.mark.parametrize(
    "table, message",
    [
        (rows(a=None), r"columns are missing: \['a'\]"),
        (rows(more=pa.int64()), r"does not have the columns \['more'\]"),
        (rows(a=None, b=pa.int8()), r"missing: \['a'\] .*; the folder does not have .* \['b'\]"),
        (rows(a=pa.int32()), "column 'a': values of type i32, the folder has i64"),
        (rows(at=pa.timestamp("ms", "UTC")), "'at': .* the folder has timestamp\\[us, UTC\\]"),
        (rows(at=pa.timestamp("us")), "'at': values of type timestamp\\[us\\], the folder"),
        (rows(at=pa.timestamp("us", "Europe/Berlin")), "'at': values of type"),
        (rows(at=pa.int64()), "'at': values of type i64, the folder has timestamp"),
        (rows(s=pa.binary()), "'s': values of type binary, the folder has string"),
    ],
)
def test_other_columns_are_refused(tmp_path: Path, table: pa.Table, message: str) -> None:
    numpact.write_table(pa.table({k: [v] for k, v in ROW.items()}, schema=OLD), tmp_path / "t")
    before = files_in(tmp_path / "t")
    with pytest.raises(numpact.TypeMismatchError, match=message):
        numpact.append_table(table, tmp_path / "t")
    assert files_in(tmp_path / "t") == before
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


def test_nulls_for_columns_that_are_not_nullable(tmp_path: Path) -> None:
    numpact.write_table(pa.table({k: [v] for k, v in ROW.items()}, schema=OLD), tmp_path / "t")
    null = pa.table({**{k: [v] for k, v in ROW.items()}, "n": pa.array([None], pa.int8()),
                     "at": pa.array([None], STAMP)})  # fmt: skip
    with pytest.raises(numpact.InvalidArgumentError, match="'n': 1 nulls"):
        numpact.append_table(null, tmp_path / "t")


def test_columns_that_were_left_out(tmp_path: Path) -> None:
    table = pa.table({"a": [1], "s": ["x"]})
    with pytest.warns(UserWarning, match="left out"):
        numpact.write_table(table, tmp_path / "t", others="drop")
    with pytest.raises(numpact.TypeMismatchError, match=r"does not have the columns \['s'\]"):
        numpact.append_table(table, tmp_path / "t")
    numpact.append_table(table, tmp_path / "t", others="drop")
    assert numpact.read_table(tmp_path / "t").to_arrow().to_pydict() == {"a": [1, 1]}
    manifest = json.loads((tmp_path / "t/manifest.json").read_text())
    assert [entry["name"] for entry in manifest["skipped"]] == ["s"]


def test_a_table_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        numpact.append_table({"a": [1]}, tmp_path / "t")
    (tmp_path / "t").mkdir()
    with pytest.raises(FileNotFoundError, match="is not a table"):
        numpact.append_table({"a": [1]}, tmp_path / "t")
    assert list((tmp_path / "t").iterdir()) == []


def test_damage_of_the_old_file_is_found(tmp_path: Path) -> None:
    numpact.write_table({"a": range(5000), "s": ["x"] * 5000}, tmp_path / "t")
    data = bytearray((tmp_path / "t/a.pco").read_bytes())
    data[len(data) // 3] ^= 4
    (tmp_path / "t/a.pco").write_bytes(data)
    before = files_in(tmp_path / "t")
    with pytest.raises(numpact.CorruptError):
        numpact.append_table({"a": [1], "s": ["y"]}, tmp_path / "t")
    assert files_in(tmp_path / "t") == before
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


_APPENDER = """
import sys, numpact
for value in range(int(sys.argv[2]), int(sys.argv[2]) + 4):
    numpact.append_table({"a": [value], "s": [str(value)]}, sys.argv[1], threads=1)
"""


def test_no_rows_of_concurrent_writers_are_lost(tmp_path: Path) -> None:
    numpact.write_table({"a": [0], "s": ["0"]}, tmp_path / "t")
    command = [sys.executable, "-c", _APPENDER, str(tmp_path / "t")]
    running = [subprocess.Popen([*command, str(first)]) for first in (100, 200)]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda v: numpact.append_table({"a": [v], "s": [str(v)]}, tmp_path / "t"),
                      range(1, 7)))  # fmt: skip
    assert [process.wait() for process in running] == [0, 0]
    found = numpact.read_table(tmp_path / "t").to_arrow().to_pydict()
    assert sorted(found["a"]) == [*range(7), *range(100, 104), *range(200, 204)]
    assert found["s"] == [str(value) for value in found["a"]]
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


def test_the_lock_is_that_of_the_manifest(tmp_path: Path) -> None:
    numpact.write_table({"a": [1]}, tmp_path / "t")
    lock = numpact._core.FileLock(str(tmp_path / "t/manifest.json"), 0)
    for write in (
        lambda: numpact.append_table({"a": [2]}, tmp_path / "t", lock_timeout=0.05),
        lambda: numpact.write_table({"a": [2]}, tmp_path / "t", overwrite=True, lock_timeout=0),
    ):
        with pytest.raises(numpact.LockTimeoutError):
            write()
    lock.release()
    numpact.append_table({"a": [2]}, tmp_path / "t", lock_timeout=0)
    assert numpact.read_table(tmp_path / "t")["a"].to_pylist() == [1, 2]
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


@pytest.mark.parametrize("step", ["write", "close"])
def test_an_error_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    numpact.write_table({"a": [1], "s": ["x"]}, tmp_path / "t")
    before = files_in(tmp_path / "t")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.OtherWriter, step, fail)
    with pytest.raises(OSError, match="No space"):
        numpact.append_table({"a": [2], "s": ["y"]}, tmp_path / "t")
    assert files_in(tmp_path / "t") == before
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


_ENDLESS = """
import sys, numpact
print("ready", flush=True)
while True:
    numpact.append_table({"a": [1, 2, 3], "s": ["x", "y", "z"]}, sys.argv[1], threads=1)
"""


def test_a_killed_writer_leaves_a_whole_table(tmp_path: Path) -> None:
    numpact.write_table({"a": [1, 2, 3], "s": ["x", "y", "z"]}, tmp_path / "t")
    for wait in (0.05, 0.11, 0.17):
        process = subprocess.Popen(
            [sys.executable, "-c", _ENDLESS, str(tmp_path / "t")], stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(wait)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        found = numpact.read_table(tmp_path / "t").to_arrow().to_pydict()
        assert len(found["a"]) % 3 == 0
        assert found == {"a": [1, 2, 3] * (len(found["a"]) // 3),
                         "s": ["x", "y", "z"] * (len(found["a"]) // 3)}  # fmt: skip


@pytest.mark.parametrize("is_nested", [False, True])
def test_enums_of_polars_keep_their_categories(tmp_path: Path, is_nested: bool) -> None:
    def frame(values: list[str], categories: list[str]) -> pl.DataFrame:
        series = pl.Series("e", values, dtype=pl.Enum(categories))
        return pl.DataFrame({"e": series.implode() if is_nested else series})

    numpact.write_table(frame(["a", "b"], ["a", "b"]), tmp_path / "t")
    with pytest.raises(numpact.TypeMismatchError, match=r"'e': .* Enum of polars with other categ"):
        numpact.append_table(frame(["z"], ["z", "b"]), tmp_path / "t")
    numpact.append_table(frame(["b"], ["a", "b"]), tmp_path / "t")
    found = numpact.read_table(tmp_path / "t").to_polars()["e"].explode()
    assert found.to_list() == ["a", "b", "b"]


def coded(first: int, count: int, index: pa.DataType | None = None, **keywords: Any) -> pa.Array:
    """Texts as a dictionary of their own."""
    values = pa.array([f"v{i}" for i in range(first, first + count)])
    indices = pa.array([None, *range(count)], index or pa.int8())
    return pa.DictionaryArray.from_arrays(indices, values, **keywords)


def test_a_dictionary_outgrows_its_indices(tmp_path: Path) -> None:
    parts = [coded(100 * day, 100) for day in range(3)]
    numpact.write_table(pa.table({"c": parts[0]}), tmp_path / "t")
    # The third day has narrow indices again, though the folder has wide ones.
    for part in parts[1:]:
        numpact.append_table(pa.table({"c": part}), tmp_path / "t")
    found = numpact.read_table(tmp_path / "t").to_arrow()["c"]
    assert found.type == pa.dictionary(pa.int16(), pa.string())
    assert found.to_pylist() == [value for part in parts for value in part.to_pylist()]
    [entry] = json.loads((tmp_path / "t/manifest.json").read_text())["columns"]
    assert entry["text_type"] == "dictionary<values=string, indices=int16, ordered=0>"


@pytest.mark.parametrize("as_stream", [False, True])
def test_batches_with_other_dictionaries_are_joined(tmp_path: Path, as_stream: bool) -> None:
    parts = [coded(200 * day, 200, pa.uint8()) for day in range(400)]
    table = pa.table({"c": pa.chunked_array(parts)})
    numpact.write_table(table.to_reader() if as_stream else table, tmp_path / "t")
    found = numpact.read_table(tmp_path / "t").to_arrow()["c"]
    assert found.type == pa.dictionary(pa.uint32(), pa.string())  # 80,000 values
    assert found.to_pylist() == table["c"].to_pylist()


def test_categories_of_pandas_grow(tmp_path: Path) -> None:
    days = [[f"{day}.{i}" for i in range(100)] for day in (1, 2)]
    frames = [pd.DataFrame({"c": pd.Categorical(day), "x": range(100)}) for day in days]
    numpact.write_table(frames[0], tmp_path / "t")
    numpact.append_table(frames[1], tmp_path / "t")
    back = numpact.read_table(tmp_path / "t").to_pandas()
    assert isinstance(back["c"].dtype, pd.CategoricalDtype)
    assert list(back["c"]) == days[0] + days[1]


def test_the_form_of_categories_does_not_matter(tmp_path: Path) -> None:
    numpact.write_table(pa.table({"c": coded(0, 3)}), tmp_path / "t")
    other = coded(3, 3, pa.uint32()).cast(pa.dictionary(pa.uint32(), pa.large_string()))
    numpact.append_table(pa.table({"c": other}), tmp_path / "t")
    found = numpact.read_table(tmp_path / "t").to_arrow()["c"]
    assert found.type == pa.dictionary(pa.int8(), pa.string())
    assert found.to_pylist() == [None, "v0", "v1", "v2", None, "v3", "v4", "v5"]
    before = files_in(tmp_path / "t")
    numbers = pa.array([1, 2]).dictionary_encode()
    for wrong in (coded(0, 3, ordered=True), numbers):
        with pytest.raises(numpact.TypeMismatchError, match="column 'c': values of type dict"):
            numpact.append_table(pa.table({"c": wrong}), tmp_path / "t")
    assert files_in(tmp_path / "t") == before


def test_nulls_without_a_type_are_of_every_type(tmp_path: Path) -> None:
    table = every_kind(40, 1)
    nullable = [field.name for field in table.schema if field.nullable]
    table = table.select(nullable)
    numpact.write_table(table, tmp_path / "t")
    numpact.append_table({name: pa.nulls(3) for name in nullable}, tmp_path / "t")
    no_categories = pa.DictionaryArray.from_arrays(pa.array([None], pa.int8()), pa.nulls(0))
    numpact.write_table(pa.table({"c": coded(0, 2)}), tmp_path / "c")
    numpact.append_table(pa.table({"c": no_categories}), tmp_path / "c")
    assert numpact.read_table(tmp_path / "c").to_arrow()["c"].to_pylist() == [
        None,
        "v0",
        "v1",
        None,
    ]
    found = numpact.read_table(tmp_path / "t").to_arrow()
    same(found.slice(0, 40), table)
    assert found.schema.equals(table.schema, check_metadata=True)
    assert all(column.slice(40).null_count == 3 for column in found.columns)


def test_nulls_without_a_type_where_none_are_allowed(tmp_path: Path) -> None:
    strict = pa.schema([pa.field("n", pa.int8(), False), pa.field("s", pa.string(), False)])
    numpact.write_table(pa.table([[1], ["x"]], schema=strict), tmp_path / "t")
    before = files_in(tmp_path / "t")
    for wrong in ({"n": [None], "s": ["y"]}, {"n": pa.array([2], pa.int8()), "s": [None]}):
        with pytest.raises(numpact.InvalidArgumentError, match="1 nulls, but its field"):
            numpact.append_table(wrong, tmp_path / "t")
    assert files_in(tmp_path / "t") == before


def test_a_column_without_a_type_takes_no_values(tmp_path: Path) -> None:
    numpact.write_table({"n": pa.nulls(2)}, tmp_path / "t")
    numpact.append_table({"n": pa.nulls(1)}, tmp_path / "t")
    with pytest.raises(numpact.TypeMismatchError, match="type i64, the folder has null"):
        numpact.append_table({"n": [1]}, tmp_path / "t")
    assert len(numpact.open_table(tmp_path / "t")) == 3
