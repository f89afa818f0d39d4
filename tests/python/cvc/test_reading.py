# SPDX-License-Identifier: Apache-2.0
"""Reading CVC files: the conformance files, parts of files, damage."""

from __future__ import annotations

import importlib.util
import json
import pickle
import struct
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from archives import unpacked
from cvc_fixtures import FOLDER, WITH_ARRAY, array_of

import numpact
from numpact import cvc


@pytest.fixture
def vectors() -> np.ndarray[Any, Any]:
    return np.random.default_rng(3).normal(size=(1000, 24)).astype(np.float32)


@pytest.fixture
def path(vectors: np.ndarray[Any, Any], tmp_path: Path) -> Path:
    target = tmp_path / "v.cvc"
    cvc.pack_cvc(vectors, target, "int8", 300, [{"part": i // 2} for i in range(4)])
    return target


def test_frameworks(path: Path) -> None:
    with pytest.raises(numpact.InvalidArgumentError, match="cupy"):
        cvc.Reader(path, framework="cupy")
    assert isinstance(cvc.Reader(path, framework="numpy").read(), np.ndarray)
    if importlib.util.find_spec("torch") is None:  # else with_torch.py says more
        with pytest.raises(ImportError, match=r"'\.\[torch\]' in a checkout"):
            cvc.Reader(path).read(framework="torch")
        with pytest.raises(ImportError, match=r"'\.\[torch\]' in a checkout"):
            cvc.Reader(path, framework="torch")


def test_there_are_files() -> None:
    assert len(WITH_ARRAY) > 40, f"{FOLDER} is missing"


@pytest.mark.parametrize("file", WITH_ARRAY, ids=lambda p: p.stem)
def test_conformance(file: Path) -> None:
    expected = array_of(file.stem)
    found = cvc.Reader(file).read(dtype="float32")
    assert found.shape == expected.shape
    assert found.tobytes() == expected.tobytes()
    out = np.empty_like(expected)
    cvc.Reader(file.read_bytes()).read(out=out, threads=2)
    assert out.tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", ["a", "b"])
def test_columns_in_an_old_frame(name: str) -> None:
    file = FOLDER / "odd_v10_columnar.cvc"
    found = cvc.load_cvc_columns(file)[name]
    expected = array_of(f"odd_v10_columnar.{name}")
    assert (found == expected).all()
    assert found.shape == expected.shape


@pytest.mark.parametrize("first,count", [(0, 0), (0, 1), (299, 2), (250, 400), (0, 1000), (999, 1)])
def test_rows(path: Path, first: int, count: int) -> None:
    reader = cvc.Reader(path)
    whole = reader.read()
    assert (reader.read(first, count) == whole[first : first + count]).all()
    assert (reader[first : first + count] == whole[first : first + count]).all()


def test_slices_are_those_of_arrays(path: Path) -> None:
    reader = cvc.Reader(path)
    whole = reader.read()
    for key in (slice(5, 900, 7), slice(None, None, -100), slice(-5, None), -1, 3, [4, 1, 4]):
        assert (reader[key] == whole[key]).all()
    with pytest.raises(IndexError):
        reader[1000]


def test_out_with_a_stride(path: Path) -> None:
    reader = cvc.Reader(path)
    buffer = np.full((1000, 40), 7, np.float32)
    reader.read(out=buffer[:, 8:32])
    assert (buffer[:, 8:32] == reader.read()).all()
    assert (buffer[:, :8] == 7).all()
    assert (buffer[:, 32:] == 7).all()


def test_out_is_checked(path: Path) -> None:
    reader = cvc.Reader(path)
    with pytest.raises(numpact.InvalidArgumentError, match="shape"):
        reader.read(out=np.empty((999, 24), np.float32))
    with pytest.raises(numpact.TypeMismatchError):
        reader.read(out=np.empty((1000, 24), np.float64))
    locked = np.empty((1000, 24), np.float32)
    locked.flags.writeable = False
    with pytest.raises(numpact.InvalidArgumentError, match="read-only"):
        reader.read(out=locked)


def test_half_precision(path: Path) -> None:
    reader = cvc.Reader(path)
    whole = reader.read()
    assert (reader.read(dtype="float16") == whole.astype(np.float16)).all()
    bits = reader.read(dtype="bfloat16").view(np.uint16)
    nearest = (
        whole.view(np.uint32).astype(np.uint64) + 0x7FFF + (whole.view(np.uint32) >> 16 & 1)
    ) >> 16
    assert (bits == nearest).all()


def test_gather(path: Path) -> None:
    reader = cvc.Reader(path)
    rows = np.random.default_rng(5).integers(0, 1000, 500)
    assert (reader.gather(rows) == reader.read()[rows]).all()
    assert reader.gather([]).shape == (0, 24)
    for bad in ([1000], [-1001], [[1]], [0.5]):
        with pytest.raises(numpact.InvalidArgumentError):
            reader.gather(bad)


def test_negative_rows_count_from_the_end(path: Path) -> None:
    reader = cvc.Reader(path)
    whole = reader.read()
    for dtype in (np.int8, np.int16, np.int64):
        assert (reader.gather(np.array([-1, 3, -100], dtype)) == whole[[-1, 3, -100]]).all()
    assert (reader[[-1000, -1]] == whole[[-1000, -1]]).all()
    assert (reader[-1] == whole[-1]).all()
    assert (reader[np.int8(-3)] == whole[-3]).all()
    with pytest.raises(numpact.InvalidArgumentError, match=r"rows\[1\] is -1001"):
        reader[[0, -1001]]
    with pytest.raises(IndexError):
        reader[-1001]


def test_iteration(path: Path) -> None:
    reader = cvc.Reader(path)
    assert (np.stack(list(reader)) == reader.read()).all()
    assert sum(1 for _ in zip(reader, range(10), strict=False)) == 10


def test_keys_of_several_columns(tmp_path: Path) -> None:
    vectors = np.random.default_rng(8).normal(size=(3000, 8)).astype(np.float32)
    cvc.pack_cvc_columns({"v": vectors, "id": np.arange(3000)}, tmp_path / "t.cvc", {"v": "none"})
    reader = cvc.Reader(tmp_path / "t.cvc")
    assert (reader["v"] == vectors).all()
    row = reader[-2]
    assert list(row) == ["v", "id"]
    assert (row["v"] == vectors[-2]).all()
    assert row["id"] == 2998
    some = reader[[5, -1]]
    assert some["id"].tolist() == [5, 2999]
    assert reader[10:20:3]["id"].tolist() == [10, 13, 16, 19]
    rows = list(reader)
    assert len(rows) == 3000
    assert rows[1500]["id"] == 1500
    assert (rows[1500]["v"] == vectors[1500]).all()


def test_codes(path: Path) -> None:
    reader = cvc.Reader(path)
    codes, runs = reader.read_codes(250, 100)
    assert codes.dtype == np.uint8
    assert [run.rows for run in runs] == [50, 50]
    steps = np.concatenate([np.full(run.rows, run.scales[0], np.float32) for run in runs])
    lows = np.concatenate([np.full(run.rows, run.mins[0], np.float32) for run in runs])
    values = codes.astype(np.float32) * steps[:, None] + lows[:, None]
    assert (values == reader.read(250, 100)).all()


def test_finding(path: Path) -> None:
    reader = cvc.Reader(path)
    assert reader.find_chunks("part", 1) == [2, 3]
    assert reader.find_chunks("part", True) == [2, 3]  # as Python compares
    assert reader.find_chunks("part", "1") == []
    assert cvc.load_cvc_range(path, metadata_key="part", metadata_value=1).shape == (400, 24)
    assert (
        cvc.load_cvc_range(path, [2, 0, 2]) == reader.read()[np.r_[600:900, :300, 600:900]]
    ).all()
    assert cvc.load_cvc_range(path, []).shape == (0, 24)
    for wrong in ({"chunk_indices": [4]}, {"metadata_key": "none"}, {"section_key": "none"}):
        with pytest.raises(ValueError, match="no"):
            cvc.load_cvc_range(path, **wrong)
    with pytest.raises(ValueError, match="one of them"):
        cvc.load_cvc_range(path, [0], metadata_key="part", metadata_value=1)


def test_sections_come_whole(vectors: np.ndarray[Any, Any], tmp_path: Path) -> None:
    # Three sections inside one chunk: the first and the last match.
    parts = [(vectors[:3], {"k": "a"}), (vectors[3:5], {"k": "b"}), (vectors[5:9], {"k": "a"})]
    path = tmp_path / "s.cvc"
    cvc.pack_cvc_sections(parts, path, "lossless")
    found = cvc.load_cvc_range(path, section_key="k", section_value="a")
    assert (found == vectors[[0, 1, 2, 5, 6, 7, 8]]).all()
    assert [s.metadata for s in cvc.Reader(path).info.sections] == [{"k": x} for x in "aba"]


def test_sections_without_metadata(vectors: np.ndarray[Any, Any], tmp_path: Path) -> None:
    path = tmp_path / "s.cvc"
    cvc.pack_cvc_sections([(vectors[:3], {"k": 1}), (vectors[3:9], None)], path)
    data = path.read_bytes()
    (size,) = struct.unpack_from("<I", data, 8)
    header = json.loads(data[12 : 12 + size])
    for section in header["sections"]:
        section.pop("metadata", None)
    text = json.dumps(header).encode()
    found = cvc.Reader(data[:8] + struct.pack("<I", len(text)) + text + data[12 + size :])
    assert [section.metadata for section in found.info.sections] == [None, None]
    assert found.find_sections("k", 1) == []
    assert (found.read() == cvc.load_cvc(path)).all()


def test_damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    chunk = cvc.Reader(path).info.chunks[1]
    assert chunk.offset is not None
    data[chunk.offset + 100] ^= 1
    path.write_bytes(data)
    whole = slice(0, 300)
    with pytest.raises(cvc.CorruptedChunkError) as caught:
        cvc.load_cvc(path)
    assert caught.value.chunk == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        filled = cvc.load_cvc(path, on_corruption="skip", fill_value=7)
    assert (filled[300:600] == 7).all()
    assert not (filled[whole] == 7).all()
    with pytest.warns(cvc.CorruptionWarning, match="chunk 1"):
        cvc.load_cvc(path, on_corruption="warn")
    reader = cvc.Reader(path)
    with pytest.warns(cvc.CorruptionWarning):
        assert len(reader.read(on_corruption="drop")) == 700
    assert [(d.chunk, d.first_row, d.rows) for d in reader.verify()] == [(1, 300, 300)]
    report = cvc.validate_cvc_integrity(path)
    assert report["corrupted_chunks"] == [1]
    assert report["corrupted_ranges"] == [(300, 600)]
    assert not report["valid"]
    with pytest.raises(numpact.InvalidArgumentError):
        cvc.load_cvc(path, on_corruption="whatever")


BAD = sorted((unpacked("cvc/bad.zip") / "bad").glob("*.cvc"))


@pytest.mark.parametrize("file", BAD, ids=lambda p: p.stem)
def test_bad_files_are_refused_or_read(file: Path) -> None:
    try:
        reader = cvc.Reader(file)
        for column in range(len(reader.info.columns)):
            reader.read(column=column)
    except numpact.Error as error:
        assert str(error)
    else:
        assert not reader.verify()


def test_life(path: Path, tmp_path: Path) -> None:
    reader = pickle.loads(pickle.dumps(cvc.Reader(path)))
    assert "1,000 rows" in repr(reader)
    with ThreadPoolExecutor(8) as pool:
        for block in pool.map(lambda i: reader.read(i * 10, 10, threads=1), range(100)):
            assert block.shape == (10, 24)
    with pytest.raises(TypeError, match="path"):
        pickle.dumps(cvc.Reader(path.read_bytes()))
    with pytest.raises(FileNotFoundError):
        cvc.load_cvc(tmp_path / "none.cvc")
    with pytest.raises(ValueError, match="CVC"):
        cvc.load_cvc(__file__)


def test_outputs_whose_rows_share_memory_are_refused(path: Path) -> None:
    reader = cvc.Reader(path)
    rows, dimension = 1000, 24
    memory = np.zeros(rows * dimension, np.float32)
    for step in (0, 4, -4 * dimension):
        start = memory[(rows - 1) * dimension :] if step < 0 else memory
        out = np.lib.stride_tricks.as_strided(start, (rows, dimension), (step, 4))
        with pytest.raises((TypeError, ValueError)):
            reader.read(out=out)
    assert not memory.any()


def test_types_of_another_byte_order_are_refused(path: Path) -> None:
    with pytest.raises(numpact.TypeMismatchError, match="machine's byte order, not as >f4"):
        cvc.Reader(path).read(dtype=">f4")
