# SPDX-License-Identifier: Apache-2.0
"""Vectors in faiss, usearch, hnswlib, Lance and Parquet: examples/python/vector_indexes.py."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import numpy.typing as npt
import pytest

from numpact import cvc

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "python"
ROWS, DIMENSION = 1000, 24


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module("vector_indexes")


@pytest.fixture
def vectors() -> npt.NDArray[np.float32]:
    random = np.random.default_rng(3)
    scales = random.uniform(0.01, 30, DIMENSION)
    return (random.normal(size=(ROWS, DIMENSION)) * scales + 5).astype(np.float32)


def packed(vectors: npt.NDArray[np.float32], path: Path, compression: str) -> Path:
    cvc.pack_cvc(vectors, path, compression, chunk_size=ROWS)
    return path


@pytest.mark.parametrize("compression", ["fp16", "int8_dim", "int4"])
@pytest.mark.parametrize("dimension", [DIMENSION, DIMENSION - 1], ids=["even", "odd"])
def test_faiss_reads_the_stored_codes(
    example: ModuleType,
    vectors: npt.NDArray[np.float32],
    tmp_path: Path,
    compression: str,
    dimension: int,
) -> None:
    pytest.importorskip("faiss", reason="faiss-cpu is not installed")
    path = packed(np.ascontiguousarray(vectors[:, :dimension]), tmp_path / "a.cvc", compression)
    index = example.to_faiss(path)
    decoded = cvc.load_cvc(path)
    found = index.reconstruct_n(0, ROWS)
    # faiss computes minimum + (q + 0.5) / steps * range, in float32.
    spread = decoded.max(axis=0) - decoded.min(axis=0) + np.abs(decoded).max(axis=0)
    assert (np.abs(found - decoded) <= 2e-6 * spread).all()
    assert index.ntotal == ROWS
    distances, rows = index.search(decoded[:50], 1)
    assert (rows[:, 0] == np.arange(50)).mean() > (0.9 if compression == "int4" else 0.99)
    assert (distances >= 0).all()
    if compression != "fp16":
        cvc.pack_cvc(vectors, tmp_path / "b.cvc", compression, chunk_size=ROWS // 4)
        with pytest.raises(ValueError, match="has 4 chunks: pack it with chunk_size=1000"):
            example.to_faiss(tmp_path / "b.cvc")


def test_usearch_has_the_bits_of_the_file(
    example: ModuleType, vectors: npt.NDArray[np.float32], tmp_path: Path
) -> None:
    pytest.importorskip("usearch", reason="usearch is not installed")
    cvc.pack_cvc(vectors, tmp_path / "a.cvc", "fp16", chunk_size=300)
    index = example.to_usearch(tmp_path / "a.cvc")
    codes, _ = cvc.Reader(tmp_path / "a.cvc").read_codes()
    kept = index.get(np.arange(ROWS), dtype="f16")
    assert np.asarray(kept).view(np.uint16).tolist() == codes.view(np.uint16).tolist()


def test_hnswlib_has_the_decoded_values(
    example: ModuleType, vectors: npt.NDArray[np.float32], tmp_path: Path
) -> None:
    pytest.importorskip("hnswlib", reason="hnswlib is not installed")
    cvc.pack_cvc(vectors, tmp_path / "a.cvc", "int8_dim", chunk_size=300)
    index = example.to_hnswlib(tmp_path / "a.cvc")
    kept = np.array(index.get_items(np.arange(ROWS)), np.float32)
    assert np.array_equal(kept, cvc.load_cvc(tmp_path / "a.cvc"))


@pytest.mark.parametrize("library", ["lance", "pyarrow"])
def test_other_formats_give_the_values_back(
    example: ModuleType, tmp_path: Path, library: str, vectors: npt.NDArray[np.float32]
) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    path = tmp_path / "a.cvc"
    cvc.pack_cvc(vectors, path, "lossless", chunk_size=300)
    through = example.through_lance if library == "lance" else example.through_parquet
    back = through(path, tmp_path)
    assert np.array_equal(cvc.load_cvc(back), vectors)


def test_the_example_runs(
    example: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["vector_indexes.py"])
    example.main()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 8
    for line in lines[1:]:
        assert "the same values" in line or "not installed" in line or float(line.split()[-1]) > 0.7
