# SPDX-License-Identifier: Apache-2.0
"""Devices and backends without a GPU: what is said of those that are absent, and, with stand-ins
for CuPy and the extension for CUDA, what these are asked for."""

from __future__ import annotations

import ctypes
import pickle
import sys
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import numpact
from numpact import cvc

Array = np.ndarray[Any, Any]


@pytest.fixture
def vectors() -> Array:
    return np.random.default_rng(2).normal(size=(500, 12)).astype(np.float32)


@pytest.fixture
def path(vectors: Array, tmp_path: Path) -> Path:
    target = tmp_path / "v.cvc"
    cvc.pack_cvc(vectors, target, "fp16", 150)
    return target


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing for GPUs is installed."""
    for name in ("torch", "triton", "cupy", "numpact._cuda"):
        monkeypatch.setitem(sys.modules, name, None)


# ---- what is absent ----


@pytest.mark.usefixtures("bare")
def test_reasons() -> None:
    assert cvc.get_available_backends() == {
        "python": True, "cpp": True, "cuda": False, "triton": False,
    }  # fmt: skip
    errors = cvc.get_backend_errors()
    assert errors["cpp"] is None
    assert errors["python"] is None
    assert "built without CUDA" in str(errors["cuda"])
    assert "torch is not installed: pip install '.[triton]' in a checkout" in str(errors["triton"])


@pytest.mark.usefixtures("bare")
def test_absent_backends_are_refused(path: Path) -> None:
    for backend, reported in (("auto", "CUDA.*torch"), ("cuda", "CUDA"), ("triton", "torch")):
        for call in (
            lambda b=backend: cvc.load_cvc(path, device="cuda", backend=b),
            lambda b=backend: next(cvc.load_cvc_chunked(path, device="cuda:1", backend=b)),
            lambda b=backend: cvc.load_cvc_range(path, device="cuda", backend=b),
            lambda b=backend: cvc.load_cvc_columns(path, device="cuda", backend=b),
            lambda b=backend: cvc.Reader(path, device="cuda", backend=b),
        ):
            with pytest.raises(cvc.BackendError, match=reported):
                call()
    assert issubclass(cvc.BackendError, RuntimeError)
    with cvc.MMapCVCLoader(path) as loader:
        with pytest.raises(cvc.BackendError):
            loader.load("cuda")
        with pytest.raises(cvc.BackendError):
            loader.load_chunk(0, "cuda")
    with pytest.raises(cvc.BackendError):
        cvc.Reader(path).read(device="cuda")


def test_a_driver_that_is_missing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("numpact._cuda")

    def device_count() -> int:
        raise RuntimeError("the driver of NVIDIA is not there (libcuda.so.1)")

    module.device_count = device_count  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "numpact._cuda", module)
    assert "libcuda" in str(cvc.get_backend_errors()["cuda"])
    with pytest.raises(cvc.BackendError, match="libcuda"):
        cvc.load_cvc(path, device="cuda", backend="cuda")
    module.device_count = lambda: 0  # type: ignore[attr-defined]
    assert "no GPU" in str(cvc.get_backend_errors()["cuda"])


@pytest.mark.parametrize(
    "arguments",
    [
        {"device": "cpu", "backend": "cuda"},
        {"device": "cpu", "backend": "triton"},
        {"device": "cuda", "backend": "cpp"},
        {"device": "cuda", "backend": "python"},
        {"device": "cpu", "backend": "what"},
        {"device": "tpu"},
        {"device": "cuda:x"},
        {"device": "cuda", "framework": "numpy"},
        {"device": "cuda", "framework": "jax"},
    ],
)
def test_contradictions(path: Path, arguments: dict[str, str]) -> None:
    with pytest.raises(numpact.InvalidArgumentError):
        cvc.load_cvc(path, **arguments)
    with pytest.raises(numpact.InvalidArgumentError):
        cvc.Reader(path, **arguments)


def test_cupy_needs_a_device(path: Path) -> None:
    with pytest.raises(numpact.InvalidArgumentError, match="cuda"):
        cvc.Reader(path, framework="cupy")
    with pytest.raises(numpact.InvalidArgumentError, match="numpy"):
        cvc.Reader(path).read(device="cuda", framework="numpy")


# ---- stand-ins ----


class FakeArray(np.ndarray):  # type: ignore[type-arg]
    """The members of CuPy's arrays that are used."""

    device = SimpleNamespace(id=0)

    @property
    def data(self) -> Any:
        return SimpleNamespace(ptr=self.ctypes.data)


class FakeCuda(ModuleType):
    """The extension, for fp16 in float32 and integers; it keeps a record."""

    def __init__(self) -> None:
        super().__init__("numpact._cuda")
        self.calls: list[tuple[list[tuple[int, int, int]], str, int, int, int]] = []

    def device_count(self) -> int:
        return 1

    def cvc_decode(
        self,
        slices: list[tuple[Any, int, int, int]],
        out_ptr: int,
        out_dtype: str,
        out_stride: int,
        device: int,
        stream: int,
    ) -> None:
        plan = [(first, count, to) for _, first, count, to in slices]
        self.calls.append((plan, out_dtype, out_stride, device, stream))
        for stored, first, count, to in slices:
            kind = "float16" if stored.compression == "fp16" else stored.dtype
            rows = stored.bytes.view(kind).reshape(stored.rows, stored.dimension)
            for i, row in enumerate(rows[first : first + count].astype(out_dtype)):
                ctypes.memmove(out_ptr + (to + i) * out_stride, row.tobytes(), row.nbytes)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeCuda:
    cupy = ModuleType("cupy")
    runtime = SimpleNamespace(getDevice=lambda: 0)
    names = {
        "ndarray": FakeArray,
        "dtype": np.dtype,
        "empty": lambda shape, dtype: np.empty(shape, dtype).view(FakeArray),
        "cuda": SimpleNamespace(
            Device=lambda number: nullcontext(),
            get_current_stream=lambda: SimpleNamespace(ptr=77),
            runtime=runtime,
        ),
    }
    for name, thing in names.items():
        setattr(cupy, name, thing)
    module = FakeCuda()
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setitem(sys.modules, "numpact._cuda", module)
    return module


def test_what_the_extension_is_asked_for(path: Path, fake: FakeCuda) -> None:
    assert cvc.get_available_backends()["cuda"]
    reader = cvc.Reader(path, device="cuda", framework="cupy")
    expected = cvc.Reader(path).read()
    found = reader.read()
    assert isinstance(found, FakeArray)
    assert (found == expected).all()
    assert fake.calls == [
        ([(0, 150, 0), (0, 150, 150), (0, 150, 300), (0, 50, 450)], "float32", 48, 0, 77)
    ]
    fake.calls.clear()
    assert (reader[140:310] == expected[140:310]).all()
    ids = [3, 160, 4, 5, 3, 499, 0, 161]
    assert (reader.gather(ids) == expected[ids]).all()
    assert fake.calls[1][0] == [
        (0, 1, 6), (3, 1, 0), (3, 1, 4), (4, 2, 2), (10, 1, 1), (11, 1, 7), (49, 1, 5),
    ]  # fmt: skip
    assert (pickle.loads(pickle.dumps(reader)).read() == expected).all()
    assert (cvc.load_cvc(path, "cuda:0", "cupy") == expected).all()
    assert isinstance(cvc.load_cvc(path), np.ndarray)
    assert not isinstance(reader.read(device="cpu"), FakeArray)
    with pytest.raises(numpact.InvalidArgumentError):
        reader.read(490, 11)
    with pytest.raises(numpact.InvalidArgumentError):
        reader.gather([500])


def test_arrays_of_the_device_say_where_to(path: Path, fake: FakeCuda) -> None:
    reader = cvc.Reader(path)
    buffer = np.zeros((500, 20), np.float32).view(FakeArray)
    found = reader.read(out=buffer[:, 4:16])
    assert isinstance(found, FakeArray)
    assert (buffer[:, 4:16] == reader.read()).all()
    assert fake.calls[0][2] == 80
    for bad in (
        buffer[:, :11],
        buffer[:, :12].astype("f8"),
        buffer[::-1, :12],
        buffer[:, ::2][:, :10],
    ):
        with pytest.raises((ValueError, TypeError)):
            reader.read(out=bad)
    with pytest.raises(numpact.InvalidArgumentError, match="cupy"):
        reader.read(out=np.zeros((500, 12), np.float32), device="cuda", framework="cupy")


def test_damage(path: Path, fake: FakeCuda) -> None:
    data = bytearray(path.read_bytes())
    chunk = cvc.Reader(path).info.chunks[1]
    data[(chunk.offset or 0) + 100] ^= 1
    reader = cvc.Reader(data, device="cuda", framework="cupy")
    with pytest.raises(cvc.CorruptedChunkError):
        reader.read()
    for options in ({"on_corruption": "drop"}, {"on_corruption": "fill", "fill_value": 2.5}):
        with pytest.warns(cvc.CorruptionWarning, match="chunk 1"):
            found = reader.read(**options)
        with pytest.warns(cvc.CorruptionWarning, match="chunk 1"):
            expected = reader.read(device="cpu", **options)
        assert found.shape == expected.shape
        assert (found == expected).all()
    with pytest.raises(cvc.CorruptedChunkError):
        reader.gather([200], verify=True)
    assert reader.gather([200]).shape == (1, 12)


def test_columns(vectors: Array, tmp_path: Path, fake: FakeCuda) -> None:
    table = tmp_path / "t.cvc"
    ids = np.arange(500, dtype=np.int64) << 33
    cvc.pack_cvc_columns({"v": vectors, "id": ids}, table, {"v": "fp16"}, 200)
    found = cvc.load_cvc_columns(table, device="cuda", framework="cupy")
    assert (found["id"] == ids).all()
    assert (found["v"] == cvc.load_cvc_columns(table)["v"]).all()
    with table.open("rb") as file:
        reader = cvc.Reader(file, device="cuda", framework="cupy", backend="cuda")
        assert (reader.read(150, 100, column="id") == ids[150:250]).all()
        with pytest.raises(numpact.TypeMismatchError):
            reader.read(column="id", dtype="float32")
        with pytest.raises(numpact.TypeMismatchError):
            reader.read(column="v", dtype="float64")


# ---- slices as they are stored ----


def test_stored_slices(path: Path, vectors: Array) -> None:
    reader = cvc.Reader(path)
    stored = reader._reader.stored_slice(3, 0, 1, True)
    assert (stored.compression, stored.dtype) == ("fp16", "float32")
    assert (stored.first_row, stored.rows, stored.dimension) == (450, 50, 12)
    assert stored.planes == []
    data = stored.bytes
    assert not data.flags.writeable
    assert path.read_bytes()[stored.offset :] == data.tobytes()
    del stored, reader
    assert (data.view(np.float16).reshape(50, 12) == vectors[450:].astype(np.float16)).all()
    with cvc.Writer(None, compression="lossless") as writer:
        writer.append(vectors)
    planes = cvc.Reader(writer.contents)._reader.stored_slice(0, 0, 1, False).planes
    assert len(planes) == 4
    offset, size, width, is_plain, dictionary = planes[3]
    assert size == (6000 * width + 7) // 8
    assert not is_plain
    assert dictionary == bytes(sorted(set((vectors.view(np.uint32) >> 24).ravel().tolist())))
    assert offset > planes[2][0]
