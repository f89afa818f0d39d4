# SPDX-License-Identifier: Apache-2.0
"""Tensors, where PyTorch is installed: tests/python/packaging/test_torch.py runs this file."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import numpact
from numpact import cvc

Array = np.ndarray[Any, Any]


@pytest.fixture
def vectors() -> Array:
    return np.random.default_rng(6).normal(size=(3000, 40)).astype(np.float32)


@pytest.fixture
def path(vectors: Array, tmp_path: Path) -> Path:
    target = tmp_path / "v.cvc"
    cvc.pack_cvc(vectors, target, "int8", 700)
    return target


def same(tensor: Any, array: Array) -> bool:
    return isinstance(tensor, torch.Tensor) and bool((tensor.numpy() == array).all())


def test_every_method(path: Path) -> None:
    plain = cvc.Reader(path)
    reader = cvc.Reader(path, framework="torch")
    expected_value = plain.read()
    assert isinstance(expected_value, np.ndarray)
    assert same(reader.read(), expected_value)
    assert reader.read().dtype == torch.float32
    assert same(reader[100:900], expected_value[100:900])
    assert same(reader[7], expected_value[7])
    assert same(reader.read_chunk(1), expected_value[700:1400])
    assert same(reader.gather([2999, 1]), expected_value[[2999, 1]])
    assert same(reader[torch.tensor([5, 2])], expected_value[[5, 2]])
    assert same(
        reader.read_ranges([(0, 5), (900, 5)])[0], expected_value[[*range(5), *range(900, 905)]]
    )
    codes, runs = reader.read_codes(0, 10)
    assert same(codes, plain.read_codes(0, 10)[0])
    assert len(runs) == 1
    assert isinstance(reader.read(framework="numpy"), np.ndarray)
    assert same(plain.read(framework="torch"), expected_value)
    assert same(pickle.loads(pickle.dumps(reader)).read(0, 1), expected_value[:1])
    with pytest.raises(ValueError, match="cupy"):
        plain.read(framework="cupy")


def test_types(path: Path) -> None:
    reader = cvc.Reader(path)
    expected_value = torch.from_numpy(reader.read())
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        name = str(dtype).removeprefix("torch.")
        rounded = expected_value.to(dtype)
        for found in (
            reader.read(dtype=dtype),
            reader.read(dtype=name, framework="torch"),
            reader.gather(np.arange(3000), dtype=dtype),
        ):
            assert found.dtype == dtype
            assert torch.equal(found, rounded)
    with pytest.raises(numpact.TypeMismatchError):
        reader.read(dtype=torch.int32)


def test_into_tensors(path: Path) -> None:
    reader = cvc.Reader(path)
    expected_value = torch.from_numpy(reader.read())
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        out = torch.zeros((3000, 40), dtype=dtype)
        assert reader.read(out=out) is out
        assert torch.equal(out, expected_value.to(dtype))
        # Rows that lie apart, in place.
        wide = torch.zeros((3000, 50), dtype=dtype)
        found = reader.read(out=wide[:, :40])
        assert found.data_ptr() == wide.data_ptr()
        assert torch.equal(wide[:, :40], expected_value.to(dtype))
        assert not wide[:, 40:].any()
        few = torch.zeros((2, 40), dtype=dtype)
        assert reader.gather([2, 9], out=few) is few
        assert torch.equal(few, expected_value[[2, 9]].to(dtype))


def test_tensors_that_cannot_be_read_into(path: Path) -> None:
    reader = cvc.Reader(path)
    with pytest.raises(TypeError):
        reader.read(out=torch.zeros((3000, 40), dtype=torch.int16))
    with pytest.raises(numpact.TypeMismatchError):
        reader.read(out=torch.zeros((3000, 40)), dtype="float16")
    with pytest.raises(numpact.InvalidArgumentError, match="shape"):
        reader.read(out=torch.zeros((3000, 41)))
    with pytest.raises(numpact.InvalidArgumentError, match="gradient"):
        reader.read(out=torch.zeros((3000, 40), requires_grad=True))
    with pytest.raises(numpact.InvalidArgumentError, match="CPU"):
        reader.read(out=torch.zeros((3000, 40), device="meta"))
    with pytest.raises(TypeError, match="contiguous"):
        reader.read(out=torch.zeros((40, 3000)).T)


def test_columns_and_damage(vectors: Array, path: Path, tmp_path: Path) -> None:
    table = tmp_path / "t.cvc"
    cvc.pack_cvc_columns({"v": vectors, "id": np.arange(3000)}, table)
    v, ids = cvc.Reader(table, framework="torch").read_ranges([(10, 20)])
    assert v.shape == (20, 40)
    assert ids.dtype == torch.int64
    assert ids.tolist() == list(range(10, 30))
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    with pytest.warns(cvc.CorruptionWarning):
        left = cvc.Reader(data, framework="torch").read(on_corruption="drop")
    assert left.shape == (2800, 40)
    # The functions of `decompressed` give arrays on the CPU, whatever the framework.
    assert isinstance(cvc.load_cvc(path, framework="torch"), np.ndarray)


def test_torch_is_imported_when_it_is_asked_for(path: Path) -> None:
    code = (
        "import sys; from numpact import cvc\n"
        f"r = cvc.Reader({str(path)!r}); r.read(dtype='float16')\n"
        "assert 'torch' not in sys.modules\n"
        "r.read(framework='torch')\n"
        "assert 'torch' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("compression", ["bfloat16", "lossless", "pco"])
def test_tensors_of_bfloat16_are_stored_exactly(
    vectors: Array, tmp_path: Path, compression: str
) -> None:
    tensor = torch.from_numpy(vectors).to(torch.bfloat16)
    expected = tensor.float().numpy()
    for given, expected_value in ((tensor, expected), (tensor.t()[:9], expected.T[:9])):
        cvc.pack_cvc(given, tmp_path / "b.cvc", compression)
        assert (cvc.Reader(tmp_path / "b.cvc").read() == expected_value).all()
    reader = cvc.Reader(tmp_path / "b.cvc", framework="torch")
    assert reader.dtype is torch.float32
    assert cvc.quality(tensor.requires_grad_(), "bfloat16")["bfloat16"].max_error == 0
