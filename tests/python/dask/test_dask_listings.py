# SPDX-License-Identifier: Apache-2.0
"""Listings that a file system keeps, and files that an index names and that are gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import dask
import dask.array as da
import dask.dataframe as dd
import fsspec
import numpy as np
import pandas as pd
import pytest
from fsspec.implementations.memory import MemoryFileSystem

import numpact
import numpact.dask
from numpact.dask import from_cvc, from_pco, from_pco_table, pco_index, to_cvc, to_pco, to_pco_table


class KeptFileSystem(MemoryFileSystem):
    """A store whose listings and attributes are kept until the cache is invalidated."""

    protocol = "kept"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    cachable = True
    #: Writes of other processes go through another object of the class, which has its own cache.
    listings: dict[str, Any]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.listings = {}

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(super()._strip_protocol(path.replace("kept://", "memory://")))

    def ls(self, path: str, detail: bool = True, **options: Any) -> list[Any]:
        key = self._strip_protocol(path)
        if key not in self.listings:
            try:
                self.listings[key] = super().ls(path, True)
            except FileNotFoundError:
                self.listings[key] = None
        found = self.listings[key]
        if found is None:
            raise FileNotFoundError(path)
        return list(found) if detail else [entry["name"] for entry in found]

    def info(self, path: str, **options: Any) -> dict[str, Any]:
        key = self._strip_protocol(path)
        parent = key.rpartition("/")[0]
        if self.listings.get(parent) is not None:
            for entry in self.listings[parent]:
                if entry["name"] == key:
                    return dict(entry)
            raise FileNotFoundError(path)
        found: dict[str, Any] = super().info(path)
        return found

    def exists(self, path: str, **options: Any) -> bool:
        try:
            self.info(path)
        except FileNotFoundError:
            return False
        return True

    def isdir(self, path: str) -> bool:
        try:
            return bool(self.info(path)["type"] == "directory")
        except FileNotFoundError:
            return False

    def invalidate_cache(self, path: str | None = None) -> None:
        self.listings.clear()


@pytest.fixture
def client() -> Iterator[KeptFileSystem]:
    """The client's object of the store; tasks use another one, as other processes do."""
    fsspec.register_implementation("kept", KeptFileSystem, clobber=True)
    KeptFileSystem.clear_instance_cache()
    KeptFileSystem.store.clear()
    KeptFileSystem.pseudo_dirs[:] = [""]
    made = fsspec.filesystem("kept")
    made.pipe_file("/b/there", b"")
    with dask.config.set(scheduler=in_other_threads):
        yield made


def in_other_threads(graph: Any, keys: Any, **options: Any) -> Any:
    """A scheduler whose tasks see copies of the file systems, without their caches."""
    import cloudpickle

    mine = list(KeptFileSystem._cache.values())
    KeptFileSystem._cache.clear()
    try:
        graph, keys = cloudpickle.loads(cloudpickle.dumps((graph, keys)))
        return dask.get(graph, keys)
    finally:
        KeptFileSystem._cache.clear()
        for fs in mine:
            KeptFileSystem._cache[fs._fs_token] = fs


def look(client: KeptFileSystem) -> None:
    """Fills the client's cache with what is there now."""
    for path in ("/b", "/b/a", "/b/t", "/b/t/part-00000"):
        if MemoryFileSystem.isdir(client, path):
            client.ls(path)
    client.ls("/b")


NUMBERS = np.arange(40.0) + 0.5


def test_what_was_just_written_is_found(client: KeptFileSystem) -> None:
    look(client)
    x = da.from_array(NUMBERS, chunks=10)
    index = to_pco(x, "kept://b/a")
    assert client.exists("/b/a/part-00003.pco"), "listings of the caller"
    look(client)
    index.save("kept://b/index.json")
    assert client.exists("/b/index.json")
    look(client)
    for paths in ("kept://b/a", "kept://b/a/*.pco", [file.url for file in index]):
        for options in ({}, {"index": "kept://b/index.json"}):
            assert from_pco(paths, **options).shape == (40,)
            look(client)
    # Written by another process, which changes a file that the client has listed.
    other = KeptFileSystem(skip_instance_cache=True)
    other.pipe_file("/b/a/part-00002.pco", numpact.compress(np.arange(3.0)))
    assert from_pco("kept://b/a").shape == (33,)
    look(client)
    other.pipe_file("/b/a/part-00002.pco", numpact.compress(np.arange(4.0)))
    assert from_pco("kept://b/a/part-00002.pco").shape == (4,)
    look(client)
    assert [file.count for file in pco_index("kept://b/a")] == [10, 10, 4, 10]
    look(client)
    to_pco(x[:20], "kept://b/a", overwrite=True)
    found = sorted(client.ls("/b/a", detail=False))
    assert found == [f"/b/a/part-0000{i}.pco" for i in range(2)]


def test_tables_that_were_just_written(client: KeptFileSystem) -> None:
    frame = dd.from_pandas(pd.DataFrame({"a": NUMBERS, "s": ["x"] * 40}), npartitions=2)
    look(client)
    to_pco_table(frame, "kept://b/t")
    assert client.exists("/b/t/part-00001")
    look(client)
    for source in ("kept://b/t", "kept://b/t/part-*", "kept://b/t/part-00001"):
        assert len(from_pco_table(source).compute()) == (20 if source.endswith("1") else 40)
        look(client)
    later = to_pco_table(frame, "kept://b/u", compute=False)
    with pytest.raises(FileNotFoundError):
        from_pco_table("kept://b/u")
    later.compute()
    assert len(from_pco_table("kept://b/u").compute()) == 40


def test_vectors_that_were_just_written(client: KeptFileSystem) -> None:
    look(client)
    to_cvc(da.from_array(NUMBERS.reshape(20, 2), chunks=(5, 2)), "kept://b/v.cvc")
    assert client.exists("/b/v.cvc")
    look(client)
    KeptFileSystem(skip_instance_cache=True).pipe_file("/b/v.cvc", client.cat_file("/b/v.cvc"))
    assert from_cvc("kept://b/v.cvc").shape == (20, 2)


# ---- files that an index names ----


def test_a_file_that_the_index_names_is_gone(tmp_path: Path) -> None:
    index = to_pco(da.arange(100, chunks=10), tmp_path / "x")
    index.save(tmp_path / "x.json")
    (tmp_path / "x/part-00003.pco").rename(tmp_path / "kept")
    for paths in (tmp_path / "x", f"{tmp_path}/x/*.pco", f"{tmp_path}/**/part-?????.pco"):
        for by in ("file", "chunk"):
            with pytest.raises(FileNotFoundError, match=r"part-00003\.pco"):
                from_pco(paths, by=by, index=tmp_path / "x.json")
    # What is not asked for does not matter.
    for paths in ([tmp_path / "x/part-00001.pco"], f"{tmp_path}/x/part-00000.p*"):
        assert from_pco(paths, index=index).shape == (10,)
    assert from_pco(f"{tmp_path}/x/*[124].pco", index=index).shape == (30,)
    # An index is made anew from what is there.
    assert from_pco(tmp_path / "x", index=pco_index(tmp_path / "x", known=index)).shape == (90,)
    (tmp_path / "kept").rename(tmp_path / "x/part-00003.pco")
    assert from_pco(tmp_path / "x", index=tmp_path / "x.json").shape == (100,)


def test_a_file_of_a_table_that_the_index_names_is_gone(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": np.arange(30), "b": np.arange(30) * 2})
    to_pco_table(dd.from_pandas(frame, npartitions=3), tmp_path / "t")
    index = pco_index(f"{tmp_path}/t/part-*/*.pco")
    sources: list[Any] = [tmp_path / "t", f"{tmp_path}/t/part-*", f"{tmp_path}/*/part-0*"]
    for source in sources:
        assert len(from_pco_table(source, index=index, rows_per_partition=7)) == 30
    (tmp_path / "t/part-00001").rename(tmp_path / "kept")
    for source in sources:
        with pytest.raises(FileNotFoundError, match="part-00001"):
            from_pco_table(source, index=index)
    some = [tmp_path / "t/part-00000", tmp_path / "t/part-00002"]
    assert len(from_pco_table(some, index=index)) == 20
    (tmp_path / "kept").rename(tmp_path / "t/part-00001")
    (tmp_path / "t/part-00001/b.pco").unlink()
    with pytest.raises(FileNotFoundError, match=r"part-00001/b\.pco"):
        from_pco_table(tmp_path / "t", index=index)
    files = {name: f"{tmp_path}/t/part-*/{name}.pco" for name in "ab"}
    with pytest.raises(FileNotFoundError, match=r"part-00001/b\.pco"):
        from_pco_table(files, index=index)
    assert len(from_pco_table({"a": files["a"]}, index=index)) == 30


def test_an_index_of_another_store_says_nothing(tmp_path: Path) -> None:
    index = to_pco(da.arange(100, chunks=10), "memory://listings/x")
    MemoryFileSystem().rm("/listings", recursive=True)
    to_pco(da.arange(10, chunks=10), tmp_path / "x")
    with pytest.raises(numpact.InvalidArgumentError, match="not in the index"):
        from_pco(tmp_path / "x", index=index)
