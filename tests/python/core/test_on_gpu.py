# SPDX-License-Identifier: Apache-2.0
"""Decompressing to a GPU returns the bits that the CPU returns. Skipped without one."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import numpact
from numpact import _device

try:
    _device.cuda_module()
except numpact.Error as problem:  # also of a broken driver
    pytest.skip(f"no GPU: {problem}", allow_module_level=True)

TYPES = [f"{kind}{size}" for kind in "uif" for size in (1, 2, 4, 8) if (kind, size) != ("f", 1)]


def walk(dtype: str, count: int) -> np.ndarray[Any, Any]:
    """A random walk, and bits of all kinds among it."""
    random = np.random.default_rng(count)
    numbers = np.cumsum(random.normal(size=count)).astype(dtype)
    places = random.random(count) < 0.01
    size = numbers.dtype.itemsize
    numbers[places] = random.integers(0, 256, int(places.sum()) * size, "u1").view(dtype)
    return numbers


def fetched(array: Any) -> np.ndarray[Any, Any]:
    """The numbers of an array on the GPU, copied by PyTorch or CuPy, as bytes."""
    if hasattr(array, "cpu"):
        torch = importlib.import_module("torch")
        result: np.ndarray[Any, Any] = array.view(torch.uint8).cpu().numpy()
    else:
        result = array.get().view(np.uint8)
    return result


@pytest.mark.parametrize("framework", ["torch", "cupy"])
@pytest.mark.parametrize("trailer", [False, True, 1024])
@pytest.mark.parametrize("dtype", TYPES)
def test_every_type(dtype: str, trailer: bool | int, framework: str) -> None:
    pytest.importorskip(framework)
    for count in (0, 1, 255, 256, 5000, 300_001):
        numbers = walk(dtype, count)
        file = numpact.compress(numbers, trailer=trailer)
        array = numpact.decompress(file, device="cuda", framework=framework)
        assert array.shape == (count,)
        assert (fetched(array) == numbers.view(np.uint8)).all()


@pytest.mark.parametrize("delta", ["none", "consecutive=2", "lookback", "conv1=8"])
@pytest.mark.parametrize("mode", ["classic", "float-mult=0.01", "float-quant=8", "dict"])
def test_modes_and_deltas(mode: str, delta: str) -> None:
    torch = pytest.importorskip("torch")
    numbers = (np.round(np.cumsum(np.random.default_rng(1).normal(size=70_000)), 2) % 37).astype(
        np.float32
    )
    file = numpact.compress(numbers, mode=mode, delta=delta, paging=20_000)
    tensor = numpact.decompress(file, device="cuda:0", framework="torch")
    assert tensor.device == torch.device("cuda:0")
    assert tensor.dtype == torch.float32
    assert (fetched(tensor) == numbers.view(np.uint8)).all()


def test_arrays_without_a_framework() -> None:
    torch = pytest.importorskip("torch")
    numbers = np.arange(100_000, dtype=np.int64) ** 2
    array = numpact.decompress(numpact.compress(numbers), device="cuda")
    assert isinstance(array, numpact.DeviceArray)
    assert array.__dlpack_device__() == (2, 0)
    assert (array.dtype, array.shape) == (numbers.dtype, numbers.shape)
    tensor = torch.from_dlpack(array)
    interface = array.__cuda_array_interface__
    assert tensor.data_ptr() == interface["data"][0]
    del array  # the tensor keeps the memory
    assert (tensor.cpu().numpy() == numbers).all()
    # PyTorch's current stream need not be the default one.
    with torch.cuda.stream(torch.cuda.Stream()):
        total = numpact.decompress(
            numpact.compress(numbers), device="cuda", framework="torch"
        ).sum()
    assert int(total) == int(numbers.sum())


def test_files_that_were_joined_warn() -> None:
    file = numpact.compress(walk("i4", 5_000))
    with pytest.warns(numpact.TrailingBytesWarning, match=rf"at byte {len(file)}: "):
        assert len(numpact.decompress(file + file, device="cuda")) == 5_000


def test_lists_of_files_and_tables(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    columns = {name: walk(name, 30_000) for name in TYPES}
    files = [numpact.compress(numbers, trailer=1024) for numbers in columns.values()]
    for numbers, tensor in zip(
        columns.values(), numpact.decompress(files, device="cuda", framework="torch"), strict=True
    ):
        assert (fetched(tensor) == numbers.view(np.uint8)).all()
    numpact.write_table(columns, tmp_path / "table")
    numpact.append_table(columns, tmp_path / "table")
    arrays = numpact.open_table(tmp_path / "table").to_device()
    for name, numbers in columns.items():
        both = np.concatenate([numbers, numbers])
        assert (fetched(torch.from_dlpack(arrays[name])) == both.view(np.uint8)).all()
    files[3] = files[3][:1000]
    with pytest.raises(numpact.Error, match="file 3"):
        numpact.decompress(files, device="cuda")


def test_damaged_files_and_limits() -> None:
    numbers = walk("i4", 50_000)
    file = bytearray(numpact.compress(numbers, trailer=1024, paging=10_000))
    with pytest.raises(numpact.LimitExceededError):
        numpact.decompress(file, device="cuda", max_output=1000)
    with pytest.raises(numpact.Error):
        numpact.decompress(file, device="cuda:99")
    with pytest.raises(numpact.TruncatedError):
        numpact.decompress(file[:1000], device="cuda")
    file[len(file) // 2] ^= 0x10
    with pytest.raises(numpact.Error) as on_cpu:
        numpact.decompress(file)
    with pytest.raises(type(on_cpu.value)):
        numpact.decompress(file, device="cuda")
