# SPDX-License-Identifier: Apache-2.0
"""Decompressing to a GPU: what can be known without one. On one, tests/gpu has the numbers."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gpu_stand_in import exported

import numpact
from numpact import _core, _device

FILE = numpact.compress(np.arange(1000, dtype=np.int16))


def gpu_is_here() -> bool:
    try:
        return bool(_device.cuda_module())
    except numpact.UnavailableError:
        return False


def test_without_a_gpu_the_error_says_why() -> None:
    if gpu_is_here():
        pytest.skip("there is a GPU")
    with pytest.raises(numpact.UnavailableError, match=r"CUDA|GPU|NVIDIA"):
        numpact.decompress(FILE, device="cuda")


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:-1", "cuda:x", 3])
def test_unknown_devices(device: object) -> None:
    with pytest.raises(numpact.InvalidArgumentError, match="device must be"):
        numpact.decompress(FILE, device=device)


@pytest.mark.parametrize(
    "arguments",
    [
        {"device": "cuda", "out": np.empty(1000, np.int16)},
        {"device": "cuda", "dtype": "datetime64[s]"},
        {"device": "cuda", "progress": True},
        {"device": "cuda", "framework": "numpy"},
        {"framework": "torch"},
    ],
)
def test_arguments_that_contradict(arguments: dict[str, Any]) -> None:
    with pytest.raises(numpact.InvalidArgumentError):
        numpact.decompress(FILE, **arguments)


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """An extension that decodes on the CPU; the calls it got."""
    calls: list[Any] = []

    def pco_decompress(
        arrays: list[list[Any]],
        device: int,
        threads: int,
        max_output: int | None,
        trailer: str,
        on_end: Any,
    ) -> list[tuple[Any, int, int, str]]:
        calls.append((device, threads, max_output, trailer))
        found: list[tuple[Any, int, int, str]] = []
        for files in arrays:
            numbers = np.concatenate(
                [_core.decompress(file, 1, trailer="use", on_end=on_end) for file in files]
            )
            found.append(exported(numbers))
        return found

    module = SimpleNamespace(pco_decompress=pco_decompress)
    monkeypatch.setattr(_device, "cuda_module", lambda: module)
    return calls


def test_arrays_go_on_by_dlpack(stand_in: list[Any]) -> None:
    array = numpact.decompress(FILE, device="cuda:2", threads=3, max_output=4000, trailer="ignore")
    assert stand_in == [(2, 3, 4000, "ignore")]
    assert isinstance(array, numpact.DeviceArray)
    assert (array.shape, array.dtype, len(array)) == ((1000,), np.dtype(np.int16), 1000)
    assert (np.from_dlpack(array) == np.arange(1000)).all()
    interface = array.__cuda_array_interface__
    assert interface["typestr"] == "<i2"
    assert interface["shape"] == (1000,)
    assert interface["data"][0] != 0
    assert "1,000" in repr(array)


@pytest.mark.usefixtures("stand_in")
def test_files_that_were_joined_warn() -> None:
    with pytest.warns(numpact.TrailingBytesWarning, match=rf"at byte {len(FILE)}: "):
        array = numpact.decompress(FILE + FILE, device="cuda")
    assert len(array) == 1000


def test_frameworks_take_the_same_memory(
    stand_in: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = SimpleNamespace(from_dlpack=np.from_dlpack)
    monkeypatch.setattr(_device, "require", lambda module, extra: torch)
    tensor = numpact.decompress(FILE, device="cuda", framework="torch")
    assert (tensor == np.arange(1000)).all()
    assert stand_in[0][0] == 0


def test_lists_of_files_are_one_call(stand_in: list[Any]) -> None:
    files = [numpact.compress(np.arange(n, dtype="f8")) for n in (0, 5, 3000)]
    for source in (files, tuple(files)):
        arrays = numpact.decompress(source, device="cuda")
        assert [len(array) for array in arrays] == [0, 5, 3000]
        assert (np.from_dlpack(arrays[2]) == np.arange(3000)).all()
    assert len(stand_in) == 2
    assert numpact.decompress([], device="cuda") == []
    with pytest.raises(numpact.TypeMismatchError, match="list of files"):
        numpact.decompress(files)


def test_columns_of_tables(stand_in: list[Any], tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "table"
    first = {
        "price": np.arange(2000) / 4,
        "at": np.arange(2000).astype("datetime64[ms]"),
        "sold": np.arange(2000) % 3 == 0,
        "name": ["a"] * 2000,
        "gap": [1, None] * 1000,
    }
    numpact.write_table(first, path)
    numpact.append_table(first, path)
    with numpact.open_table(path) as table:
        arrays = table.to_device(["sold", "price", "at"])
        assert list(arrays) == ["sold", "price", "at"]
        assert len(stand_in) == 1
        for name, array in arrays.items():
            both = np.concatenate([first[name], first[name]])
            numbers = np.from_dlpack(array)
            assert (numbers == both.view(numbers.dtype)).all()
        for name, problem in (("name", "no numbers"), ("gap", "has nulls")):
            with pytest.raises(numpact.TypeMismatchError, match=problem):
                table.to_device([name])
        with pytest.raises(numpact.InvalidArgumentError, match="whole columns"):
            table[10:20].to_device(["price"])
        with pytest.raises(numpact.InvalidArgumentError, match="must be a GPU"):
            table.to_device(["price"], device="cpu")
    with (
        numpact.open_table(path, max_output=9000) as table,
        pytest.raises(numpact.LimitExceededError),
    ):
        table.to_device(["price"])
