# SPDX-License-Identifier: Apache-2.0
"""Datasets with an index: few requests, and an index that is not of the folders is an error."""

from __future__ import annotations

import datetime
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from counting import CountingFileSystem, counting_store, taken, upload

import numpact
from numpact._remote import table_folder
from numpact.dask import from_pco_table, to_pco_table

FOLDERS, ROWS = 60, 500
DAY = datetime.date(2024, 1, 1)


@pytest.fixture(autouse=True)
def in_this_thread() -> Iterator[None]:
    with dask.config.set(scheduler="synchronous"):
        yield


def name_of(folder: int) -> str:
    return f"day={DAY + datetime.timedelta(folder)}"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """60 folders, whose ids follow each other."""
    root = tmp_path_factory.mktemp("dataset") / "trips"
    rng = np.random.default_rng(7)
    for folder in range(FOLDERS):
        ids = np.arange(folder * ROWS, (folder + 1) * ROWS)
        table = {
            "id": ids,
            "price": rng.integers(0, 1 << 62, ROWS),
            "at": (ids * 1_000_000).astype("datetime64[us]"),
            "qty": pa.array(ids % 7, mask=ids % 5 == 0),
            "zone": pa.array([("n", "s")[i % 2] for i in range(ROWS)]),
        }
        numpact.write_table(table, root / name_of(folder))
    return root


@pytest.fixture
def store() -> CountingFileSystem:
    return counting_store()


def indexed(made: Path, tmp_path: Path) -> Path:
    root = tmp_path / "trips"
    shutil.copytree(made, root)
    assert numpact.index_dataset(root) == FOLDERS
    return root


def test_without_an_index_each_manifest_is_a_request(made: Path, store: CountingFileSystem) -> None:
    upload(store, made, "/b/t")
    frame = from_pco_table("counting://b/t")
    assert len(taken(store)) <= FOLDERS + 2
    assert frame.divisions[-1] + 1 == FOLDERS * ROWS
    store.requests.clear()
    named = from_pco_table("counting://b/t", ["id"], "day = 2024-01-05")
    assert len(taken(store)) <= 3
    assert named.compute()["id"].tolist() == list(range(4 * ROWS, 5 * ROWS))


def test_with_an_index_a_dataset_opens_by_two_requests(
    made: Path, tmp_path: Path, store: CountingFileSystem
) -> None:
    upload(store, indexed(made, tmp_path), "/b/t")
    frame = from_pco_table("counting://b/t")
    assert [kind for kind, _ in taken(store)] == ["list", "get"]
    assert list(frame.columns) == ["id", "price", "at", "qty", "zone", "day"]
    # The arguments of dd.read_parquet, in this order.
    named = from_pco_table("counting://b/t", ["id", "day"], "day = 2024-01-05")
    assert named.compute()["id"].tolist() == list(range(4 * ROWS, 5 * ROWS))
    requests = taken(store)
    assert len(requests) <= 4
    assert {path for _, path in requests} == {
        "/b/t", "/b/t/dataset.json", "/b/t/day=2024-01-05/id.pco"
    }  # fmt: skip
    same(frame.compute(), from_pco_table(made).compute())
    # A file is a request; those of nulls and of texts are files, too.
    assert sorted({kind for kind, _ in taken(store)}) == ["get"]


def test_ranges_exclude_folders(made: Path, tmp_path: Path, store: CountingFileSystem) -> None:
    root = indexed(made, tmp_path)
    upload(store, root, "/b/t")
    for filters, days in {
        "id >= 2100 and id < 2103": {4},
        "id = 7 or id = 999": {0, 1},
        "at >= '1970-01-01T08:19:59'": {59},
        "id < 0": set(),
        "qty is null and id >= 29500": {59},
        "id >= 29000 and day < '2024-01-10'": set(),
    }.items():
        expected = from_pco_table(made, ["id", "qty"], filters).compute()
        store.requests.clear()
        found = from_pco_table("counting://b/t", ["id", "qty"], filters).compute()
        touched = {path.split("/")[3] for _, path in taken(store) if path.count("/") > 3}
        assert touched == {name_of(day) for day in days}, filters
        same(found, expected)
        same(from_pco_table(root, ["id", "qty"], filters).compute(), expected)


def test_a_filter_takes_no_more_requests_than_all_rows(
    tmp_path: Path, store: CountingFileSystem
) -> None:
    rng = np.random.default_rng(3)
    rows = 300_000
    table = {name: rng.random(rows) for name in ("a", "b", "c")}
    table["n"] = pa.array(rng.integers(0, 1000, rows), mask=rng.random(rows) < 0.1)
    numpact.write_table(table, tmp_path / "t", level=1)
    upload(store, tmp_path / "t", "/b/t")

    def requests(**options: Any) -> tuple[int, int]:
        frame = from_pco_table("counting://b/t", rows_per_partition=110_000, **options)
        table_folder._readers.clear()
        store.requests.clear()
        found = frame.compute()
        return len(taken(store)), len(found)

    most, _ = requests()
    for filters in ("a < 0.5", "a < 0.0001 or n is null"):
        asked, matching = requests(filters=filters)
        assert asked <= most
        assert 0 < matching < rows


def same(one: pd.DataFrame, other: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(one, other)


def test_frames_are_indexed_when_they_are_written(
    tmp_path: Path, store: CountingFileSystem
) -> None:
    values = pd.DataFrame({"a": np.arange(90), "s": ["x", None, "y"] * 30, "l": [[1]] * 90})
    frame = dd.from_pandas(values, npartitions=3)
    to_pco_table(frame, "counting://b/t")
    to_pco_table(frame, tmp_path / "t")
    assert sorted(p.name for p in tmp_path.glob("t/*"))[0] == "dataset.json"
    of_store = store.cat_file("/b/t/dataset.json")
    assert of_store == (tmp_path / "t/dataset.json").read_bytes()
    # Made anew, it is the same.
    numpact.index_dataset("counting://b/t")
    numpact.index_dataset(tmp_path / "t")
    assert of_store == store.cat_file("/b/t/dataset.json")
    assert of_store == (tmp_path / "t/dataset.json").read_bytes()
    store.requests.clear()
    found = from_pco_table("counting://b/t")
    assert len(taken(store)) == 2
    assert found.compute()["a"].tolist() == list(range(90))
    to_pco_table(frame.repartition(npartitions=2), tmp_path / "t", overwrite=True)
    assert len(from_pco_table(tmp_path / "t")) == 90
    # Tables that were there before stay in the index.
    (tmp_path / "t/part-00001").rename(tmp_path / "t/part-5")
    shutil.rmtree(tmp_path / "t/part-00000")
    to_pco_table(frame, tmp_path / "u")
    shutil.copytree(tmp_path / "t/part-5", tmp_path / "u/k=1")
    numpact.index_dataset(tmp_path / "u")
    to_pco_table(frame, tmp_path / "u", overwrite=True)
    paths = json.loads((tmp_path / "u/dataset.json").read_text())["folders"]
    assert [entry["path"] for entry in paths] == ["k=1", *(f"part-0000{i}" for i in range(3))]


def test_folders_that_the_index_does_not_have(made: Path, tmp_path: Path) -> None:
    root = tmp_path / "trips"
    for day in range(3):
        shutil.copytree(made / name_of(day), root / name_of(day))
    numpact.index_dataset(root)
    shutil.copytree(made / name_of(3), root / name_of(3))
    with pytest.raises(numpact.InvalidArgumentError, match=r"dataset.json.*day=2024-01-04"):
        from_pco_table(root)
    assert len(from_pco_table(root, ignore_index=True)) == 4 * ROWS
    shutil.rmtree(root / name_of(3))
    shutil.rmtree(root / name_of(1))
    with pytest.raises(FileNotFoundError, match=r"dataset.json.*day=2024-01-02"):
        from_pco_table(root)
    assert len(from_pco_table(root, ignore_index=True)) == 2 * ROWS
    numpact.index_dataset(root)
    assert len(from_pco_table(root)) == 2 * ROWS


@pytest.mark.parametrize("where", ["local", "store"])
def test_tables_that_changed_after_they_were_indexed(
    made: Path, tmp_path: Path, store: CountingFileSystem, where: str
) -> None:
    root = tmp_path / "trips"
    for day in range(2):
        shutil.copytree(made / name_of(day), root / name_of(day))
    numpact.index_dataset(root)
    rows = numpact.read_table(root / name_of(1), rows=(0, 3)).to_arrow()
    numpact.append_table(rows, root / name_of(1))
    upload(store, root, "/b/t")
    with pytest.raises(numpact.CorruptError, match=r"day=2024-01-02.*numpact index"):
        from_pco_table(root if where == "local" else "counting://b/t")


def test_bytes_of_a_store_are_compared_with_the_index(
    made: Path, tmp_path: Path, store: CountingFileSystem
) -> None:
    root = tmp_path / "trips"
    rng = np.random.default_rng(1)
    for day in range(2):
        table = {
            "big": rng.integers(0, 1 << 62, 20_000),
            "null": pa.array(np.arange(20_000), mask=np.arange(20_000) % 3 == 0),
            "text": pa.array(["n", "s"] * 10_000),
            "list": pa.array([[i] for i in range(20_000)]),
        }
        numpact.write_table(table, root / name_of(day))
    numpact.index_dataset(root)
    upload(store, root, "/b/t")
    frame = from_pco_table("counting://b/t", rows_per_partition=20_000)
    expected = frame.compute()
    for name in ("big.pco", "null.pco", "null.nulls.pco", "text.pco", "text.values", "list.arrow"):
        path = f"/b/t/{name_of(1)}/{name}"
        data = store.cat_file(path)
        for at in (len(data) // 2, len(data) - 20):
            changed = bytearray(data)
            changed[at] ^= 16
            store.pipe_file(path, bytes(changed))
            table_folder._readers.clear()  # which keep what they have read
            with pytest.raises(numpact.CorruptError):
                frame[name.partition(".")[0]].compute()
        # Another file of the same size, whole in itself.
        other = store.cat_file(f"/b/t/{name_of(0)}/{name}")
        if len(other) == len(data) and other != data:
            store.pipe_file(path, other)
            table_folder._readers.clear()
            with pytest.raises(numpact.CorruptError):
                frame[name.partition(".")[0]].compute()
        store.pipe_file(path, data[:-1])
        with pytest.raises(numpact.CorruptError, match=r"numpact index|bytes"):
            from_pco_table("counting://b/t", [name.partition(".")[0]]).compute()
        store.pipe_file(path, data)
    same(frame.compute(), expected)


def test_a_file_that_is_gone_is_named(
    made: Path, tmp_path: Path, store: CountingFileSystem
) -> None:
    upload(store, indexed(made, tmp_path), "/b/t")
    store.rm_file(f"/b/t/{name_of(7)}/price.pco")
    assert len(from_pco_table("counting://b/t", ["id"])) == FOLDERS * ROWS
    with pytest.raises(FileNotFoundError, match=r"day=2024-01-08/price.pco"):
        from_pco_table("counting://b/t", ["price"])


def test_lists_of_folders_and_patterns_need_no_index(made: Path, tmp_path: Path) -> None:
    root = indexed(made, tmp_path)
    (root / "dataset.json").write_text("no index")
    with pytest.raises(numpact.CorruptError, match=r"dataset.json: no JSON"):
        from_pco_table(root)
    found: Any = from_pco_table(f"{root}/day=2024-01-0*", ["id"])
    assert len(found) == 9 * ROWS
    assert len(from_pco_table([root / name_of(0), root / name_of(1)], ["id"])) == 2 * ROWS


def test_the_index_is_json_with_a_line_for_each_table(made: Path, tmp_path: Path) -> None:
    text = (indexed(made, tmp_path) / "dataset.json").read_text()
    document = json.loads(text)
    assert (document["format"], document["version"]) == ("numpact-dataset", 1)
    assert [entry["path"] for entry in document["folders"]] == list(map(name_of, range(FOLDERS)))
    assert len(document["schemas"]) == 1
    assert len(text.splitlines()) == FOLDERS + 2


def test_names_follow_what_is_read(made: Path, tmp_path: Path, store: CountingFileSystem) -> None:
    root = tmp_path / "trips"
    for day in range(2):
        shutil.copytree(made / name_of(day), root / name_of(day))
    numpact.index_dataset(root)
    upload(store, root, "/b/t")

    def name(*args: Any, **options: Any) -> str:
        return str(from_pco_table("counting://b/t", *args, **options)._name)

    before = name()
    others = [
        name(["id"]),
        name(["price"]),
        name(None, "id >= 7"),
        name(None, "id < 0"),
        name(dtype_backend="pyarrow"),
        name(max_output=1 << 20),
        name(rows_per_partition=100),
        str(from_pco_table(root)._name),
    ]
    assert len({before, *others}) == len(others) + 1
    assert name() == before
    shutil.rmtree(root / name_of(1))
    shutil.copytree(made / name_of(2), root / name_of(1))
    numpact.index_dataset(root)
    upload(store, root, "/b/t")
    assert name() != before
    assert name(["zone"]) == name(["zone"])
