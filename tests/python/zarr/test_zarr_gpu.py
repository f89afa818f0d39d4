# SPDX-License-Identifier: Apache-2.0
"""Chunks in the GPU buffers of zarr, with stand-ins for CuPy and the extension for CUDA."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import zarr
import zarr.core.buffer.gpu
from gpu_stand_in import exported
from test_zarr_serializer import create

import numpact
from numpact import _core, _device
from numpact.zarr import PcoCodec, register

pytestmark = pytest.mark.filterwarnings("ignore::zarr.errors.ZarrUserWarning")

X = np.arange(60.0).reshape(12, 5) / 8


class FakeArray(np.ndarray):  # type: ignore[type-arg]
    """Stands for the arrays of CuPy."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {}


def on_device(array: Any) -> FakeArray:
    return np.asarray(array).view(FakeArray)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The count of files of each call of an extension that decodes on the CPU."""
    made: list[int] = []

    def pco_decompress(arrays: list[list[Any]], device: int, **options: Any) -> list[Any]:
        made.append(len(arrays))
        limit = options["max_output"]
        numbers = [_core.decompress(file, 1, max_output=limit) for (file,) in arrays]
        return [exported(each) for each in numbers]

    cupy: Any = ModuleType("cupy")
    names = {
        "ndarray": FakeArray, "asarray": on_device, "asanyarray": on_device, "asnumpy": np.asarray,
        "array": lambda *a, **k: on_device(np.array(*a, **k)),
        "empty": lambda *a, **k: on_device(np.empty(*a, **k)),
        "frombuffer": lambda *a, **k: on_device(np.frombuffer(*a, **k)),
        "concatenate": lambda arrays: on_device(np.concatenate(arrays)),
        "from_dlpack": lambda array: on_device(np.from_dlpack(array)),
        "cuda": SimpleNamespace(Device=lambda: SimpleNamespace(id=0)),
    }  # fmt: skip
    for name, thing in names.items():
        setattr(cupy, name, thing)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setattr(zarr.core.buffer.gpu, "cp", cupy)
    module = SimpleNamespace(pco_decompress=pco_decompress)
    monkeypatch.setattr(_device, "cuda_module", lambda: module)
    monkeypatch.setattr("numpact.zarr._gpu.cuda_module", lambda: module)
    with zarr.config.set({"codecs": zarr.config.get("codecs")}):
        register()
        with zarr.config.enable_gpu():
            yield made


def stored(x: Any, **options: Any) -> Any:
    """A store with chunks of 5 by 5, written from a GPU."""
    store = zarr.storage.MemoryStore()
    create(store, x, PcoCodec(), **{"chunks": (5, 5), "fill_value": 0, **options})[...] = on_device(
        x
    )
    return store


@pytest.mark.parametrize("batch, sizes", [(1, [1, 1, 1]), (64, [3])])
def test_batches_are_decoded_by_one_call(calls: list[int], batch: int, sizes: list[int]) -> None:
    store = stored(X)
    with zarr.config.set({"codec_pipeline.batch_size": batch}):
        found = zarr.open_array(store, mode="r")[...]
    assert isinstance(found, FakeArray)
    assert (found == X).all()
    assert calls == sizes


def test_missing_chunks_and_parts(calls: list[int]) -> None:
    store = stored(X)
    del store._store_dict["c/1/0"]
    with zarr.config.set({"codec_pipeline.batch_size": 64}):
        found = zarr.open_array(store, mode="r")[3:, 1:]
    expected = X.copy()
    expected[5:10] = 0
    assert (found == expected[3:, 1:]).all()
    assert sum(calls) == 2


def test_chunks_of_another_size_are_errors(calls: list[int]) -> None:
    store = stored(X)
    for count in (24, 26):
        file = numpact.compress(np.arange(count) / 8)
        store._store_dict["c/0/0"] = zarr.core.buffer.cpu.Buffer.from_bytes(file)
        with pytest.raises(numpact.CorruptError, match="belong into it"):
            zarr.open_array(store, mode="r")[:5]  # one chunk: others would be decoded later
    assert calls == [1, 1]


def test_the_cpu_decodes_what_the_gpu_does_not(
    calls: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = stored(X)
    store._store_dict["c/0/0"] = zarr.core.buffer.cpu.Buffer.from_bytes(
        numpact.compress(np.arange(25))
    )
    with pytest.raises(numpact.TypeMismatchError):  # as without a GPU
        zarr.open_array(store, mode="r")[:5]
    assert not calls

    def absent() -> None:
        raise numpact.UnavailableError("no GPU")

    monkeypatch.setattr("numpact.zarr._gpu.cuda_module", absent)
    found = zarr.open_array(store, mode="r")[5:]
    assert isinstance(found, FakeArray)
    assert (found == X[5:]).all()
    assert not calls
