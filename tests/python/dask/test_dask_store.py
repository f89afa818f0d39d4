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
    # What it gives is what a walk finds, and survives being kept.
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
