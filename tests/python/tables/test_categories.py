# SPDX-License-Identifier: Apache-2.0
"""Categories (dictionaries of Arrow): numbers that are places among texts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pytest

import numpact

ROWS = 70_000
NAMES = ["b", "a", "unused", "c"]
INT8, STRING = pa.int8(), pa.string()


def coded(
    rows: int = ROWS, index: Any = INT8, value: Any = STRING, ordered: bool = False
) -> pa.DictionaryArray:
    """Rows of which one in ten is null, and a category that no row has."""
    random = np.random.default_rng(4)
    indices = random.choice([0, 1, 3], rows)
    places = pa.array(indices, index, mask=random.random(rows) < 0.1)
    return pa.DictionaryArray.from_arrays(places, pa.array(NAMES).cast(value), ordered=ordered)


def entry_of(folder: Path) -> dict[str, Any]:
    made: dict[str, Any] = json.loads((folder / "manifest.json").read_text("utf-8"))["columns"][0]
    return made


def dictionary_of(table: numpact.Table) -> list[Any]:
    found: list[Any] = table.to_arrow()["c"].chunk(0).dictionary.to_pylist()
    return found


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("value", [pa.string(), pa.large_binary()], ids=str)
@pytest.mark.parametrize("index", [pa.int8(), pa.uint32(), pa.int64()], ids=str)
def test_all_types(tmp_path: Path, index: Any, value: Any, ordered: bool) -> None:
    field = pa.field("c", pa.dictionary(index, value, ordered), metadata={"k": "v"})
    table = pa.table([coded(ROWS, index, value, ordered)], pa.schema([field]))
    numpact.write_table(table, tmp_path / "t")
    assert entry_of(tmp_path / "t")["text_type"] == str(field.type)
    found = numpact.read_table(tmp_path / "t").to_arrow()
    assert found.schema.equals(table.schema, check_metadata=True)
    assert found.equals(table)
    assert found["c"].chunk(0).dictionary.equals(table["c"].chunk(0).dictionary)
    rows = numpact.open_table(tmp_path / "t").take([9, 3, 3]).to_arrow()
    assert rows["c"].to_pylist() == [table["c"][i].as_py() for i in (9, 3, 3)]


def test_filters_are_those_of_text(tmp_path: Path) -> None:
    table = pa.table({"c": coded(), "n": np.arange(ROWS)})
    numpact.write_table(table, tmp_path / "t")
    texts = np.array(table["c"].to_pylist(), object)
    tests = {
        "c = 'a'": texts == "a",
        "c in ('c', 'unused')": texts == "c",
        "c is null": texts == None,  # noqa: E711 # for each
        "c < 'b'": texts == "a",
    }
    for where, expected in tests.items():
        found = numpact.read_table(tmp_path / "t", ["n"], where=where).to_arrow()["n"]
        assert found.to_pylist() == np.flatnonzero(expected).tolist(), where


def test_frames_of_pandas_and_polars(tmp_path: Path) -> None:
    values = pd.Categorical(["x", "y", None, "x"], ["z", "y", "x"], ordered=True)
    frame = pd.DataFrame({"c": values})
    numpact.write_table(frame, tmp_path / "pandas")
    pd.testing.assert_frame_equal(numpact.read_table(tmp_path / "pandas").to_pandas(), frame)
    made = pl.DataFrame({
        "c": pl.Series(["u", "v", "u"], dtype=pl.Categorical),
        "e": pl.Series(["lo", "hi", None], dtype=pl.Enum(["lo", "mid", "hi"])),
    })  # fmt: skip
    numpact.write_table(made, tmp_path / "polars")
    assert entry_of(tmp_path / "polars")["logical_type"] == "text"
    assert numpact.read_table(tmp_path / "polars").to_polars().equals(made)
    scan = numpact.scan_table(tmp_path / "polars")
    assert scan.collect_schema() == made.schema
    # An Enum is compared in the order of its categories.
    assert scan.filter(pl.col("e") > "lo").collect()["c"].to_list() == ["v"]
    assert scan.filter(pl.col("c") == "u").collect().height == 2
    other = made.with_columns(made["e"].cast(pl.Enum(["lo", "hi"])))
    with pytest.raises(numpact.TypeMismatchError, match="other categories"):
        numpact.append_table(other, tmp_path / "polars")


def test_appends_add_categories(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    numpact.write_table({"c": coded()}, folder)
    names = [str(i) for i in range(200)]
    more = pa.DictionaryArray.from_arrays(pa.array([3, None, 199], pa.int16()), names)
    numpact.append_table({"c": more}, folder)
    table = numpact.read_table(folder)
    assert dictionary_of(table) == NAMES + names
    assert table.schema.field("c").type == pa.dictionary(pa.int16(), pa.string())
    assert table.to_arrow()["c"].to_pylist() == [*coded().to_pylist(), "3", None, "199"]
    with pytest.raises(numpact.TypeMismatchError, match="'extend' converts the rows"):
        numpact.append_table({"c": ["new"]}, folder)
    numpact.append_table({"c": ["new", None]}, folder, schema="extend")
    numpact.compact_table(folder)
    table = numpact.read_table(folder)
    assert dictionary_of(table) == [*NAMES, *names, "new"]
    assert table[-2:].to_arrow()["c"].to_pylist() == ["new", None]


def test_dictionaries_that_differ_repeat_or_have_nulls(tmp_path: Path) -> None:
    parts = [
        pa.DictionaryArray.from_arrays(pa.array(places, pa.int8()), pa.array(values, pa.string()))
        for places, values in [
            ([0, 1], ["q", "p"]),
            ([0, 1, 2, 3], ["r", None, "q", "r"]),
            ([None], []),
        ]
    ]
    column = pa.chunked_array(parts)
    numpact.write_table({"c": column}, tmp_path / "t")
    table = numpact.read_table(tmp_path / "t")
    assert dictionary_of(table) == ["q", "p", "r"]
    assert table.to_arrow()["c"].to_pylist() == ["q", "p", "r", None, "q", "r", None]


def test_few_rows_and_many_categories(tmp_path: Path) -> None:
    for rows in (0, 1):
        table = pa.table({"c": coded()[:rows]})
        numpact.write_table(table, tmp_path / f"{rows}")
        assert (tmp_path / f"{rows}/c.values").exists()
        assert numpact.read_table(tmp_path / f"{rows}").to_arrow().equals(table)
    for count in (65_536, 65_537):
        table = pa.table({"c": pa.array(map(str, range(count))).dictionary_encode()})
        numpact.write_table(table, tmp_path / "many", overwrite=True)
        assert (tmp_path / "many/c.values").exists() == (count == 65_536)
        assert numpact.read_table(tmp_path / "many").to_arrow().equals(table)
    # Only all chunks together have too many: rows that were taken go back.
    parts = [
        pa.DictionaryArray.from_arrays(
            pa.array(np.arange(100), pa.int8()), [f"{k}.{i}" for i in range(100)]
        )
        for k in range(700)
    ]
    column = pa.chunked_array(parts)
    numpact.write_table({"c": column}, tmp_path / "parts")
    assert (tmp_path / "parts/c.arrow").exists()
    assert numpact.read_table(tmp_path / "parts").to_arrow()["c"].to_pylist() == column.to_pylist()


def test_the_command(tmp_path: Path) -> None:
    table = pa.table({
        "c": coded(), "o": coded(ROWS, pa.int32(), pa.large_string(), True),
        "b": coded(ROWS, pa.uint8(), pa.binary()),
    })  # fmt: skip
    fields = [field.with_metadata({"of": field.name}) for field in table.schema]
    table = table.cast(pa.schema(fields))
    pyarrow.feather.write_feather(table, tmp_path / "t.arrow", chunksize=30_000)
    numpact.write_table(table, tmp_path / "py")

    def run(*words: Any) -> str:
        command = [sys.executable, "-m", "numpact", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    run("compress", tmp_path / "t.arrow", "-o", tmp_path / "cli", "--restart", "16384")
    for file in (tmp_path / "py").iterdir():
        assert (tmp_path / "cli" / file.name).read_bytes() == file.read_bytes(), file.name
    run("decompress", tmp_path / "cli", "-o", tmp_path / "back.arrow")
    back = pyarrow.feather.read_table(tmp_path / "back.arrow")
    assert back.equals(table)
    assert back.schema.equals(table.schema, check_metadata=True)
    assert back["c"].chunk(0).dictionary.to_pylist() == NAMES
    run("compress", "--append", tmp_path / "t.arrow", "-o", tmp_path / "cli")
    numpact.append_table(table, tmp_path / "py")
    assert numpact.read_table(tmp_path / "cli").to_arrow().num_rows == 2 * ROWS
    run("verify", tmp_path / "cli")
    damaged = bytearray((tmp_path / "cli/manifest.json").read_bytes())
    at = damaged.index(b"indices=int8")
    damaged[at : at + 12] = b"indices=int9"
    (tmp_path / "cli/manifest.json").write_bytes(damaged)
    with pytest.raises(numpact.CorruptError, match="text type"):
        numpact.read_table(tmp_path / "cli")
