# SPDX-License-Identifier: Apache-2.0
"""Tables whose columns have several parts: each way of reading gives the rows of one table."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tables_support import files_in, same

import numpact

PART = 65_536  # rows from which on a part stays as it is
SIZES = [PART, 70_001, PART + 1, 300]


def part(rows: int, seed: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    nulls = rng.random(rows) < 0.1
    words = np.array(["", "a", "bc", "ü", "longer text"])[rng.integers(0, 5, rows)]
    return pa.table(
        {
            "i": rng.integers(-1000, 1000, rows) + 5000 * seed,
            "f": pa.array(rng.normal(size=rows).round(2), mask=nulls if seed != 1 else None),
            "b": pa.array(rng.random(rows) < 0.5, mask=nulls),
            "at": pa.array(np.arange(rows) + rows * seed).cast(pa.timestamp("ms", "UTC")),
            "s": pa.array(words, mask=nulls),
            "plain": [f"{x:x}" for x in rng.integers(0, 1 << 40, rows)],
            "d": pa.array(words).dictionary_encode(),
        }
    )


PARTS = [part(rows, seed) for seed, rows in enumerate(SIZES)]


@pytest.fixture(scope="module")
def whole() -> pa.Table:
    return pa.concat_tables(PARTS).unify_dictionaries().combine_chunks()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("parts") / "t"
    numpact.write_table(PARTS[0], path, threads=1)
    for each in PARTS[1:]:
        numpact.append_table(each, path)
    return path


def test_parts_are_written(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["version"] == 4
    by_name = {entry["name"]: entry for entry in [*manifest["columns"], *manifest["others"]]}
    for name in ("i", "f", "s", "plain", "d"):
        assert len(by_name[name]["parts"]) == len(SIZES), name
    files = {part["file"] for entry in by_name.values() for part in entry.get("parts", [])}
    assert files <= {path.name for path in folder.iterdir()}


def test_all_rows(folder: Path, whole: pa.Table) -> None:
    found = numpact.read_table(folder).to_arrow()
    same(found.unify_dictionaries(), whole)
    assert pa.table(numpact.open_table(folder)).equals(whole)
    assert numpact.scan_table(folder).collect().equals(pl.from_arrow(whole))


def test_ranges_and_batches(folder: Path, whole: pa.Table) -> None:
    opened = numpact.open_table(folder)
    rng = random.Random(1)
    edges = np.cumsum([0, *SIZES])
    for _ in range(60):
        at = int(rng.choice(edges)) + rng.randrange(-3, 3)
        first = max(0, min(at, whole.num_rows))
        stop = min(whole.num_rows, first + rng.choice([0, 1, 5, 1000, 80_000]))
        assert opened.read(rows=(first, stop)).to_arrow().equals(whole[first:stop])
    made = [batch.to_arrow() for batch in opened.batches(batch_rows=50_000)]
    assert pa.concat_tables(made).equals(whole)


@pytest.mark.parametrize(
    "where, column, test",
    [
        ("i >= 9500", "i", lambda c: pc.greater_equal(c, 9500)),
        ("i in (-3, 4990, 15001)", "i", lambda c: pc.is_in(c, pa.array([-3, 4990, 15001]))),
        ("f is null", "f", pc.is_null),
        ("f = 0.25", "f", lambda c: pc.equal(c, 0.25)),
        ("b = true", "b", lambda c: c),
        ("s = 'ü'", "s", lambda c: pc.equal(c, "ü")),
        ("s is null", "s", pc.is_null),
        ("plain < '1001'", "plain", lambda c: pc.less(c, "1001")),
        ("d = 'bc'", "d", lambda c: pc.equal(c.cast(pa.string()), "bc")),
    ],
)
def test_filters(folder: Path, whole: pa.Table, where: str, column: str, test: Any) -> None:
    expected = whole.filter(test(whole[column]))
    assert 0 < expected.num_rows < whole.num_rows
    assert numpact.read_table(folder, where=where).to_arrow().equals(expected)
    found = [t.to_arrow() for t in numpact.open_table(folder).batches(where=where)]
    assert pa.concat_tables(found).equals(expected)


@pytest.mark.parametrize("is_store", [False, True])
def test_dask(folder: Path, whole: pa.Table, is_store: bool) -> None:
    dask = pytest.importorskip("numpact.dask")
    url = str(folder)
    if is_store:
        memory = pytest.importorskip("fsspec").filesystem("memory")
        memory.put(url, "/several/parts", recursive=True)
        url = "memory:///several/parts"
    expected = whole.to_pandas(types_mapper=pd_arrow)
    for size in (None, 50_000):
        frame = dask.from_pco_table(url, rows_per_partition=size, dtype_backend="pyarrow")
        found = frame.compute(scheduler="synchronous")
        assert len(found) == whole.num_rows
        for name in ("i", "f", "b", "at", "s", "plain"):
            assert (
                found[name]
                .array._pa_array.combine_chunks()
                .equals(expected[name].array._pa_array.combine_chunks())
            ), name
    found = dask.from_pco_table(url, filters=[("i", ">=", 9500)]).compute(scheduler="synchronous")
    assert len(found) == len(whole.filter(pc.greater_equal(whole["i"], 9500)))


def pd_arrow(type: pa.DataType) -> Any:
    import pandas as pd

    return pd.ArrowDtype(type)


def test_stores(folder: Path, whole: pa.Table) -> None:
    memory = pytest.importorskip("fsspec").filesystem("memory")
    memory.put(str(folder), "/several/stored", recursive=True)
    opened = numpact.open_table("memory:///several/stored")
    assert opened.to_arrow().equals(whole)
    first = PART - 10
    assert (
        opened.read(rows=(first, first + 80_000)).to_arrow().equals(whole[first : first + 80_000])
    )
    assert (
        numpact.read_table("memory:///several/stored", ["s"], where="i = 5000")
        .to_arrow()
        .equals(whole.filter(pc.equal(whole["i"], 5000)).select(["s"]))
    )


def test_damage_of_a_part_names_it(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "t")
    manifest = json.loads((tmp_path / "t/manifest.json").read_text())
    entries = {entry["name"]: entry for entry in [*manifest["columns"], *manifest["others"]]}
    for name in ("i", "plain"):
        path = tmp_path / "t" / entries[name]["parts"][1]["file"]
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
        with pytest.raises(numpact.CorruptError, match=path.name):
            numpact.read_table(tmp_path / "t", [name])
        numpact.read_table(tmp_path / "t", [name], rows=(0, PART))
    # Rows of another version of the table are no rows of this one.
    path.unlink()
    with pytest.raises(FileNotFoundError, match=path.name):
        numpact.read_table(tmp_path / "t", ["plain"])


# ---- joining ----


@pytest.mark.parametrize("threads", [1, 2])
def test_parts_are_joined(folder: Path, whole: pa.Table, tmp_path: Path, threads: int) -> None:
    shutil.copytree(folder, tmp_path / "t")
    with numpact.open_table(tmp_path / "t") as opened:
        numpact.compact_table(tmp_path / "t", threads=threads)
        assert opened.read(rows=(PART, PART + 9)).to_arrow().equals(whole[PART : PART + 9])
    manifest = json.loads((tmp_path / "t/manifest.json").read_text())
    assert all("parts" not in entry for entry in manifest["columns"])
    assert all(len(entry["parts"]) == 1 for entry in manifest["others"])
    files = {entry["file"] for entry in manifest["columns"]}
    files |= {entry["nulls"]["file"] for entry in manifest["columns"] if "nulls" in entry}
    files |= {entry["parts"][0]["file"] for entry in manifest["others"]}
    files |= {entry["values"]["file"] for entry in manifest["columns"] if "values" in entry}
    assert {path.name for path in (tmp_path / "t").iterdir()} == files | {"manifest.json"}
    same(numpact.read_table(tmp_path / "t").to_arrow(), whole)
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "t").iterdir()}
    numpact.compact_table(tmp_path / "t")  # nothing to do
    assert {path.name: path.stat().st_mtime_ns for path in (tmp_path / "t").iterdir()} == before
    numpact.append_table(PARTS[3], tmp_path / "t")
    assert numpact.open_table(tmp_path / "t").num_rows == whole.num_rows + SIZES[3]


@pytest.mark.parametrize("name", ["i", "f", "plain"])
def test_damage_is_not_joined(folder: Path, tmp_path: Path, name: str) -> None:
    shutil.copytree(folder, tmp_path / "t")
    manifest = json.loads((tmp_path / "t/manifest.json").read_text())
    entries = {entry["name"]: entry for entry in [*manifest["columns"], *manifest["others"]]}
    path = tmp_path / "t" / entries[name]["parts"][1]["file"]
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 16
    path.write_bytes(data)
    before = files_in(tmp_path / "t")
    with pytest.raises(numpact.CorruptError, match=path.name):
        numpact.compact_table(tmp_path / "t")
    assert files_in(tmp_path / "t") == before
