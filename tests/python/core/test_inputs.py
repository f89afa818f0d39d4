# SPDX-License-Identifier: Apache-2.0
"""Inputs that compress accepts and refuses."""

from __future__ import annotations

import array
import decimal
import re
from typing import Any

import numpy as np
import pytest

import numpact

DTYPES = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"]


class Matrix(np.ndarray):
    """As numpy.matrix: stays of two dimensions."""

    def reshape(self, *_: Any, **__: Any) -> Any:
        return self

    ravel = flatten = reshape


def back(x: object, **how: Any) -> Any:
    return numpact.decompress(numpact.compress(x, **how))


def samples(dtype: str, n: int = 1000) -> Any:
    bits = np.random.default_rng(n).integers(0, 256, n * np.dtype(dtype).itemsize, np.uint8)
    return bits.view(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_type_comes_back_bit_by_bit(dtype: str) -> None:
    numbers = samples(dtype)
    found = back(numbers)
    assert found.dtype == numbers.dtype
    assert found.tobytes() == numbers.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shape",
    [
        lambda x: x[::-1],
        lambda x: x[::3],
        lambda x: x.reshape(10, 100).T,
        lambda x: np.asfortranarray(x.reshape(10, 10, 10)),
        lambda x: x.reshape(10, 100)[2:5, ::-7],
        lambda x: np.broadcast_to(x[0], (7, 11)),
        lambda x: x[:1].reshape(()),
        lambda x: x[:0].reshape(3, 0, 2),
        lambda x: x.astype(x.dtype.newbyteorder(">")),
        lambda x: np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(x.dtype),  # unaligned
    ],
    ids=[
        "reversed",
        "strided",
        "F",
        "F3",
        "corner",
        "broadcast",
        "0-d",
        "empty",
        "big-endian",
        "unaligned",
    ],
)  # fmt: skip
def test_any_layout_is_taken_in_c_order(dtype: str, shape: Any) -> None:
    numbers = shape(samples(dtype))
    expected = np.ascontiguousarray(numbers).astype(dtype).tobytes()
    assert back(numbers).tobytes() == expected


def test_the_input_is_neither_changed_nor_kept() -> None:
    import sys

    numbers = np.arange(5000)
    before, references = numbers.tobytes(), sys.getrefcount(numbers)
    for _ in range(20):
        numpact.compress(numbers)
        numpact.compress(numbers[::2])
    assert numbers.tobytes() == before
    assert sys.getrefcount(numbers) == references


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ([1, 2, 3], np.array([1, 2, 3])),
        ((1.5, 2), np.array([1.5, 2])),
        ([], np.empty(0)),
        ([[1, 2], [3, 4]], np.array([1, 2, 3, 4])),
        (range(5), np.arange(5)),
        (7, np.array([7])),
        (2**63, np.array([2**63], np.uint64)),
        (np.float32(1.5), np.array([1.5], np.float32)),
        ([True, False], np.array([1, 0], np.uint8)),
        (b"ab", np.array([97, 98], np.uint8)),
        (bytearray(b"ab"), np.array([97, 98], np.uint8)),
        (array.array("d", [1, 2]), np.array([1.0, 2.0])),
        (memoryview(b"abcd")[::2], np.array([97, 99], np.uint8)),
        (memoryview(array.array("h", [1, -1])), np.array([1, -1], np.int16)),
        (memoryview(b"\0\1").cast("?"), np.array([0, 1], np.uint8)),
        (np.array(["2020-01-01", "NaT"], ">M8[s]"), np.array([1577836800, -(2**63)])),
        (np.array([3, -4], "m8[ms]"), np.array([3, -4])),
        ([np.datetime64(5, "D")], np.array([5])),
        (np.array([1, 2], np.longlong), np.array([1, 2])),
        (np.zeros((2, 2), np.int8).view(Matrix), np.zeros(4, np.int8)),
        (np.ma.masked_array([1, 2], [False, False]), np.array([1, 2])),
        (np.ma.masked_array([1, 2]), np.array([1, 2])),
    ],
    ids=lambda x: type(x).__name__,
)
def test_what_is_taken(x: object, expected: Any) -> None:
    found = back(x)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "x",
    [
        "abc", ["a"], None, {1: 2}, {1, 2}, frozenset([1]), object(), (i for i in range(3)),
        [1j], [[1, 2], [3]], [1, None], 2**70, [2**70], [decimal.Decimal(1)],
        [2**63 + 1, -1], [2**60 + 1, 0.5],
        np.array([1, None]), np.zeros(2, np.longdouble), np.zeros(2, "c16"),
        np.zeros(2, "i4,f4"), np.zeros(2, "i4,f4").view(np.recarray),
        np.array(["a"]), np.array([b"a"]),
        memoryview(b"ab").cast("c"), type, np.float64,
    ],
    ids=lambda x: re.sub(r" at 0x[0-9a-f]+", "", repr(x))[:30],
)  # fmt: skip
def test_what_is_refused(x: object) -> None:
    with pytest.raises(numpact.TypeMismatchError) as caught:
        numpact.compress(x)
    assert isinstance(caught.value, TypeError)


def test_masked_elements_are_refused() -> None:
    with pytest.raises(numpact.InvalidArgumentError, match="masked"):
        numpact.compress(np.ma.masked_array([1, 2, 3], [False, True, False]))


def test_an_array_like_object_is_asked_once() -> None:
    class Lazy:
        asked = 0

        def __array__(self, dtype: object = None, copy: object = None) -> Any:
            self.asked += 1
            return np.arange(4)

    lazy = Lazy()
    assert back(lazy).tolist() == [0, 1, 2, 3]
    assert lazy.asked == 1


def test_errors_of_an_array_like_object_pass_through() -> None:
    class Broken:
        def __array__(self, dtype: object = None, copy: object = None) -> Any:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        numpact.compress(Broken())


class Tensor:
    """As torch's: DLPack is all it speaks."""

    def __init__(self, numbers: Any, device: tuple[int, int] | None = None) -> None:
        self._numbers = numbers
        self._device = device or numbers.__dlpack_device__()

    def __dlpack__(self, **how: Any) -> Any:
        if self._device[0] != 1:
            raise BufferError("the tensor is not in the memory of the CPU")
        return self._numbers.__dlpack__(**how)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device


@pytest.mark.parametrize("dtype", DTYPES)
def test_dlpack(dtype: str) -> None:
    numbers = samples(dtype).reshape(20, 50)[:, ::-2]
    found = back(Tensor(numbers))
    assert found.dtype == numbers.dtype
    assert found.tobytes() == numbers.tobytes()


def test_dlpack_of_another_device_is_refused() -> None:
    with pytest.raises(numpact.TypeMismatchError, match="DLPack"):
        numpact.compress(Tensor(np.arange(3), (2, 0)))


def test_dlpack_of_complex_numbers_is_refused() -> None:
    with pytest.raises(numpact.TypeMismatchError, match="complex"):
        numpact.compress(Tensor(np.zeros(3, "c8")))


def test_bfloat16_through_dlpack_is_refused() -> None:
    import ctypes

    class Dtype(ctypes.Structure):
        _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]

    class DLTensor(ctypes.Structure):
        _fields_ = [
            ("data", ctypes.c_void_p),
            ("device", ctypes.c_int32 * 2),
            ("ndim", ctypes.c_int32),
            ("dtype", Dtype),
        ]

    class Bfloats(Tensor):
        def __dlpack__(self, **how: Any) -> Any:
            capsule = super().__dlpack__()
            get = ctypes.pythonapi.PyCapsule_GetPointer
            get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
            DLTensor.from_address(get(capsule, b"dltensor")).dtype.code = 4
            return capsule

    with pytest.raises(numpact.TypeMismatchError, match="DLPack"):
        numpact.compress(Bfloats(np.zeros(3, np.float16)))


def test_unit_and_shape_come_back_by_dtype() -> None:
    days = np.arange("2020-01", "2020-03", dtype="M8[D]")
    packed = numpact.compress(days)
    np.testing.assert_array_equal(numpact.decompress(packed, dtype="M8[D]"), days)
    flags = np.array([True, False, True])
    found = numpact.decompress(numpact.compress(flags), dtype=bool)
    assert found.dtype == bool
    assert found.tolist() == [True, False, True]


@pytest.mark.parametrize("level", [0, 1, 4, 8, 12])
@pytest.mark.parametrize("delta", ["auto", "none", "consecutive=3", "lookback", "conv1=2"])
def test_levels_and_deltas_are_lossless(level: int, delta: str) -> None:
    numbers = (np.arange(3000) % 50).astype(np.int16)
    np.testing.assert_array_equal(back(numbers, level=level, delta=delta), numbers)


@pytest.mark.parametrize("mode", ["classic", "dict", "float-mult=0.01", "float-quant=20"])
def test_modes_are_lossless(mode: str) -> None:
    numbers = np.round(np.random.default_rng(0).normal(size=3000), 2)
    np.testing.assert_array_equal(back(numbers, mode=mode), numbers)


@pytest.mark.parametrize(
    "how",
    [
        {"level": 13}, {"level": -1}, {"level": 1.5}, {"level": None}, {"level": "8"},
        {"mode": "x"}, {"mode": "int-mult"}, {"mode": "int-mult=0"}, {"mode": "int-mult=x"},
        {"mode": "classic=1"}, {"mode": "float-mult=0.1"}, {"mode": "float-quant=3"},
        {"mode": None}, {"mode": f"int-mult={2**64}"}, {"mode": "int-mult=-1"},
        {"delta": "consecutive=8"}, {"delta": "consecutive"}, {"delta": "conv1=4"},
        {"delta": f"consecutive={2**40}"}, {"delta": 3},
        {"paging": 0}, {"paging": -1}, {"paging": 2**63}, {"paging": []}, {"paging": [50, 51]},
        {"paging": [100, 0]}, {"paging": "9"}, {"paging": None}, {"paging": 1.5},
        {"threads": -1}, {"threads": 1.5}, {"threads": "2"}, {"threads": True},
        {"progress": 3}, {"progress": "bar"},
    ],
    ids=str,
)  # fmt: skip
def test_options_that_make_no_sense(how: dict[str, Any]) -> None:
    with pytest.raises(numpact.InvalidArgumentError) as caught:
        numpact.compress(np.arange(100), **how)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("paging", [[30, 70], (30, 70), np.array([30, 70])], ids=str)
def test_exact_chunk_sizes(paging: Any) -> None:
    packed = numpact.compress(np.arange(100), paging=paging)
    assert [chunk.count for chunk in numpact.inspect(packed).chunks] == [30, 70]
