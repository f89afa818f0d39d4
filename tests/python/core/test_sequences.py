# SPDX-License-Identifier: Apache-2.0
"""Sequences of numbers of all classes: exact, or refused."""

from __future__ import annotations

import array
import fractions
from collections import UserList, deque
from typing import Any

import numpy as np
import pytest

import numpact
from numpact import cvc

BIG = 2**60 + 1  # no float64


def back(x: Any) -> list[Any]:
    return numpact.decompress(numpact.compress(x)).tolist()


class Duck:
    """As little of a sequence as NumPy asks for."""

    def __init__(self, *items: Any) -> None:
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: int) -> Any:
        return self._items[index]


ROUNDED: list[Any] = [
    [BIG, 0.5],
    [np.int64(BIG), 0.5],
    [np.int64(BIG), np.float64(0.5)],
    [np.uint64(2**63 + 1), np.int64(1)],
    (np.uint64(BIG), -1),
    [np.array([BIG], "u8")[0], np.array([-3], "i8")[0]],
    [[np.int64(BIG)], [np.float32(1)]],
    [np.array(BIG), 0.5],
    [np.float64(0.1), np.float32(0.1), np.int64(BIG)],
    range(2**64 - 1, 2**64 + 1),
    range(-1, 2**63 + 9, 2**63 + 1),
    deque([BIG, 0.5]),
    deque([2**63 + 1, -1]),
    UserList([BIG, 0.5]),
    Duck(BIG, 0.5),
    [deque([BIG, 0.5]), deque([1, 2])],
    [Duck(BIG, 0.5)],
    [range(BIG, BIG + 2), [0.5, 1.5]],
    [UserList([np.int64(BIG)]), UserList([np.float64(0.5)])],
]
SAME: list[Any] = [
    range(2**63 - 1, 2**63 + 2),
    range(2**64 - 1, 2**64 - 4, -1),
    range(-(2**63), -(2**63) + 3),
    range(2**63 - 1, 2**63 - 9, -4),
    range(5, -5, -1),
    range(10, 10_000, 37),
    deque([BIG, 2]),
    UserList([BIG, -2]),
    Duck(BIG, -2),
    [np.int64(BIG), 3, np.uint8(255)],
    (np.uint64(2**64 - 1), np.uint64(0)),
    array.array("q", [BIG, -BIG]),
    array.array("Q", [2**64 - 1]),
    array.array("d", [0.1, -0.0]),
    memoryview(np.array([BIG, 1])),
]


@pytest.mark.parametrize("x", ROUNDED)
def test_a12_numpy_scalars(x: Any) -> None:
    with pytest.raises(numpact.TypeMismatchError):
        numpact.compress(x)


@pytest.mark.parametrize("x", SAME)
def test_sequences_keep_every_integer(x: Any) -> None:
    expected = [x[i] for i in range(len(x))]
    assert [type(v)(v) for v in back(x)] == expected
    assert [int(v) for v in back(x)] == [int(v) for v in expected]


def test_nested_sequences_are_taken_in_order() -> None:
    assert back([range(3), deque([3, 4, 5])]) == [0, 1, 2, 3, 4, 5]
    assert back(deque([[1, 2], (3, 4)])) == [1, 2, 3, 4]
    assert back(range(0)) == []


@pytest.mark.parametrize(
    "x",
    [
        {1: 2}.values(),
        (i for i in range(3)),
        {1, 2},
        [fractions.Fraction(1, 3)],
        ["1", "2"],
        Duck("a"),
        deque([None]),
        [deque(["1"])],
        [True, "x"],
    ],
    ids=lambda x: type(x).__name__,
)
def test_what_is_no_sequence_of_numbers(x: Any) -> None:
    with pytest.raises(numpact.TypeMismatchError):
        numpact.compress(x)


@pytest.mark.parametrize("x", [[np.int64(BIG), 0.5], deque([BIG, 0.5]), Duck(BIG, 0.5)])
def test_writers_and_appends_hold_the_same_rule(x: Any, tmp_path: Any) -> None:
    path = tmp_path / "a.pco"
    with numpact.Writer(path, "float64") as writer, pytest.raises(numpact.TypeMismatchError):
        writer.write(x)
    with pytest.raises(numpact.TypeMismatchError):
        numpact.append(path, x)
    with pytest.raises(numpact.Error):
        cvc.pack_cvc([x], tmp_path / "a.cvc", "lossless")


def test_vectors_from_sequences(tmp_path: Any) -> None:
    path = tmp_path / "a.cvc"
    cvc.pack_cvc_columns({"n": range(BIG, BIG + 3), "v": deque([[1, 2], [3, 4], [5, 6]])}, path)
    columns = cvc.load_cvc_columns(path)
    assert columns["n"].tolist() == [BIG, BIG + 1, BIG + 2]
    assert columns["v"].tolist() == [[1, 2], [3, 4], [5, 6]]


# ---- indices ----


@pytest.fixture
def vectors() -> np.ndarray[Any, Any]:
    return np.arange(3000, dtype=np.float32).reshape(1000, 3)


@pytest.fixture
def reader(vectors: np.ndarray[Any, Any]) -> cvc.Reader:
    with cvc.Writer(None, compression="lossless", chunk_size=130) as writer:
        writer.append(vectors)
    return cvc.Reader(writer.contents)


@pytest.mark.parametrize("key", [True, False, np.True_, None, 1.0, (1, 2), np.float64(3)])
def test_indices_that_are_none(reader: cvc.Reader, key: Any) -> None:
    file = numpact.open(numpact.compress(np.arange(1000)))
    with pytest.raises(IndexError):
        file[key]
    with pytest.raises(IndexError):
        reader[key]


KEYS: list[Any] = [
    np.uint8(255),
    np.int8(-100),
    np.array(17),
    slice(None, None, 2),
    slice(None, None, -3),
    slice(np.uint8(200), np.uint8(250)),
    slice(np.uint8(250), np.uint8(3), np.int8(-7)),
    slice(5, 5, 2),
    slice(900, 10),
    ...,
]


@pytest.mark.parametrize("key", KEYS)
def test_indices_as_numpy_has_them(
    reader: cvc.Reader, vectors: np.ndarray[Any, Any], key: Any
) -> None:
    np.testing.assert_array_equal(reader[key], vectors[key])
    file = numpact.open(numpact.compress(vectors[:, 0]))
    np.testing.assert_array_equal(file[key], vectors[key][..., 0])


ROWS: list[Any] = [
    [3, 999, 3],
    np.array([255, 4], np.uint8),
    deque([1, 2]),
    range(990, 20, -97),
    [np.uint8(255), np.int64(700)],
    [],
]


@pytest.mark.parametrize("rows", ROWS)
def test_rows_of_every_class(reader: cvc.Reader, vectors: Any, rows: Any) -> None:
    expected = vectors[np.array(list(rows), int)]
    np.testing.assert_array_equal(reader.gather(rows), expected)
    np.testing.assert_array_equal(reader[rows], expected)


@pytest.mark.parametrize(
    "rows",
    [[True, False], np.array([True] * 999), [1, True], [1.0], [2**53 + 1, 0.5], [-1001], "ab"],
)
def test_rows_that_are_none(reader: cvc.Reader, rows: Any) -> None:
    with pytest.raises(numpact.InvalidArgumentError):
        reader.gather(rows)


def test_small_integers_do_not_wrap_around(reader: cvc.Reader, vectors: Any) -> None:
    a, n = np.uint8(200), np.uint8(100)
    np.testing.assert_array_equal(reader.read(a, n), vectors[200:300])
    np.testing.assert_array_equal(
        reader.read_ranges([(a, n), (a, n), (n, a)])[0],
        np.concatenate([vectors[200:300], vectors[200:300], vectors[100:300]]),
    )
    np.testing.assert_array_equal(
        reader.read_ranges(np.array([[250, 10]], np.uint8))[0], vectors[250:260]
    )
    file = numpact.open(numpact.compress(vectors[:, 0]))
    np.testing.assert_array_equal(file.read(a, n), vectors[200:300, 0])
    np.testing.assert_array_equal(reader.read_chunk(np.uint8(2)), vectors[260:390])
    assert reader.read(0, 5, column=np.int8(0)).shape == (5, 3)


@pytest.mark.parametrize("wrong", [True, 1.0, "1", None])
def test_places_that_are_no_integers(reader: cvc.Reader, wrong: Any) -> None:
    file = numpact.open(numpact.compress(np.arange(1000)))
    for call in (
        lambda: reader.read(wrong, 1),
        lambda: reader.read_ranges([(0, wrong)]),
        lambda: reader.read_chunk(wrong),
        lambda: file.read(wrong, 1),
        lambda: file.read_into(wrong, np.empty(3, np.int64)),
    ):
        with pytest.raises(numpact.TypeMismatchError):
            call()
    if wrong is not None:
        with pytest.raises(KeyError):
            reader.read(column=wrong)


@pytest.mark.parametrize("indices", [[True], [0.0], np.array([True]), "0", [99]])
def test_chunks_that_are_none(reader: cvc.Reader, indices: Any, tmp_path: Any) -> None:
    path = tmp_path / "a.cvc"
    cvc.pack_cvc(np.zeros((9, 2), "f4"), path, chunk_size=np.uint8(4))
    for call in (
        lambda: list(cvc.load_cvc_chunked(path, indices)),
        lambda: cvc.load_cvc_range(path, indices),
    ):
        with pytest.raises(numpact.Error):
            call()
    assert cvc.load_cvc_range(path, np.array([1, 0], np.uint8)).shape == (8, 2)
