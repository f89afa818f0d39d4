# SPDX-License-Identifier: Apache-2.0
"""Tables come back whole: all types, nulls, metadata, names, from and to all libraries."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tables_support import every_kind, files_in, same

import numpact
from numpact._folders import writing


@pytest.mark.parametrize("rows", [0, 1, 2, 1000])
@pytest.mark.parametrize("is_stream", [False, True])
def test_tables_come_back_whole(tmp_path: Path, rows: int, is_stream: bool) -> None:
    table = every_kind(rows)
    source = table.to_reader(max_chunksize=170) if is_stream else table
    numpact.write_table(source, tmp_path / "t")
    read = numpact.read_table(tmp_path / "t")
    same(read.to_arrow(), table)
    read.to_arrow().validate(full=True)
    opened = numpact.open_table(tmp_path / "t")
    assert len(opened) == len(read) == rows
    assert opened.schema.equals(table.schema, check_metadata=True)
    assert opened.shape == read.shape == (rows, table.num_columns)
    same(pa.table(opened), table)
    if rows == 1000:
        same(opened[300:700].to_arrow(), table.slice(300, 400))
        same(opened[300:700][100:150].to_arrow(), table.slice(400, 50))
        same(numpact.read_table(tmp_path / "t", rows=(999, 1000)).to_arrow(), table.slice(999, 1))
        assert [len(batch) for batch in opened.batches(batch_rows=400)] == [400, 400, 200]


def test_files_do_not_depend_on_threads_or_the_form_of_the_source(tmp_path: Path) -> None:
    table = every_kind(3000)
    for name, threads in (("one", 1), ("two", 2), ("all", None)):
        numpact.write_table(table, tmp_path / name, threads=threads)
    assert files_in(tmp_path / "one") == files_in(tmp_path / "two") == files_in(tmp_path / "all")
    numpact.write_table(table.to_reader(max_chunksize=700), tmp_path / "stream")
    one, stream = files_in(tmp_path / "one"), files_in(tmp_path / "stream")
    assert {name: data for name, data in one.items() if name.endswith(".pco")} == {
        name: data for name, data in stream.items() if name.endswith(".pco")
    }


def test_versions_of_manifests(tmp_path: Path) -> None:
    numpact.write_table({"a": [1, 2]}, tmp_path / "two")
    numpact.write_table({"s": ["x", None], "a": [1, 2]}, tmp_path / "three")
    two = json.loads((tmp_path / "two/manifest.json").read_text())
    assert two["version"] == 2
    assert "others" not in two
    three = json.loads((tmp_path / "three/manifest.json").read_text())
    assert three["version"] == 4
    (part,) = three["others"][0].pop("parts")
    assert part["file"] == "s.arrow"
    assert part["rows"] == 2
    assert three["others"] == [{"name": "s", "position": 0, "type": "string", "rows": 2}]


def test_names_of_all_sorts(tmp_path: Path) -> None:
    names = ["", "a", "a", "A", "a/b", "..", "ü", "名", "x" * 300, "a.nulls", "a b\n", "manifest"]
    table = pa.Table.from_arrays([pa.array([i, None]) for i in range(len(names))], names=names)
    texts = pa.Table.from_arrays([pa.array([str(i), None]) for i in range(len(names))], names=names)
    both = pa.Table.from_arrays(table.columns + texts.columns, names=names + names)
    numpact.write_table(both, tmp_path / "t")
    same(numpact.read_table(tmp_path / "t").to_arrow(), both)
    opened = numpact.open_table(tmp_path / "t")
    with pytest.raises(numpact.InvalidArgumentError, match="there are 4 columns 'a'"):
        opened["a"]
    with pytest.raises(numpact.InvalidArgumentError, match="columns of the same name"):
        numpact.read_table(tmp_path / "t").to_numpy()
    assert len(list((tmp_path / "t").iterdir())) == 3 * len(names) + 1
    one = numpact.write_table(table.select([3]), tmp_path / "one")
    assert one is None
    assert numpact.open_table(tmp_path / "one")["A"].to_pylist() == [3, None]


def test_tables_of_pandas(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "price": [1.5, float("nan"), 2.5],
            "at": pd.date_range("2024-01-01", periods=3, tz="Europe/Berlin"),
            "kind": pd.Categorical(["a", "b", "a"]),
            "name": ["x", None, "z"],
            "count": pd.array([1, None, 3], "Int64"),
        },
        index=[10, 20, 30],
    )
    numpact.write_table(frame, tmp_path / "t")
    back = numpact.read_table(tmp_path / "t").to_pandas()
    pd.testing.assert_frame_equal(back, pa.table(frame).to_pandas())
    assert list(back.index) == [10, 20, 30]


def test_tables_of_polars(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "price": [1.5, None, float("nan")],
            "text": ["x", None, "z"],
            "kind": pl.Series(["a", "b", None], dtype=pl.Categorical),
            "level": pl.Series(["lo", "hi", "lo"], dtype=pl.Enum(["lo", "hi"])),
            "ok": [True, None, False],
            "rows": [[1], [], None],
        }
    )
    numpact.write_table(frame, tmp_path / "t")
    assert numpact.read_table(tmp_path / "t").to_polars().equals(frame)
    assert pl.DataFrame(numpact.open_table(tmp_path / "t")).equals(frame)
    assert numpact.scan_table(tmp_path / "t").collect().equals(frame)
    assert numpact.read_table(tmp_path / "t").to_polars().schema == frame.schema


@pytest.mark.skipif(find_spec("duckdb") is None, reason="there is no duckdb")
def test_relations_of_duckdb(tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect() as connection:
        query = "select range as a, 'n' || range as s, (range / 100)::decimal(9, 2) as d"
        numpact.write_table(connection.sql(f"{query} from range(3000)"), tmp_path / "t")
        back = numpact.read_table(tmp_path / "t")
        connection.register("back", pa.table(back))
        found = connection.sql("select sum(a), max(s), sum(d) from back").fetchall()
    assert found[0][:2] == (2999 * 1500, "n999")
    assert float(found[0][2]) == pytest.approx(44985, abs=0.01)


def test_mappings_batches_and_numpy(tmp_path: Path) -> None:
    days = np.arange("2024-01-01", "2024-01-04", dtype="datetime64[D]")
    columns = {"day": days, "x": np.array([0.5, np.nan, 1.5]), "name": ["a", "b", "c"]}
    numpact.write_table(columns, tmp_path / "t")
    back = numpact.read_table(tmp_path / "t").to_numpy()
    assert list(back) == ["day", "x", "name"]
    assert back["day"].dtype == days.dtype
    np.testing.assert_array_equal(back["day"], days)
    np.testing.assert_array_equal(back["x"], columns["x"])
    assert list(back["name"]) == ["a", "b", "c"]
    batch = pa.record_batch({"a": pa.array([1, None])})
    numpact.write_table(batch, tmp_path / "batch")
    table = numpact.read_table(tmp_path / "batch")
    assert table["a"].to_pylist() == [1, None]
    with pytest.raises(numpact.InvalidArgumentError, match="'a': 1 nulls"):
        table.to_numpy()


def test_extension_types(tmp_path: Path) -> None:
    storage = pa.array([0, 1, None], pa.int8())
    flags = pa.ExtensionArray.from_storage(pa.bool8(), storage)
    ids = pa.ExtensionArray.from_storage(
        pa.uuid(), pa.array([b"0" * 16, None, b"1" * 16], pa.binary(16))
    )
    table = pa.table({"flags": flags, "ids": ids})
    numpact.write_table(table, tmp_path / "t")
    read = numpact.read_table(tmp_path / "t")
    assert read.schema.types == [pa.bool8(), pa.uuid()]
    assert read.to_arrow().to_pylist() == table.to_pylist()
    assert pa.table(numpact.open_table(tmp_path / "t")).schema.types == [pa.bool8(), pa.uuid()]


def test_columns_that_pco_cannot_hold(tmp_path: Path) -> None:
    table = pa.table({"s": ["x"], "a": [1], "l": [[1]]})
    with pytest.raises(numpact.TypeMismatchError, match="column 's': values of type string"):
        numpact.write_table(table, tmp_path / "t", others="error")
    assert list(tmp_path.iterdir()) == []
    with pytest.warns(UserWarning, match="left out: 's', 'l'") as warned:
        numpact.write_table(table, tmp_path / "t", others="drop")
    assert warned[0].filename == __file__
    assert numpact.open_table(tmp_path / "t").column_names == ["a"]
    skipped = json.loads((tmp_path / "t/manifest.json").read_text())["skipped"]
    assert [(entry["name"], entry["type"]) for entry in skipped] == [
        ("s", "string"),
        ("l", "list<item: int64>"),
    ]
    with pytest.raises(numpact.InvalidArgumentError, match="others must be one of"):
        numpact.write_table(table, tmp_path / "u", others="maybe")


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_polars_makes_a_frame(tmp_path: Path, rows: int) -> None:
    table = pa.table({"a": [1, 2, 3], "s": ["x", None, "z"], "x": [1.5, None, math.nan]})
    frame = pl.from_arrow(table[:rows])
    numpact.write_table(table[:rows], tmp_path / "t")
    with numpact.open_table(tmp_path / "t") as opened:
        for found in (numpact.read_table(tmp_path / "t"), opened, opened[0:rows]):
            made = pl.from_arrow(found)
            assert isinstance(made, pl.DataFrame)
            assert made.equals(frame)
            assert made.schema == frame.schema
            batches = list(found)
            assert pa.Table.from_batches(batches).num_rows == len(found) == rows
            assert batches[0].schema == found.schema
            assert found  # as before, with rows; and no columns are lost without them


@pytest.mark.parametrize("source", [5, "t", np.arange(5), pa.array([1]), pl.Series([1]), [1, 2]])
def test_what_is_not_a_table(tmp_path: Path, source: Any) -> None:
    with pytest.raises(numpact.TypeMismatchError, match="expected a table"):
        numpact.write_table(source, tmp_path / "t")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("frame, message", [
    (pd.DataFrame([[1, 2]], columns=["a", "a"]), "pandas is not a table .* Duplicate column names"),
    (pd.DataFrame({"mixed": ["a", 1]}), "pandas is not a table .* column mixed"),
    (pl.DataFrame({"a": [object()]}), r"columns \['a'\] hold Python objects"),
    (pl.DataFrame({"a": [1], "b": pl.Series([2], dtype=pl.Int128)}),
     r"columns \['b'\] hold integers of 128 bits.*cast them"),
    (pl.DataFrame({"l": pl.Series([[2]], dtype=pl.List(pl.Int128))}), r"columns \['l'\] hold"),
])  # fmt: skip
def test_frames_that_arrow_cannot_hold(tmp_path: Path, frame: Any, message: str) -> None:
    with pytest.raises(numpact.TypeMismatchError, match=message):
        numpact.write_table(frame, tmp_path / "t")
    assert list(tmp_path.iterdir()) == []


def test_more_columns_than_descriptors(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    table = pa.table(
        {f"c{i}": pa.array([i, None, 3], pa.int16()) if i % 2 else [f"{i}", None, "x"]
         for i in range(300)}
    )  # fmt: skip
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + 60, limits[1]))
    try:
        numpact.write_table(table.to_reader(max_chunksize=2), tmp_path / "t")
        numpact.append_table(table.to_reader(), tmp_path / "t")
        opened = numpact.open_table(tmp_path / "t")
        assert pa.table(opened).equals(pa.concat_tables([table, table]))
        assert (
            opened.read(where="c1 = 1 and c2 = '2'")
            .to_arrow()
            .equals(pa.concat_tables([table[:1], table[:1]]))
        )
        held = [opened.read(rows=(i, i + 2)) for i in range(4)]
        assert held[3].to_arrow().equals(pa.concat_tables([table, table])[3:5])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


# ---- folders ----


def test_parents_are_made_and_nothing_is_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "a/b/c"
    numpact.write_table({"a": [1]}, folder)
    with pytest.raises(FileExistsError, match="overwrite=True"):
        numpact.write_table({"a": [2]}, folder)
    assert numpact.read_table(folder)["a"].to_pylist() == [1]
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(
        FileExistsError, match=r"holds 'notes\.txt', which is not part of the table"
    ):
        numpact.write_table({"a": [2]}, folder, overwrite=True)
    (folder / "notes.txt").unlink()
    os.chmod(folder / "a.pco", 0o640)
    numpact.write_table({"a": [2], "b": ["x"]}, folder, overwrite=True)
    assert numpact.read_table(folder).to_arrow().to_pylist() == [{"a": 2, "b": "x"}]
    assert (folder / "a.pco").stat().st_mode & 0o777 == 0o640
    assert [path.name for path in folder.parent.iterdir()] == ["c"]
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(FileExistsError, match="is not a folder of numpact"):
        numpact.write_table({"a": [2]}, tmp_path / "file", overwrite=True)
    (tmp_path / "mine").mkdir()
    numpact.write_table({"a": [3]}, tmp_path / "mine", overwrite=True)  # an empty folder
    (tmp_path / "named").symlink_to("mine")
    numpact.write_table({"a": [4]}, tmp_path / "named", overwrite=True)
    assert (tmp_path / "named").is_symlink()
    assert numpact.read_table(tmp_path / "mine")["a"].to_pylist() == [4]


@pytest.mark.parametrize("overwrite", [False, True])
def test_nothing_is_left_of_a_table_that_fails(tmp_path: Path, overwrite: bool) -> None:
    if overwrite:
        numpact.write_table({"a": [1]}, tmp_path / "t")

    def batches() -> Any:
        yield pa.record_batch({"a": pa.array([1, 2])})
        raise RuntimeError("the source ends early")

    reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.int64())]), batches())
    with pytest.raises(RuntimeError, match="ends early"):
        numpact.write_table(reader, tmp_path / "t", overwrite=overwrite)
    strict = pa.schema([pa.field("a", pa.int64(), nullable=False)])
    nulls = pa.Table.from_arrays([pa.array([1, None])], schema=strict)
    with pytest.raises(numpact.InvalidArgumentError, match="'a': 1 nulls"):
        numpact.write_table(nulls, tmp_path / "t", overwrite=overwrite)
    assert [path.name for path in tmp_path.iterdir()] == (["t"] if overwrite else [])
    if overwrite:
        assert numpact.read_table(tmp_path / "t")["a"].to_pylist() == [1]


def test_what_is_written_is_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of Arrow that is not what was written is found."""
    contents = writing.contents

    def damaged(path: Any) -> bytes:
        data = bytearray(contents(path))
        data[len(data) // 2] ^= 0x10
        return bytes(data)

    monkeypatch.setattr(writing, "contents", damaged)
    with pytest.raises(numpact.Error, match="column 's'"):
        numpact.write_table(
            {"a": range(999), "s": [f"xyz {i}" for i in range(999)]}, tmp_path / "t"
        )
    assert list(tmp_path.iterdir()) == []


def test_an_open_table_stays_what_it_was(tmp_path: Path) -> None:
    numpact.write_table({"a": [1, 2], "s": ["x", "y"]}, tmp_path / "t")
    with numpact.open_table(tmp_path / "t") as opened:
        numpact.write_table({"a": [3]}, tmp_path / "t", overwrite=True)
        assert opened.to_arrow().to_pylist() == [{"a": 1, "s": "x"}, {"a": 2, "s": "y"}]
    with pytest.raises(ValueError, match="closed"):
        opened.read()
    assert "closed" in repr(opened)


def test_readers_see_one_version_while_a_table_is_replaced(tmp_path: Path) -> None:
    def write(value: int) -> None:
        columns = {name: [value] * 5 for name in "abc"} | {"s": [str(value)] * 5}
        numpact.write_table(columns, tmp_path / "t", overwrite=value > 0)

    write(0)
    stop = threading.Event()

    def replace() -> None:
        for value in range(1, 25):
            write(value)
        stop.set()

    thread = threading.Thread(target=replace)
    thread.start()
    seen = set()
    while not stop.is_set():
        row = numpact.read_table(tmp_path / "t").to_arrow().to_pylist()[0]
        assert {row["a"], row["b"], row["c"], int(row["s"])} == {row["a"]}
        seen.add(row["a"])
    thread.join()
    assert len(seen) > 1


def test_the_wrong_function_says_the_right_one(tmp_path: Path) -> None:
    numpact.write_table({"a": [1]}, tmp_path / "t")
    (tmp_path / "a.pco").write_bytes(numpact.compress([1]))
    (tmp_path / "frame").write_bytes(numpact.compress_arrow(pa.array([1])))
    (tmp_path / "empty").mkdir()
    with pytest.raises(IsADirectoryError, match=r"use numpact\.open_table"):
        numpact.open(tmp_path / "t")
    with pytest.raises(IsADirectoryError, match="is a folder: "):
        numpact.open(tmp_path / "empty")
    for function in (numpact.open_table, numpact.read_table, numpact.scan_table):
        with pytest.raises(NotADirectoryError, match=r"numpact\.open reads a file of numbers"):
            function(tmp_path / "a.pco")
        with pytest.raises(NotADirectoryError, match=r"numpact\.decompress_arrow reads"):
            function(tmp_path / "frame")
        with pytest.raises(FileNotFoundError, match="is not a table of numpact"):
            function(tmp_path / "empty")
        with pytest.raises(FileNotFoundError):
            function(tmp_path / "missing")
    with pytest.raises(NotADirectoryError, match=r"numpact\.open reads"):
        numpact.append_table({"a": [1]}, tmp_path / "a.pco")
    with pytest.raises(numpact.InvalidArgumentError, match=r"numpact\.write_table writes all"):
        numpact.compress_arrow(pa.table({"a": [1], "b": [2]}))
    with pytest.raises(numpact.TypeMismatchError, match=r"numpact\.read_table reads the folder"):
        numpact.decompress_arrow(str(tmp_path / "t"))


def test_without_pyarrow(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "sys.modules['pyarrow'] = None\n"
        "from numpact import *\n"
        "import numpact\n"
        "calls = lambda: write_table({}, 't'), lambda: open_table('t'), lambda: numpact.Table\n"
        "for call in calls:\n"
        "    try: call()\n"
        "    except ImportError as error: print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    advice = "pip install '.[arrow]' in a checkout of numpact"
    assert ran.stdout.splitlines() == [f"numpact needs the package pyarrow here: {advice}"] * 3


@pytest.mark.skipif(find_spec("fsspec") is None, reason="there is no fsspec")
def test_tables_in_stores(tmp_path: Path) -> None:
    from fsspec.implementations.memory import MemoryFileSystem

    table = every_kind(3000)
    numpact.write_table(table, tmp_path / "t")
    store = MemoryFileSystem()
    for path in (tmp_path / "t").iterdir():
        store.pipe_file(f"/tables/{path.name}", path.read_bytes())
    url = "memory://tables"
    same(numpact.read_table(url).to_arrow(), table)
    same(numpact.open_table(url)[5:1000].to_arrow(), table.slice(5, 995))
    found = numpact.read_table(url, ["text", "view"], where="i32 = 7").to_arrow().to_pylist()
    rows = table.select(["text", "view", "i32"]).to_pylist()
    assert found == [{"text": r["text"], "view": r["view"]} for r in rows if r["i32"] == 7]
    store.rm("/tables", recursive=True)


def test_notebooks_show_columns_and_rows(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>"
    columns = {hostile: [1, 2]} | {f"c{i}": [0.5, None] for i in range(20)}
    numpact.write_table(pa.table(columns), tmp_path / "t")
    with numpact.open_table(tmp_path / "t") as opened:
        for table in (opened, numpact.read_table(tmp_path / "t")):
            html = table._repr_html_()
            assert all(words in html for words in ("2 rows", "int64", "and 13 more"))
            assert hostile not in html
    assert "closed" in opened._repr_html_()
