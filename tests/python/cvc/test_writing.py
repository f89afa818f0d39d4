# SPDX-License-Identifier: Apache-2.0
"""Writing CVC files, changing their columns, bringing old ones up to date."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import numpact
from numpact import cvc

ROOT = Path(__file__).resolve().parents[3]
SHARED = ROOT.parent / "shared" / "conformance" / "cvc"

Array = np.ndarray[Any, Any]


@pytest.fixture
def vectors() -> Array:
    return np.random.default_rng(4).normal(size=(700, 16)).astype(np.float32)


@pytest.fixture
def table(vectors: Array, tmp_path: Path) -> Path:
    path = tmp_path / "t.cvc"
    data = {"v": vectors, "id": np.arange(700) * 3, "score": vectors[:, 0]}
    cvc.pack_cvc_columns(data, path, {"v": "int8"}, chunk_size=256)
    return path


@pytest.mark.parametrize("compression", ["fp16", "int8", "lossless"])
@pytest.mark.parametrize("paged", [False, True])
def test_pack(vectors: Array, tmp_path: Path, compression: str, paged: bool) -> None:
    path = tmp_path / "v.cvc"
    report = cvc.pack_cvc(vectors, path, compression, 100, mmap_optimized=paged)
    assert report == (700, 7, path.stat().st_size, 0)
    found = cvc.load_cvc(path)
    if compression == "lossless":
        assert found.tobytes() == vectors.tobytes()
    elif compression == "fp16":
        assert (found == vectors.astype(np.float16).astype(np.float32)).all()
    else:
        assert np.abs(found - vectors).max() < 0.02
    assert cvc.Reader(path).info.is_paged is paged


def test_threads_give_the_same_file(vectors: Array, tmp_path: Path) -> None:
    files = []
    for threads in (1, 2, 5):
        path = tmp_path / f"{threads}.cvc"
        cvc.pack_cvc(vectors, path, "lossless", 64, threads=threads)
        files.append(path.read_bytes())
    assert files[0] == files[1] == files[2]


def test_overflow_is_reported(tmp_path: Path) -> None:
    values = np.array([[1.0, 1e6], [-1e6, np.inf]], np.float32)
    with pytest.warns(RuntimeWarning, match="2 finite values became infinite"):
        assert cvc.pack_cvc(values, tmp_path / "v.cvc").overflows == 2


@pytest.mark.parametrize(
    "compression", ["fp16", "bfloat16", "int8", "int8_row", "int8_dim", "int4"]
)
def test_underflow_is_reported(tmp_path: Path, compression: str) -> None:
    least = {"fp16": 1e-9, "bfloat16": 1e-41}.get(compression, 1e-45)
    values = np.array([[0.0, least], [least, 0.0], [0.0, least]], np.float32)
    with pytest.warns(RuntimeWarning, match="3 values became 0 or the least of their range"):
        report = cvc.pack_cvc(values, tmp_path / "v.cvc", compression)
    assert (report.underflows, report.overflows, report.lost) == (3, 0, 0)
    assert (cvc.Reader(tmp_path / "v.cvc")[:] == 0).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cvc.pack_cvc(values * 0 + 1, tmp_path / "v.cvc", compression).underflows == 0


def test_int8_refuses_what_it_cannot_hold(tmp_path: Path) -> None:
    path = tmp_path / "v.cvc"
    path.write_bytes(b"what was there")
    for bad in (np.nan, np.inf, -np.inf):
        values = np.ones((5, 2), np.float32)
        values[3, 1] = bad
        with pytest.raises(numpact.InvalidArgumentError):
            cvc.pack_cvc(values, path, "int8")
    assert path.read_bytes() == b"what was there"
    assert [p.name for p in tmp_path.iterdir()] == ["v.cvc"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"compression": "zip"},
        {"chunk_size": 0},
        {"chunk_size": -1},
        {"chunk_metadata": [1, 2]},
        {"vectors": np.ones(3)},
        {"vectors": np.ones((2, 2, 2))},
        {"vectors": np.ones((2, 2), complex)},
        {"vectors": [["a"]]},
    ],
    ids=str,
)
def test_wrong_arguments(vectors: Array, tmp_path: Path, arguments: dict[str, Any]) -> None:
    given = {"vectors": vectors, "output_path": tmp_path / "v.cvc", **arguments}
    with pytest.raises((ValueError, TypeError)) as caught:
        cvc.pack_cvc(**given)
    assert isinstance(caught.value, numpact.Error)
    assert not list(tmp_path.iterdir())


def test_absent_folder(vectors: Array, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        cvc.pack_cvc(vectors, tmp_path / "none" / "v.cvc")


def test_writer_takes_blocks(vectors: Array, tmp_path: Path) -> None:
    whole, blocks = tmp_path / "whole.cvc", tmp_path / "pieces.cvc"
    cvc.pack_cvc(vectors, whole, chunk_size=128)
    with cvc.Writer(blocks, chunk_size=128) as writer:
        for part in np.array_split(vectors, 11):
            writer.append(part)
    assert whole.read_bytes() == blocks.read_bytes()


def test_writer_leaves_nothing_behind(vectors: Array, tmp_path: Path) -> None:
    def write() -> None:
        with cvc.Writer(tmp_path / "v.cvc", chunk_size=10) as writer:
            writer.append(vectors)
            raise KeyError("stop")

    with pytest.raises(KeyError):
        write()
    assert not list(tmp_path.iterdir())
    writer = cvc.Writer(tmp_path / "v.cvc")
    writer.append(vectors)
    assert writer.close() == writer.close()
    with pytest.raises(ValueError, match="closed"):
        writer.append(vectors)


def test_writer_in_memory_with_metadata(vectors: Array) -> None:
    with cvc.Writer(None, metadata={"model": "m", "é": [1, None]}) as writer:
        writer.append(vectors)
    reader = cvc.Reader(writer.contents)
    assert reader.info.metadata == {"model": "m", "é": [1, None]}
    with pytest.raises(TypeError):
        cvc.Writer(None, metadata={"x": object()})


def test_inputs_of_other_shapes(vectors: Array, tmp_path: Path) -> None:
    path = tmp_path / "v.cvc"
    expected = vectors.astype(np.float16).astype(np.float32)
    for form in (
        vectors[::-1][::-1],
        np.asfortranarray(vectors),
        vectors.astype(">f4"),
        vectors.tolist(),
    ):
        cvc.pack_cvc(form, path)
        assert (cvc.load_cvc(path) == expected).all()
    cvc.pack_cvc(vectors[::2, 3:9], path, "lossless")
    assert (cvc.load_cvc(path) == vectors[::2, 3:9]).all()


def test_columns(table: Path, vectors: Array) -> None:
    found = cvc.load_cvc_columns(table)
    assert list(found) == ["v", "id", "score"]
    assert found["id"].dtype == np.int64
    assert (found["id"] == np.arange(700) * 3).all()
    assert found["score"].shape == (700,)
    assert np.abs(found["v"] - vectors).max() < 0.02
    assert list(cvc.load_cvc_columns(table, ["score"])) == ["score"]
    with pytest.raises(ValueError, match="no column"):
        cvc.load_cvc_columns(table, ["none"])
    with pytest.raises(ValueError, match="columnar"):
        cvc.load_cvc(table)


def test_columns_that_stay_keep_their_bytes(table: Path, vectors: Array, tmp_path: Path) -> None:
    before = cvc.load_cvc_columns(table)
    cvc.add_column(table, "extra", vectors[:, :3], "int8")
    cvc.rename_column(table, "id", "key")
    cvc.delete_column(table, "score")
    cvc.update_column(table, "extra", np.arange(700, dtype=np.int32))
    after = cvc.load_cvc_columns(table)
    assert list(after) == ["v", "key", "extra"]
    assert after["v"].tobytes() == before["v"].tobytes()
    assert after["key"].dtype == np.int64
    assert (after["key"] == before["id"]).all()
    assert (after["extra"] == np.arange(700)).all()
    assert [c["name"] for c in cvc.list_columns(table)] == ["v", "key", "extra"]
    assert not cvc.Reader(table).verify()
    cvc.delete_column(table, "v", tmp_path / "other.cvc")
    assert len(cvc.list_columns(table)) == 3


def test_column_changes_that_cannot_be(table: Path, vectors: Array, tmp_path: Path) -> None:
    before = table.read_bytes()
    changes = [
        lambda: cvc.add_column(table, "v", vectors),
        lambda: cvc.add_column(table, " ", vectors),
        lambda: cvc.add_column(table, "w", vectors[:5]),
        lambda: cvc.add_column(table, "w", vectors, "lossless"),
        lambda: cvc.update_column(table, "none", vectors),
        lambda: cvc.rename_column(table, "none", "x"),
        lambda: cvc.rename_column(table, "v", "id"),
        lambda: cvc.delete_column(table, "none"),
    ]
    for change in changes:
        with pytest.raises(ValueError):
            change()
    assert table.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["t.cvc"]
    alone = tmp_path / "alone.cvc"
    cvc.pack_cvc_columns({"a": vectors}, alone)
    with pytest.raises(ValueError, match="last"):
        cvc.delete_column(alone, "a")


def test_sections_of_columns(vectors: Array, tmp_path: Path) -> None:
    path = tmp_path / "s.cvc"
    parts = [
        ({"v": vectors[i : i + 100], "n": np.full(100, i)}, {"day": i % 300})
        for i in range(0, 700, 100)
    ]
    cvc.pack_cvc_sections_columnar(parts, path, chunk_size=64)
    found = cvc.load_cvc_columns(path, ["n"], section_key="day", section_value=0)
    assert sorted(set(found["n"])) == [0, 300, 600]
    cvc.add_column(path, "m", np.arange(700))
    assert len(cvc.Reader(path).info.sections) == 7


@pytest.mark.parametrize("name", ["v01_fp16", "v01_chunk_metadata", "v01_dim1"])
def test_upgrade(name: str, tmp_path: Path) -> None:
    old = SHARED / f"{name}.cvc"
    if not old.is_file():
        pytest.skip(f"{old} is missing")
    new = tmp_path / "new.cvc"
    result = cvc.upgrade_cvc(old, new)
    assert result["input_version"] == "v0.1"
    assert result["output_version"] == "v1.0"
    assert cvc.detect_version(new) == (1, 0)
    assert cvc.load_cvc(new).tobytes() == cvc.load_cvc(old).tobytes()
    assert [c.metadata for c in cvc.Reader(new).info.chunks] == [
        c.metadata for c in cvc.Reader(old).info.chunks
    ]
    assert cvc.validate_cvc_integrity(new)["valid"]
    with pytest.raises(FileExistsError):
        cvc.upgrade_cvc(old, new)
    assert cvc.validate_cvc_version(old)["needs_upgrade"]
    assert not cvc.validate_cvc_integrity(old)["valid"]


def test_validate(vectors: Array, table: Path, tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "v.cvc"
    cvc.pack_cvc(vectors, path, chunk_size=400)
    report = cvc.validate_cvc(path)
    assert report["valid"]
    assert report["num_vectors"] == 700
    assert cvc.validate_cvc(table)["valid"]
    assert cvc.validate_cvc_integrity(table)["valid"]
    details = cvc.validate_cvc_integrity(path, verbose=True)["checksum_details"]
    assert [d["vector_range"] for d in details] == [(0, 400), (400, 700)]
    assert all(d["expected_crc32"] == d["actual_crc32"] for d in details)
    assert "2 chunks" in capsys.readouterr().out
    assert not cvc.validate_cvc(__file__)["valid"]
    assert "error" in cvc.validate_cvc_version(__file__)
    with pytest.raises(FileNotFoundError):
        cvc.validate_cvc(tmp_path / "none")


def test_info_is_json(table: Path) -> None:
    assert json.loads(json.dumps(cvc.get_cvc_info(table)))["num_chunks"] == 3


def test_mapped_loader(vectors: Array, tmp_path: Path) -> None:
    path = tmp_path / "v.cvc"
    cvc.pack_cvc(vectors, path, chunk_size=300, mmap_optimized=True)
    loader = cvc.MMapCVCLoader(path)
    with pytest.raises(RuntimeError, match="open"):
        loader.load()
    with loader:
        assert loader.get_info()["mmap_optimized"]
        assert loader.load_chunk(2).shape == (100, 16)
        assert loader.load().shape == (700, 16)
        assert len(loader.get_chunk_view(0)) == 300 * 16 * 2
        for index in (3, -1):
            with pytest.raises(IndexError):
                loader.load_chunk(index)
    with pytest.raises(RuntimeError, match="open"):
        loader.get_info()


def test_rows_anywhere_in_memory(vectors: Array) -> None:
    row = vectors[:1]
    windows = np.lib.stride_tricks.as_strided(vectors, (43, 8), (4, 4))
    packed = np.zeros(20, np.dtype([("flag", "u1"), ("row", "f4", (5,))]))
    packed["row"] = vectors[:20, :5]
    scalars = np.broadcast_to(np.int64(7), (9,))
    same = np.broadcast_to(row, (30, row.shape[1]))
    for rows in [same, windows, vectors[:20][::-1], packed["row"]]:
        with cvc.Writer(None, compression="lossless", chunk_size=7) as writer:
            writer.append(rows)
        np.testing.assert_array_equal(cvc.Reader(writer.contents).read(), rows)
    with cvc.Writer(None, columns={"n": (1, "int64")}) as writer:
        writer.append({"n": scalars})
    np.testing.assert_array_equal(cvc.Reader(writer.contents).read(), scalars)
