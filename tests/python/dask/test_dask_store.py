# SPDX-License-Identifier: Apache-2.0
"""numpact.dask.to_pco: blocks to files, in one step each."""

from __future__ import annotations

import os
from pathlib import Path

import dask
import dask.array as da
import numpy as np
import pytest
from dask_support import Reads
from fsspec.implementations.memory import MemoryFileSystem

import numpact
from numpact._remote.locations import Location
from numpact.dask import PcoIndex, from_pco, pco_index, to_pco


@pytest.mark.parametrize("dtype", ["f8", "i2", "M8[ms]", "m8[s]", "?", ">f4"])
def test_round_trip(tmp_path: Path, dtype: str) -> None:
    numbers = (np.arange(10_500) % 7).astype("i8").astype(dtype)
    index = to_pco(da.from_array(numbers, chunks=2000), tmp_path / "x", paging=300)
    assert sorted(os.listdir(tmp_path / "x")) == [f"part-0000{i}.pco" for i in range(6)]
    x = from_pco(tmp_path / "x", index=index)
    assert x.chunks == ((2000, 2000, 2000, 2000, 2000, 500),)
    assert x.dtype == np.dtype(dtype).newbyteorder("=")
    np.testing.assert_array_equal(x.compute(), numbers)
    # It gives the result of a walk, also from the cache.
    assert pco_index(tmp_path / "x").files == index.files
    kept = PcoIndex.from_json(index.to_json())
    y = from_pco(tmp_path / "x", by="chunk", index=kept)
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(y[1000:9000:13].compute(), numbers[1000:9000:13])


def test_object_stores(folder: str, reads: Reads) -> None:
    numbers = np.arange(3000)
    index = to_pco(da.from_array(numbers, chunks=1000), f"{folder}/x", level=2, delta="none")
    # Nothing is read back to make the index.
    assert reads.ranges == []
    assert len(index) == 3
    data = MemoryFileSystem().cat_file(f"{folder}/x/part-00001.pco")
    assert data == numpact.compress(numbers[1000:2000], level=2, delta="none")
    np.testing.assert_array_equal(from_pco(f"{folder}/x", index=index).compute(), numbers)


def test_blocks_of_unknown_length(tmp_path: Path) -> None:
    x = da.arange(1000, chunks=300)
    few = x[x % 3 == 0]
    index = to_pco(few, tmp_path)
    assert [file.count for file in index] == [100, 100, 100, 34]
    np.testing.assert_array_equal(from_pco(tmp_path).compute(), np.arange(0, 1000, 3))


def test_empty_blocks(tmp_path: Path) -> None:
    x = da.arange(100, chunks=50)
    index = to_pco(x[x >= 50], tmp_path)
    assert [file.count for file in index] == [0, 50]
    np.testing.assert_array_equal(from_pco(tmp_path, index=index).compute(), np.arange(50, 100))


def test_a_folder_with_files(tmp_path: Path) -> None:
    to_pco(da.arange(100, chunks=10), tmp_path)
    (tmp_path / "README").write_text("stays")
    with pytest.raises(FileExistsError, match="overwrite=True"):
        to_pco(da.arange(30, chunks=10), tmp_path)
    assert from_pco(tmp_path).shape == (100,)
    to_pco(da.arange(30, chunks=10), tmp_path, overwrite=True)
    np.testing.assert_array_equal(from_pco(tmp_path).compute(), np.arange(30))
    assert sorted(os.listdir(tmp_path))[0] == "README"


def test_a_task_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    """One task at a time: among threads, Dask raises while other tasks are still writing."""
    to_pco(da.arange(30, chunks=10), tmp_path)

    def fail(block: np.ndarray) -> np.ndarray:
        if block.size and block[0] >= 20:
            raise RuntimeError("lost")
        return -block

    bad = da.arange(30, chunks=10).map_blocks(fail, dtype=int)
    with dask.config.set(scheduler="synchronous"), pytest.raises(RuntimeError, match="lost"):
        to_pco(bad, tmp_path, overwrite=True)
    assert sorted(os.listdir(tmp_path)) == [f"part-0000{i}.pco" for i in range(3)]
    np.testing.assert_array_equal(numpact.open(tmp_path / "part-00002.pco")[:], np.arange(20, 30))


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    to_pco(da.arange(10, chunks=10), tmp_path)
    before = (tmp_path / "part-00000.pco").read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        to_pco(da.arange(5, chunks=10), tmp_path, overwrite=True).compute()
    assert os.listdir(tmp_path) == ["part-00000.pco"]
    assert (tmp_path / "part-00000.pco").read_bytes() == before


def test_tasks_run_twice_write_the_same(tmp_path: Path) -> None:
    later = to_pco(da.arange(30, chunks=10), tmp_path, compute=False)
    assert os.listdir(tmp_path) == []
    first = later.compute()
    files = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    again = later.compute()
    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)} == files
    assert [file.chunks for file in again] == [file.chunks for file in first]


def test_arguments(tmp_path: Path) -> None:
    with pytest.raises(numpact.InvalidArgumentError, match="one dimension"):
        to_pco(da.zeros((4, 4)), tmp_path)
    with pytest.raises(numpact.TypeMismatchError, match="complex"):
        to_pco(da.zeros(4, dtype=complex), tmp_path)
    with pytest.raises(numpact.InvalidArgumentError, match="level"):
        to_pco(da.zeros(4), tmp_path, level=13)
    with pytest.raises(numpact.InvalidArgumentError, match="mode"):
        to_pco(da.zeros(4), tmp_path, mode="best")
    assert os.listdir(tmp_path) == []


# ---- a folder that the array is read from ----


def _written(folder: Path, numbers: np.ndarray) -> None:
    to_pco(da.from_array(numbers, chunks=1000), folder)


ARRAYS = {
    "reversed": lambda x: x[::-1],
    "itself": lambda x: x,
    "rolled": lambda x: x - da.roll(x, 1000),
    "rechunked": lambda x: x.rechunk(333),
    "mapped": lambda x: x.map_blocks(lambda block: block + 1, dtype=x.dtype),
    "sorted": lambda x: da.concatenate([x[2000:], x[:2000]]),
    "with another": lambda x: da.arange(4000, chunks=1000) + x,
    "from a reduction": lambda x: x - x.mean().astype(int),
    "delayed": lambda x: da.from_delayed(x.to_delayed()[0], (1000,), x.dtype),
}


@pytest.mark.parametrize("kind", ARRAYS)
@pytest.mark.parametrize("by", ["file", "chunk"])
@pytest.mark.parametrize("compute", [True, False])
def test_a10_dask_own_source(kind: str, by: str, compute: bool, tmp_path: Path) -> None:
    numbers = np.arange(4000)
    folder = tmp_path / "x"
    _written(folder, numbers)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    array = ARRAYS[kind](from_pco(folder, by=by))
    with pytest.raises(numpact.InvalidArgumentError, match="is read from there"):
        to_pco(array, folder, overwrite=True, compute=compute)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    to_pco(array, tmp_path / "y")
    np.testing.assert_array_equal(from_pco(tmp_path / "y").compute(), array.compute())
    # Arrays in memory may go anywhere.
    kept = array.persist()
    expected = kept.compute()
    to_pco(kept, folder, overwrite=True)
    np.testing.assert_array_equal(from_pco(folder).compute(), expected)


@pytest.mark.parametrize(
    "name", ["link", "x/../x", "./x", "x/", "linked file", "dir", "file url", "hidden"]
)
def test_other_names_of_the_same_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fsspec.implementations.dirfs import DirFileSystem
    from fsspec.implementations.local import LocalFileSystem

    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "x"
    _written(folder, np.arange(4000))
    (tmp_path / "link").symlink_to(folder)
    target = name
    array = from_pco(folder)
    if name == "file url":
        target = f"file://{tmp_path}/link"
    elif name == "hidden":
        array, target = from_pco(tmp_path / "link"), str(folder)
    elif name == "linked file":
        # Files of another folder that lead there.
        (tmp_path / "y").mkdir()
        (tmp_path / "y/a.pco").symlink_to(folder / "part-00001.pco")
        array, target = from_pco(tmp_path / "y"), "x"
    elif name == "dir":
        place = Location(DirFileSystem(str(tmp_path), LocalFileSystem()), "x")
        monkeypatch.setattr("numpact.dask._store.locate", lambda *_: place)
        target = "x"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(numpact.InvalidArgumentError, match="is read from there"):
        to_pco(array, target, overwrite=True)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_files_to_write_that_lead_to_what_is_read(tmp_path: Path) -> None:
    _written(tmp_path / "x", np.arange(4000))
    (tmp_path / "y").mkdir()
    (tmp_path / "y/part-00000.pco").symlink_to(tmp_path / "x/part-00003.pco")
    with pytest.raises(numpact.InvalidArgumentError, match="is read from there"):
        to_pco(from_pco(tmp_path / "x"), tmp_path / "y", overwrite=True)


def test_a_store_s_own_source() -> None:
    MemoryFileSystem.store.clear()
    to_pco(da.arange(30, chunks=10), "memory://own/x")
    for name in ("memory://own/x", "memory:///own/x/", "memory://own/y/../x"):
        with pytest.raises(numpact.InvalidArgumentError, match="is read from there"):
            to_pco(from_pco("memory://own/x") + 1, name, overwrite=True)
    to_pco(from_pco("memory://own/x") + 1, "memory://own/z")
    assert from_pco("memory://own/z").compute().tolist() == list(range(1, 31))


def test_files_in_the_graph(tmp_path: Path) -> None:
    _written(tmp_path, np.arange(4000))
    file = numpact.open(tmp_path / "part-00000.pco")
    with pytest.raises(numpact.InvalidArgumentError, match="is read from there"):
        to_pco(da.from_array(file, chunks=100), tmp_path, overwrite=True)


def test_a_table_s_own_folder(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    from dask_support import make_table

    from numpact.dask import from_pco_table

    make_table(tmp_path / "t", 100)
    frame = from_pco_table(tmp_path / "t")
    array = frame["price"].to_dask_array(lengths=True)
    with pytest.raises(numpact.InvalidArgumentError, match="is read from there"):
        to_pco(array, tmp_path / "t", overwrite=True)
    assert len(list((tmp_path / "t").glob("*.pco"))) == 10


# ---- names that look like patterns ----

NAMES = ["a[1]", "a*", "wh?t", "[x]", "**", "a[!b]c"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("protocol", ["file", "memory"])
def test_names_are_literal_where_they_exist(name: str, protocol: str, tmp_path: Path) -> None:
    MemoryFileSystem.store.clear()
    root = f"file://{tmp_path}" if protocol == "file" else "memory://names"
    for other in ("a1", "a", "abc", "what", "x", "wh"):
        to_pco(da.arange(5, chunks=5), f"{root}/{other}")
    folder = f"{root}/{name}"
    index = to_pco(da.arange(30, chunks=10), folder)
    assert from_pco(folder).compute().tolist() == list(range(30))
    assert from_pco(f"{folder}/part-00001.pco").compute().tolist() == list(range(10, 20))
    assert pco_index(folder).files == index.files
    to_pco(da.arange(9, chunks=10), folder, overwrite=True)
    assert from_pco(folder).compute().tolist() == list(range(9))
    assert from_pco(f"{root}/a1").compute().tolist() == list(range(5))
    with pytest.raises(numpact.InvalidArgumentError, match="is read from there"):
        to_pco(from_pco(folder), folder, overwrite=True)
    with pytest.raises(FileNotFoundError):
        from_pco(f"{root}/no[1]thing")


def test_patterns_are_patterns_where_nothing_has_the_name(tmp_path: Path) -> None:
    to_pco(da.arange(30, chunks=10), tmp_path)
    assert from_pco(f"{tmp_path}/part-0000[12].pco").compute().tolist() == list(range(10, 30))


def test_a_folder_of_parts_with_a_pattern_for_a_name() -> None:
    from numpact.dask import from_cvc, to_cvc

    MemoryFileSystem.store.clear()
    fs = MemoryFileSystem()
    fs.pipe_file("/pieces/abc.cvc.parts-00000000/000000", b"of somebody else")
    vectors = da.from_array(np.ones((20, 3), "f4"), chunks=(5, 3))
    to_cvc(vectors, "memory://pieces/a*", compression="lossless")
    assert from_cvc("memory://pieces/a*").compute().shape == (20, 3)
    left = [path for path in fs.find("/pieces") if "parts" in path]
    assert left == ["/pieces/abc.cvc.parts-00000000/000000"]
