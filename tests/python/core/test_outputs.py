# SPDX-License-Identifier: Apache-2.0
"""Arguments of decompress, and its outputs."""

from __future__ import annotations

import array
import mmap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import numpact


class Matrix(np.ndarray):
    """As numpy.matrix: stays of two dimensions."""

    def reshape(self, *_: Any, **__: Any) -> Any:
        return self


NUMBERS = np.arange(1000) ** 2
PACKED = numpact.compress(NUMBERS)


def test_buffers_of_every_kind(tmp_path: Path) -> None:
    path = tmp_path / "a.pco"
    path.write_bytes(PACKED)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        sources: list[Any] = [
            PACKED,
            bytearray(PACKED),
            memoryview(PACKED),
            np.frombuffer(PACKED, np.uint8),
            array.array("B", PACKED),
            mapped,
            np.memmap(path, np.uint8, "r"),
        ]
        for source in sources:
            np.testing.assert_array_equal(numpact.decompress(source), NUMBERS)
        del source, sources


@pytest.mark.parametrize("buf", ["abc", None, [1, 2], 5, object(), memoryview(PACKED)[::2]])
def test_other_objects_are_refused(buf: Any) -> None:
    for read in (numpact.decompress, numpact.inspect, numpact.decompress_arrow):
        if read is numpact.inspect and isinstance(buf, str):
            continue  # a path
        with pytest.raises(numpact.TypeMismatchError):
            read(buf)


def test_a_path_given_for_bytes_is_named() -> None:
    with pytest.raises(numpact.TypeMismatchError, match=r"numpact\.open"):
        numpact.decompress("numbers.pco")  # type: ignore[arg-type]


def test_a_buffer_cannot_shrink_meanwhile() -> None:
    big = numpact.compress(np.random.default_rng(0).integers(0, 2**60, 3_000_000))
    buf = bytearray(big)
    attempts = []

    def resize(_: object) -> None:
        with pytest.raises(BufferError):
            buf.clear()
        attempts.append(1)

    numpact.decompress(buf, progress=resize)
    assert attempts
    buf.clear()


@pytest.mark.parametrize(
    "make",
    [
        lambda: np.zeros(1000, np.int64),
        lambda: np.zeros(1234, np.int64),
        lambda: np.zeros((10, 10, 10), np.int64),
        lambda: np.zeros(1000, "M8[s]"),
        lambda: np.zeros(1000, "m8[ns]"),
        lambda: np.zeros((10, 100), np.int64).view(Matrix),
        lambda: array.array("q", bytes(8000)),
        lambda: memoryview(bytearray(8000)).cast("q"),
        lambda: memoryview(bytearray(8000)).cast("q", (10, 100)),
        lambda: np.zeros((2, 1000), np.int64)[1],
    ],
)
def test_out(make: Any) -> None:
    out = make()
    found = numpact.decompress(PACKED, out)
    assert found.shape == (1000,)
    assert np.shares_memory(found, np.asarray(out))
    np.testing.assert_array_equal(found.view(np.int64), NUMBERS)
    assert numpact.decompress_into(PACKED, make()) == 1000


def test_nothing_past_the_end_is_written() -> None:
    out = np.full(1010, -7)
    assert numpact.decompress_into(PACKED, out) == 1000
    assert (out[1000:] == -7).all()


def _overlapping() -> Any:
    memory = bytearray(8008)
    memory[-len(PACKED) :] = PACKED
    return memoryview(memory)[-len(PACKED) :], np.frombuffer(memory, np.int64, 1001)


@pytest.mark.parametrize(
    ("out", "kind"),
    [
        (np.zeros(999, np.int64), numpact.OutputTooSmallError),
        (np.zeros(1000), numpact.TypeMismatchError),
        (np.zeros(1000, np.uint64), numpact.TypeMismatchError),
        (bytearray(8000), numpact.TypeMismatchError),
        (np.zeros(1000, "c8"), numpact.TypeMismatchError),
        (np.frombuffer(bytes(8000), np.int64), numpact.InvalidArgumentError),
        (bytes(8000), numpact.InvalidArgumentError),
        (np.zeros(2000, np.int64)[::2], numpact.InvalidArgumentError),
        (np.zeros(1000, np.int64)[::-1], numpact.InvalidArgumentError),
        (np.zeros((100, 10), np.int64).T, numpact.InvalidArgumentError),
        (np.zeros(1000, ">i8"), numpact.InvalidArgumentError),
        (np.zeros(8001, np.uint8)[1:].view(np.int64), numpact.InvalidArgumentError),
        (np.ma.masked_array(np.zeros(1000, np.int64)), numpact.InvalidArgumentError),
        ([0] * 1000, numpact.InvalidArgumentError),
        (5, numpact.InvalidArgumentError),
    ],
    ids=str,
)
def test_out_that_cannot_be(out: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        numpact.decompress(PACKED, out)
    with pytest.raises(kind):
        numpact.decompress_into(PACKED, out)


def test_out_over_the_bytes_is_refused() -> None:
    buf, out = _overlapping()
    with pytest.raises(numpact.InvalidArgumentError, match="overlaps"):
        numpact.decompress(buf, out)
    # Side by side is fine.
    np.testing.assert_array_equal(numpact.decompress(PACKED + bytes(8), out[:1000]), NUMBERS)


@pytest.mark.parametrize("dtype", [bool, "i2", "f2", "V8", "O", "foo", "U2", "c16", "M8", "m8"])
def test_dtype_of_another_kind(dtype: Any) -> None:
    with pytest.raises(numpact.TypeMismatchError):
        numpact.decompress(PACKED, dtype=dtype)


@pytest.mark.parametrize("dtype", ["u8", "i4", ">i4", "f8", ">f8", "f4", ">i8", "<i8", "g"])
def test_dtype_that_has_the_same_numbers(dtype: str) -> None:
    if dtype == "g":
        with pytest.raises(numpact.TypeMismatchError):
            numpact.decompress(PACKED, dtype=np.longdouble)
        return
    found = numpact.decompress(PACKED, dtype=dtype)
    assert found.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(found, NUMBERS)


@pytest.mark.parametrize("dtype", ["M8[s]", ">M8[s]", "m8[D]", ">m8[7ms]"])
@pytest.mark.parametrize("stored", ["i8", "i4", "u8", "u2"])
def test_integers_are_counts_of_times(dtype: str, stored: str) -> None:
    counts = np.array([0, 1, 65535]).astype(stored) if stored != "i4" else np.array([-5, 7], "i4")
    found = numpact.decompress(numpact.compress(counts), dtype=dtype)
    assert found.dtype == np.dtype(dtype)
    assert found.astype(found.dtype.newbyteorder("=")).view(np.int64).tolist() == counts.tolist()


def test_counts_that_are_none() -> None:
    for numbers in (np.array([2**63], np.uint64), np.array([1.0]), np.array([1.5], np.float32)):
        with pytest.raises(numpact.TypeMismatchError):
            numpact.decompress(numpact.compress(numbers), dtype="M8[ns]")
    lowest = numpact.compress(np.array([-(2**63), 5]))
    assert np.isnat(numpact.decompress(lowest, dtype="M8[ns]")).tolist() == [True, False]


def test_a_dtype_that_out_is_not() -> None:
    for dtype in (">i8", "f8", "i4", ">M8[s]", bool):
        with pytest.raises(numpact.TypeMismatchError, match="out"):
            numpact.decompress(PACKED, np.zeros(1000, np.int64), dtype=dtype)
    out = np.zeros(1000, np.int64)
    found = numpact.decompress(PACKED, out, dtype="M8[s]")
    assert np.shares_memory(found, out)


def test_numbers_over_1_are_not_booleans() -> None:
    packed = numpact.compress(np.array([0, 1, 2], np.uint8))
    with pytest.raises(numpact.TypeMismatchError, match="booleans"):
        numpact.decompress(packed, dtype=bool)
    with pytest.raises(numpact.TypeMismatchError, match="booleans"):
        numpact.decompress(packed, np.zeros(3, bool))
    assert numpact.decompress(packed[:0] + numpact.compress([True]), np.zeros(1, bool))[0]


def test_results_are_ordinary_arrays() -> None:
    found = numpact.decompress(PACKED)
    assert type(found) is np.ndarray
    assert found.flags.writeable
    assert found.flags.aligned
    assert found.ndim == 1


def _with_n_hint(file: bytes, claim: int) -> bytes:
    """The file, its header claiming another count: bit-packed as in docs/format/pco.md."""
    header = numpact._core.read_header(file)
    bits = int.from_bytes(file[6:], "little")
    old = (bits & 0x3F) + 1
    assert header["n_hint"] == (bits >> 6) & ((1 << old) - 1)
    new = max(1, claim.bit_length())
    head = (new - 1) | claim << 6
    size = (6 + new + 7) // 8
    rest = file[6 + (6 + old + 7) // 8 :]
    made = file[:6] + head.to_bytes(size, "little") + rest
    assert numpact._core.read_header(made)["n_hint"] == claim
    return made


@pytest.mark.parametrize("claim", [0, 1, 999, 1001, 10**5, 2**40, 2**63])
def test_wrong_claims_of_the_count_do_not_matter(claim: int) -> None:
    lying = _with_n_hint(PACKED, claim)
    np.testing.assert_array_equal(numpact.decompress(lying), NUMBERS)
    np.testing.assert_array_equal(numpact.decompress(lying, threads=2), NUMBERS)
    np.testing.assert_array_equal(numpact.open(lying)[:], NUMBERS)
    empty = _with_n_hint(numpact.compress(np.empty(0, np.int16)), claim)
    found = numpact.decompress(empty)
    assert found.dtype == np.int16
    assert found.size == 0


def test_empty_files_keep_their_type() -> None:
    for dtype in ("u1", "i8", "f2", "f8"):
        packed = numpact.compress(np.empty(0, dtype))
        assert numpact.decompress(packed).dtype == np.dtype(dtype)
        assert numpact.decompress(packed, np.empty(0, dtype)).size == 0
        assert len(numpact.open(packed)) == 0
