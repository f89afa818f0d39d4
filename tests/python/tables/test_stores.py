# SPDX-License-Identifier: Apache-2.0
"""Tables in stores: few requests, and files of one version."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tables_support import every_kind, same

import numpact
from numpact._remote.table_folder import FolderFiles

pytest.importorskip("fsspec")
from fsspec.implementations.memory import MemoryFileSystem

ROWS, CHUNK = 200_000, 10_000


class Store:
    """A folder in fsspec's memory, and the ranges that were read of it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ranges: list[tuple[str, int | None, int | None]] = []
        self.fs = MemoryFileSystem()
        self.path = f"/{folder.parent.name}-{random.random()}"
        self.url = f"memory:/{self.path}"
        for file in folder.iterdir():
            self.fs.pipe_file(f"{self.path}/{file.name}", file.read_bytes())
        cat_file = MemoryFileSystem.cat_file

        def counted(fs: Any, path: str, start: Any = None, end: Any = None, **rest: Any) -> Any:
            self.ranges.append((path.rpartition("/")[2], start, end))
            return cat_file(fs, path, start, end, **rest)

        monkeypatch.setattr(MemoryFileSystem, "cat_file", counted)

    def taken(self) -> dict[str, int]:
        """How many ranges of each file were read since the last call."""
        counts: dict[str, int] = {}
        for name, _, _ in self.ranges:
            counts[name] = counts.get(name, 0) + 1
        self.ranges.clear()
        return counts


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """20 columns, whose numbers do not compress, in 20 chunks."""
    rng = np.random.default_rng(5)
    table = {f"c{i}": rng.integers(0, 1 << 62, ROWS) for i in range(20)}
    table["c3"] = np.sort(table["c3"])
    folder = tmp_path / "t"
    numpact.write_table(table, folder, level=0)
    for path in folder.glob("*.pco"):
        numbers = numpact.decompress(path.read_bytes())
        path.write_bytes(numpact.compress(numbers, 0, paging=CHUNK, trailer=True))
    return Store(folder, monkeypatch)


def test_a_filter_reads_ends_and_runs_of_chunks_that_may_match(store: Store) -> None:
    whole = numpact.read_table(store.url, ["c3", "c7"]).to_arrow()
    store.taken()
    low, high = (whole["c3"][row].as_py() for row in (55_000, 84_000))
    where = f"c3 >= {low} and c3 < {high}"
    found = numpact.read_table(store.url, ["c7"], where=where, threads=1)
    assert found["c7"].combine_chunks().equals(whole["c7"][55_000:84_000].combine_chunks())
    # Of each column its end, and the chunks 5 to 8 at once.
    assert store.taken() == {"manifest.json": 1, "c3.pco": 2, "c7.pco": 2}
    assert len(numpact.read_table(store.url, ["c7"], where="c3 < 0")) == 0
    counts = store.taken()
    assert counts["c3.pco"] == 1
    assert counts["c7.pco"] <= 1


def test_rows_read_the_chunks_that_hold_them(store: Store) -> None:
    opened = numpact.open_table(store.url)
    assert store.taken() == {"manifest.json": 1}
    opened.read(["c1"], rows=(25_000, 45_000))
    assert store.taken() == {"c1.pco": 2}
    opened.read(["c1"], rows=(90_000, 90_001))
    assert store.taken() == {"c1.pco": 1}  # its end is known


def test_scans_of_polars_read_few_ranges(store: Store) -> None:
    pl = pytest.importorskip("polars")
    scan = numpact.scan_table(store.url)
    limit = int(numpact.read_table(store.url, ["c3"])["c3"][29_999].as_py())
    store.taken()
    assert scan.filter(pl.col("c3") <= limit).select("c9").collect().height == 30_000
    counts = store.taken()
    assert set(counts) == {"c3.pco", "c9.pco"}
    assert max(counts.values()) <= 2


def test_partitions_of_dask_share_what_they_know(store: Store) -> None:
    dask = pytest.importorskip("numpact.dask")
    frame = dask.from_pco_table(store.url, columns=["c1", "c2"], rows_per_partition=50_000)
    assert store.taken() == {"manifest.json": 1}
    frame.compute(scheduler="synchronous")
    # Their ends once, and a range for each of four partitions.
    assert store.taken() == {"c1.pco": 5, "c2.pco": 5}


def test_columns_of_every_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = every_kind(300)
    numpact.write_table(table, tmp_path / "t")
    store = Store(tmp_path / "t", monkeypatch)
    same(numpact.read_table(store.url).to_arrow().combine_chunks(), table)
    for where in ('"i64?" is null and text is not null', "bool = true", "text = 'a'"):
        local = numpact.read_table(tmp_path / "t", where=where).to_arrow()
        assert 0 < len(local) < 300
        same(numpact.read_table(store.url, where=where).to_arrow(), local)


def test_a_file_that_is_replaced_is_an_error(store: Store) -> None:
    opened = numpact.open_table(store.url)
    opened.read(["c1"], rows=(0, 10))
    other = store.fs.cat_file(f"{store.path}/c2.pco")
    store.fs.pipe_file(f"{store.path}/c1.pco", other)
    with pytest.raises(numpact.CorruptError, match=r"c1\.pco: was replaced or changed"):
        opened.read(["c1"], rows=(100_000, 100_010))
    assert len(opened.read(["c2"])) == ROWS


def test_errors_of_a_store_stay_what_they_are(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = numpact.open_table(store.url)

    def interrupted(self: Any, name: str) -> Any:
        raise KeyboardInterrupt(name)

    monkeypatch.setattr(FolderFiles, "open", interrupted)
    for where in (None, "c1 > 5"):
        with pytest.raises(KeyboardInterrupt, match=r"c1\.pco"):
            opened.read(["c1"], where=where)
    monkeypatch.undo()
    assert len(opened.read(["c1"])) == ROWS
    damaged = bytearray(store.fs.cat_file(f"{store.path}/c4.pco"))
    damaged[100:200] = bytes(100)
    store.fs.pipe_file(f"{store.path}/c4.pco", bytes(damaged))
    with pytest.raises(numpact.CorruptError, match=r"memory://.*/c4\.pco: column 'c4': ") as caught:
        numpact.read_table(store.url, ["c4"])
    assert caught.value.chunk == 0


def test_nulls_of_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = pa.array(np.arange(1000), mask=np.arange(1000) % 7 == 0)
    numpact.write_table({"a": values}, tmp_path / "t")
    store = Store(tmp_path / "t", monkeypatch)
    opened = numpact.open_table(store.url)
    assert opened.read(rows=(5, 30))["a"].combine_chunks().equals(values[5:30])
    assert store.taken() == {"manifest.json": 1, "a.pco": 1, "a.nulls.pco": 1}


def test_folders_that_names_exclude_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("dask.dataframe")
    from numpact.dask import from_pco_table

    fs, root = MemoryFileSystem(), f"/{random.random()}"
    for day in range(1, 29):
        folder = tmp_path / f"day=2024-02-{day:02d}"
        numpact.write_table({"x": [day, 2 * day], "s": ["a", "b"]}, folder)
        for file in folder.iterdir():
            fs.pipe_file(f"{root}/{folder.name}/{file.name}", file.read_bytes())
    asked: set[str] = set()
    for name in ("cat_file", "_open", "info"):
        call = getattr(MemoryFileSystem, name)

        def noted(fs: Any, path: str, *rest: Any, call: Any = call, **named: Any) -> Any:
            if re.search(r"/day=[^/]*/manifest.json", path):
                asked.add(path.split("/")[-2])
            return call(fs, path, *rest, **named)

        monkeypatch.setattr(MemoryFileSystem, name, noted)

    def found(filters: str) -> list[int]:
        asked.clear()
        made = from_pco_table(f"memory:/{root}", filters=filters)
        rows: list[int] = made.compute(scheduler="synchronous")["x"].tolist()
        return rows

    assert found("day = 2024-02-03 or day = 2024-02-05 and x > 5") == [3, 6, 10]
    assert asked == {"day=2024-02-03", "day=2024-02-05"}
    assert found("day > 2025-01-01") == []
    assert asked == {"day=2024-02-01"}
    assert found("day = 2024-02-03 or x = 56") == [3, 6, 56]
    assert len(asked) == 28
    # A column of the table goes before the name of its folder.
    for day in range(1, 29):
        folder = tmp_path / f"own/day=2024-02-{day:02d}"
        numpact.write_table({"x": [day], "day": ["2024-02-03" if day == 9 else ""]}, folder)
    frame = from_pco_table(tmp_path / "own", filters="day = '2024-02-03'")
    assert frame.compute(scheduler="synchronous")["x"].tolist() == [9]
