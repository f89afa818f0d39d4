# SPDX-License-Identifier: Apache-2.0
"""CVC files as Dask arrays, and back."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import fsspec
import numpy as np
import pytest

import numpact
import numpact.dask
from numpact import cvc

Array = np.ndarray[Any, Any]


@pytest.fixture
def vectors() -> Array:
    return np.random.default_rng(8).normal(size=(2000, 48)).astype(np.float32)


def put_file(url: str, path: Path) -> None:
    with fsspec.open(url, "wb") as file:
        file.write(path.read_bytes())


@pytest.mark.parametrize("compression", ["fp16", "int8", "lossless"])
@pytest.mark.parametrize("paged", [False, True])
def test_a_chunk_is_a_task(
    vectors: Array, tmp_path: Path, folder: str, reads: Any, compression: str, paged: bool
) -> None:
    path = tmp_path / "v.cvc"
    metadata = [{"i": i, "words": "x" * 50} for i in range(7)]
    cvc.pack_cvc(vectors, path, compression, 300, metadata, paged)
    put_file(f"{folder}/v.cvc", path)
    x = numpact.dask.from_cvc(f"{folder}/v.cvc")
    assert x.chunks == ((300,) * 6 + (200,), (48,))
    assert x.dtype == np.float32
    before = reads.bytes
    found = x[650:700].compute()
    assert (found == cvc.load_cvc(path)[650:700]).all()
    chunk = cvc.Reader(path).info.chunks[2]
    assert reads.bytes - before == chunk.payload_bytes + 8
    assert (x.compute() == cvc.load_cvc(path)).all()
    assert (pickle.loads(pickle.dumps(x))[:5].compute() == cvc.load_cvc(path)[:5]).all()


def test_one_column_fetches_its_bytes_alone(
    vectors: Array, tmp_path: Path, folder: str, reads: Any
) -> None:
    path = tmp_path / "t.cvc"
    data = {"v": vectors, "id": np.arange(2000), "q": vectors[:, :3]}
    cvc.pack_cvc_columns(data, path, {"q": "int8"}, chunk_size=500)
    put_file(f"{folder}/t.cvc", path)
    ids = numpact.dask.from_cvc(f"{folder}/t.cvc", column="id")
    before = reads.bytes
    assert (ids.compute() == data["id"]).all()
    assert ids.dtype == np.int64
    assert reads.bytes - before == 2000 * 8
    q = numpact.dask.from_cvc(f"{folder}/t.cvc", column="q")
    assert (q.compute() == cvc.load_cvc_columns(path, ["q"])["q"]).all()
    with pytest.raises(KeyError):
        numpact.dask.from_cvc(f"{folder}/t.cvc", column="none")
    with pytest.raises(KeyError, match="name one"):
        numpact.dask.from_cvc(f"{folder}/t.cvc")


FILES = Path(__file__).resolve().parents[4] / "shared" / "conformance" / "cvc"


@pytest.mark.parametrize("path", sorted(FILES.glob("[mv]*.cvc")), ids=lambda p: p.stem)
def test_conformance_files(path: Path) -> None:
    reader = cvc.Reader(path)
    with dask.config.set(scheduler="synchronous"):
        for index in range(len(reader.info.columns)):
            found = numpact.dask.from_cvc(path, column=index).compute()
            expected = reader.read(column=index)
            assert found.shape == expected.shape
            assert found.tobytes() == expected.tobytes()


def test_damage_is_found(vectors: Array, tmp_path: Path) -> None:
    path = tmp_path / "v.cvc"
    cvc.pack_cvc(vectors, path, chunk_size=1000)
    data = bytearray(path.read_bytes())
    data[-7] ^= 4
    path.write_bytes(data)
    x = numpact.dask.from_cvc(path)
    x[:1000].compute(scheduler="synchronous")
    with pytest.raises(numpact.ChecksumError, match=r"v\.cvc"):
        x.compute(scheduler="synchronous")
    path.write_bytes(data[:-100])
    with pytest.raises(numpact.TruncatedError):
        numpact.dask.from_cvc(path).compute(scheduler="synchronous")
    with pytest.raises(FileNotFoundError):
        numpact.dask.from_cvc(tmp_path / "none.cvc")
    (tmp_path / "no.cvc").write_bytes(b"no vectors")
    with pytest.raises(ValueError):
        numpact.dask.from_cvc(tmp_path / "no.cvc")


@pytest.mark.parametrize("compression", ["fp16", "int8", "lossless"])
def test_to_cvc_is_pack_cvc(vectors: Array, tmp_path: Path, compression: str) -> None:
    x = da.from_array(vectors, chunks=(300, 20))
    report = numpact.dask.to_cvc(x, tmp_path / "many.cvc", compression=compression)
    expected = cvc.pack_cvc(vectors, tmp_path / "one.cvc", compression, 300)
    assert (tmp_path / "many.cvc").read_bytes() == (tmp_path / "one.cvc").read_bytes()
    assert report == expected
    assert sorted(p.name for p in tmp_path.iterdir()) == ["many.cvc", "one.cvc"]


def test_to_cvc_in_another_store(vectors: Array, folder: str) -> None:
    x = da.from_array(vectors, chunks=(700, 48))
    with dask.config.set(scheduler="threads"):
        numpact.dask.to_cvc(x, f"{folder}/v.cvc", chunk_size=200, metadata={"a": [1]})
        back = numpact.dask.from_cvc(f"{folder}/v.cvc")
        assert back.chunks[0] == (200, 200, 200, 100) * 2 + (200, 200, 200)
        assert (back.compute() == vectors.astype(np.float16)).all()
    fs = fsspec.filesystem("memory")
    assert [p.rpartition("/")[2] for p in fs.find(folder)] == ["v.cvc"]
    with fsspec.open(f"{folder}/v.cvc") as file:
        assert cvc.Reader(file).info.metadata == {"a": [1]}


def test_damaged_parts_are_not_joined(vectors: Array, tmp_path: Path) -> None:
    """Their bytes get the checksums that they had, not new ones."""
    from numpact._remote.locations import join, locate
    from numpact.dask import _cvc

    folder, target = locate(tmp_path / "parts"), locate(tmp_path / "a.cvc")
    parts = [_cvc.write_part(vectors, join(folder, f"{i}"), "fp16", 100, i) for i in range(2)]
    settings = {"compression": "fp16", "dimension": vectors.shape[1]}
    part = tmp_path / "parts" / "1"
    sound = part.read_bytes()
    part.write_bytes(sound[:50] + bytes([sound[50] ^ 1]) + sound[51:])
    with pytest.raises(numpact.ChecksumError, match="parts/1"):
        _cvc.assemble(parts, target, folder, settings)
    assert not (tmp_path / "a.cvc").exists()
    part.write_bytes(sound)
    _cvc.assemble(parts, target, folder, settings)
    assert cvc.Reader(tmp_path / "a.cvc").verify() == []


def test_empty_blocks_and_files(vectors: Array, tmp_path: Path) -> None:
    x = da.from_array(vectors, chunks=(500, 48))
    kept = x[(da.from_array(vectors, chunks=(500, 48))[:, 0] > 100).compute()]
    assert numpact.dask.to_cvc(kept, tmp_path / "v.cvc").rows == 0
    back = numpact.dask.from_cvc(tmp_path / "v.cvc")
    assert back.shape == (0, 48)
    assert back.compute().shape == (0, 48)


def test_wrong_arguments(vectors: Array, tmp_path: Path) -> None:
    x = da.from_array(vectors, chunks=500)
    for arguments in ({"compression": "zip"}, {"chunk_size": 0}):
        with pytest.raises(numpact.InvalidArgumentError):
            numpact.dask.to_cvc(x, tmp_path / "v.cvc", **arguments)
    with pytest.raises(numpact.InvalidArgumentError):
        numpact.dask.to_cvc(x[:, 0], tmp_path / "v.cvc")
    bad = da.full((10, 4), np.nan, chunks=5)
    with pytest.raises(numpact.InvalidArgumentError):
        numpact.dask.to_cvc(bad, tmp_path / "v.cvc", compression="int8")
    assert not (tmp_path / "v.cvc").exists()


def test_folders_that_grow(vectors: Array, tmp_path: Path, folder: str) -> None:
    local = tmp_path / "grown"
    cvc.append(local, {"v": vectors[:1500], "id": np.arange(1500)}, compression="fp16")
    cvc.append(local, {"v": vectors[1500:1900], "id": np.arange(1500, 1900)})
    many = np.random.default_rng(3).normal(size=(20_000, 48)).astype(np.float32)
    cvc.append(local, {"v": many, "id": np.arange(20_000)})
    cvc.append(local, {"v": many[:10], "id": np.arange(10)})
    expected = cvc.Reader(local)
    assert len({path.name for path in local.glob("*.cvc")}) > 1
    for path in local.iterdir():
        put_file(f"{folder}/grown/{path.name}", path)
    for url in (str(local), f"{folder}/grown"):
        x = numpact.dask.from_cvc(url, column="v")
        assert x.shape == (21_910, 48)
        assert len(x.chunks[0]) == len(expected.info.chunks)
        assert (x.compute() == expected["v"]).all()
        ids = numpact.dask.from_cvc(url, column="id")
        assert (ids[-3:].compute() == [7, 8, 9]).all()
    with pytest.raises(numpact.InvalidArgumentError, match="is a folder without"):
        numpact.dask.from_cvc(str(tmp_path))


@pytest.mark.parametrize(
    ("index", "error"),
    [
        ("{", numpact.CorruptError),
        ('{"format": "x", "version": 1, "files": []}', numpact.CorruptError),
        ('{"format": "numpact cvc collection", "version": 2, "files": []}',
         numpact.UnsupportedVersionError),
        ('{"format": "numpact cvc collection", "version": 1, "files": []}',
         numpact.InvalidArgumentError),
        ('{"format": "numpact cvc collection", "version": 1, "files": [{"file": "../a.cvc"}]}',
         numpact.CorruptError),
    ],
)  # fmt: skip
def test_damaged_indices_of_folders(tmp_path: Path, index: str, error: type[Exception]) -> None:
    (tmp_path / "collection.json").write_text(index)
    with pytest.raises(error):
        numpact.dask.from_cvc(str(tmp_path))
