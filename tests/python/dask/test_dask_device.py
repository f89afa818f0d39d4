# SPDX-License-Identifier: Apache-2.0
"""Dask arrays whose blocks a GPU decodes, with stand-ins for CuPy and the extension for CUDA."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import dask
import dask.array  # before there is a CuPy, whose arrays it would register
import numpy as np
import pytest
from gpu_stand_in import FakeArray, exported

import numpact
from numpact import _core, _device
from numpact.dask import from_pco, pco_index


@pytest.fixture
def devices(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The device of each call of an extension that decodes on the CPU."""
    calls: list[int] = []

    def pco_decompress(arrays: list[list[Any]], device: int, **options: Any) -> list[Any]:
        calls.append(device)
        ((file,),) = arrays
        limit, on_end = options["max_output"], options["on_end"]
        numbers = _core.decompress(file, 1, max_output=limit, on_end=on_end)
        return [exported(numbers)]

    cupy: Any = ModuleType("cupy")
    cupy.ndarray = FakeArray
    cupy.empty = lambda shape, dtype: np.empty(shape, dtype).view(FakeArray)
    cupy.from_dlpack = lambda array: np.from_dlpack(array).view(FakeArray)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    module = SimpleNamespace(pco_decompress=pco_decompress)
    monkeypatch.setattr(_device, "cuda_module", lambda: module)
    return calls


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for i in range(3):
        with numpact.Writer(tmp_path / f"{i}.pco", "float64", paging=500, trailer=1024) as writer:
            writer.write(np.arange(2000) / 8 + i)
    return tmp_path


NUMBERS = np.concatenate([np.arange(2000) / 8 + i for i in range(3)])


@pytest.mark.parametrize("by", ["file", "chunk"])
def test_blocks_are_on_the_gpu(folder: Path, devices: list[int], by: Any) -> None:
    x = from_pco(folder, by=by, device="cuda:1")
    assert isinstance(x._meta, FakeArray)
    assert not devices
    with dask.config.set(scheduler="synchronous"):
        found = (pickle.loads(pickle.dumps(x))).blocks[0].compute()
        assert isinstance(found, FakeArray)
        assert (found == NUMBERS[: len(found)]).all()
        assert (x.compute() == NUMBERS).all()
    assert set(devices) == {1}
    assert len(devices) == 1 + x.numblocks[0]
    names = {from_pco(folder, by=by, device=at).name for at in ("cpu", "cuda", "cuda:1")}
    assert len(names) == 3


def test_an_index_selects_chunks(folder: Path, devices: list[int]) -> None:
    x = from_pco(folder, by="chunk", index=pco_index(folder), device="cuda")
    with dask.config.set(scheduler="synchronous"):
        assert (x[2100:2300].compute() == NUMBERS[2100:2300]).all()
    assert devices == [0]


def test_files_that_changed_are_errors(folder: Path, devices: list[int]) -> None:
    x = from_pco(folder, device="cuda")
    (folder / "1.pco").write_bytes(numpact.compress(np.arange(1999) / 8))
    with dask.config.set(scheduler="synchronous"), pytest.raises(numpact.CorruptError):
        x.compute()


@pytest.mark.usefixtures("devices")
def test_what_is_refused(folder: Path) -> None:
    for dtype in (">f8", "datetime64[s]"):
        with pytest.raises((numpact.TypeMismatchError, numpact.InvalidArgumentError)):
            from_pco(folder, dtype=dtype, device="cuda")
    with pytest.raises(numpact.InvalidArgumentError, match="device must be"):
        from_pco(folder, device="gpu")


def test_without_cupy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(ImportError, match="cupy"):
        from_pco(folder, device="cuda")
