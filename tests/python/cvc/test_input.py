# SPDX-License-Identifier: Apache-2.0
"""Inputs and choices of writers, and the types and rows of readers."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from numpact import InvalidArgumentError, cvc

Array = np.ndarray[Any, Any]


@pytest.fixture(scope="module")
def vectors() -> Array:
    return np.random.default_rng(3).normal(size=(300, 12)).astype(np.float32)


def packed(vectors: Any, path: Path, *arguments: Any, **options: Any) -> cvc.Reader:
    cvc.pack_cvc(vectors, path, *arguments, **options)
    return cvc.Reader(path)


# ---- rounding ----


@pytest.mark.parametrize("compression", ["int8_row", "int8_dim", "int4"])
def test_rounding_is_the_writers(vectors: Array, tmp_path: Path, compression: str) -> None:
    made = {}
    for rounding in ("search", "nearest"):
        path = tmp_path / rounding
        made[rounding] = packed(vectors, path, compression, rounding=rounding).read()
        with cvc.Writer(None, compression=compression, rounding=rounding) as writer:
            writer.append(vectors)
        assert writer.contents == path.read_bytes()
    default = made["search" if compression == "int4" else "nearest"]
    assert (packed(vectors, tmp_path / "v", compression).read() == default).all()
    error = {name: float(np.abs(rows - vectors).mean()) for name, rows in made.items()}
    assert error["nearest"] < error["search"]


def test_every_pack_function_takes_a_rounding(vectors: Array, tmp_path: Path) -> None:
    path = tmp_path / "v.cvc"
    expected = packed(vectors, path, "int4", rounding="nearest").read()
    cvc.pack_cvc_sections([(vectors, None)], path, "int4", rounding="nearest")
    assert (cvc.Reader(path).read() == expected).all()
    columns, choice = {"x": vectors}, {"x": "int4"}
    cvc.pack_cvc_columns(columns, path, choice, rounding="nearest")
    assert (cvc.Reader(path).read() == expected).all()
    cvc.pack_cvc_sections_columnar([(columns, None)], path, choice, rounding="nearest")
    assert (cvc.Reader(path).read() == expected).all()


# ---- bfloat16 ----


class FakeTensor:
    """The part of a tensor that numpact uses; with_torch.py in this folder has real ones."""

    def __init__(self, bits: Array, dtype: str = "torch.bfloat16") -> None:
        self.bits, self.dtype = bits, dtype

    def detach(self) -> FakeTensor:
        return self

    cpu = detach

    def view(self, dtype: str) -> FakeTensor:
        return FakeTensor(self.bits.view(dtype.removeprefix("torch.")), dtype)

    def numpy(self) -> Array:
        return self.bits


@pytest.mark.parametrize("compression", ["bfloat16", "lossless", "pco"])
def test_tensors_of_bfloat16(
    vectors: Array, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compression: str
) -> None:
    torch: Any = types.ModuleType("torch")
    torch.Tensor, torch.bfloat16, torch.int16 = FakeTensor, "torch.bfloat16", "torch.int16"
    monkeypatch.setitem(sys.modules, "torch", torch)
    bits = (vectors.view(np.uint32) >> 16).astype(np.uint16)
    expected = (bits.astype(np.uint32) << 16).view(np.float32)
    assert (packed(FakeTensor(bits), tmp_path / "v", compression).read() == expected).all()
    cvc.pack_cvc_columns({"x": FakeTensor(bits)}, tmp_path / "v", {"x": "bfloat16"})
    assert (cvc.Reader(tmp_path / "v").read() == expected).all()
    tensor: Any = FakeTensor(bits)
    report = cvc.quality(tensor, "bfloat16")
    assert (report.dtype, report["bfloat16"].max_error) == ("bfloat16", 0)
    assert report["bfloat16"].ratio == pytest.approx(bits.nbytes / report["bfloat16"].bytes)


# ---- types ----


def test_dtype_is_that_of_reading(vectors: Array, tmp_path: Path) -> None:
    for compression in ("fp16", "int8", "pco", "bfloat16"):
        reader = packed(vectors, tmp_path / "v", compression)
        assert reader.dtype == np.float32
        assert reader.dtype == reader.read().dtype
    for dtype in ("int8", "uint8", "int32", "int64"):
        cvc.pack_cvc_columns({"x": np.arange(5, dtype=dtype)}, tmp_path / "v")
        reader = cvc.Reader(tmp_path / "v")
        assert reader.dtype == dtype == reader.read().dtype
    cvc.pack_cvc_columns({"x": vectors, "id": np.arange(300)}, tmp_path / "v")
    assert cvc.Reader(tmp_path / "v").dtype == [("x", "f4", (12,)), ("id", "i8")]


# ---- rows ----


def test_masks_select_rows(vectors: Array, tmp_path: Path) -> None:
    reader = packed(vectors, tmp_path / "v", "lossless")
    mask = vectors[:, 0] > 0.5
    assert (reader[mask] == vectors[mask]).all()
    assert (reader.gather(mask) == vectors[mask]).all()
    assert (reader[mask.tolist()] == vectors[mask]).all()
    assert reader[np.zeros(300, bool)].shape == (0, 12)
    assert (reader[np.ones(300, bool)] == vectors).all()
    for wrong in (mask[:-1], mask.tolist()[:-1], mask.reshape(2, -1)):
        with pytest.raises(InvalidArgumentError, match="a value for each of the 300 rows"):
            reader[wrong]
    with pytest.raises(InvalidArgumentError, match="integers"):
        reader.gather([1, True])


@pytest.mark.parametrize("dtype", [np.int64, np.int16, np.uint64, None])
def test_gather_names_the_row(vectors: Array, tmp_path: Path, dtype: Any) -> None:
    reader = packed(vectors, tmp_path / "v")
    rows: Any = [0, 299, 300, 5]
    if dtype is not None:
        rows = np.array(rows, dtype)
    with pytest.raises(InvalidArgumentError, match=r"rows\[2\] is 300: the file has rows 0 to 299"):
        reader.gather(rows)
    with pytest.raises(InvalidArgumentError, match=r"rows\[1\] is -301: "):
        reader[[4, -301]]
    with pytest.raises(IndexError, match="row 300 of a file of 300 rows"):
        reader[300]
    empty = packed(vectors[:0], tmp_path / "empty")
    with pytest.raises(InvalidArgumentError, match=r"rows\[0\] is 0: the file has no rows"):
        empty.gather([0])


def test_unknown_names_list_the_known(vectors: Array, tmp_path: Path) -> None:
    path = tmp_path / "v.cvc"
    reader = packed(vectors, path)
    known = "fp16, int8, lossless, none, bfloat16, int4, int8_row, int8_dim, pco"
    known += ", rot1, rot2, rot3, rot4"
    with pytest.raises(InvalidArgumentError, match=f"unknown compression 'int7': {known}"):
        cvc.pack_cvc(vectors, path, "int7")
    with pytest.raises(
        InvalidArgumentError, match="unknown rounding 'up': auto, search or nearest"
    ):
        cvc.pack_cvc(vectors, path, rounding="up")
    with pytest.raises(InvalidArgumentError, match=r"unknown version '3.0': 0.1, 1.0 or 2.0"):
        cvc.Writer(path, version="3.0")
    with pytest.raises(InvalidArgumentError, match="unknown on_corruption 'skip': raise, fill or"):
        reader.read(on_corruption="skip")
    with pytest.raises(InvalidArgumentError, match="unknown framework 'jax': 'numpy', 'torch' or"):
        reader.read(framework="jax")
    with pytest.raises(InvalidArgumentError, match="unknown backend 'rocm': auto, cpp, python, cu"):
        cvc.Reader(path, backend="rocm")
    with pytest.raises(InvalidArgumentError, match=r"unknown columns \['y'\]: .* are \['x'\]"):
        cvc.pack_cvc_columns({"x": vectors}, path, {"y": "int8"})
    assert (reader.read() == cvc.Reader(path).read()).all()


# ---- single rows of pco ----


def pco_grid(path: Path) -> tuple[int, int]:
    """Dimensions of a group and rows of a page, from the head of the first payload."""
    offset = cvc.Reader(path).info.chunks[0].offset
    assert offset is not None
    group, _, page_rows = np.frombuffer(path.read_bytes(), "<u4", 3, offset + 8 + 4)
    return int(group), int(page_rows)


def test_pco_stores_embeddings_by_row(tmp_path: Path) -> None:
    # By dimension, a single row takes a page of every dimension to decode.
    rng = np.random.default_rng(4)
    path = tmp_path / "v.cvc"
    rows = rng.normal(size=(2000, 200)) * rng.uniform(0.9, 1.1, 200)
    cvc.pack_cvc(rows.astype(np.float32), path, "pco")
    group, page_rows = pco_grid(path)
    assert group == 200
    assert group * page_rows <= 1 << 14
    # Where dimensions differ much, storing them apart still saves more than it costs.
    rows = rng.integers(0, 9, (2000, 40)) * 2.0 ** np.arange(40)
    cvc.pack_cvc(rows.astype(np.float32), path, "pco")
    assert pco_grid(path)[0] == 1
