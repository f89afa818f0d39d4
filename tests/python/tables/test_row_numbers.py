# SPDX-License-Identifier: Apache-2.0
"""Rows by their numbers, against pyarrow's take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tables_support import every_kind

import numpact

ROWS = 3000


@pytest.fixture(scope="module")
def whole() -> pa.Table:
    return every_kind(ROWS, seed=5)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory, whole: pa.Table) -> Path:
    path = tmp_path_factory.mktemp("rows") / "t"
    numpact.write_table(whole, path, trailer=256)
    return path


def taken(table: pa.Table, numbers: Any) -> list[dict[str, Any]]:
    rows = table.to_pylist()
    return [rows[int(number)] for number in numbers]


def rows_of(table: numpact.Table) -> str:
    return repr(table.to_arrow().to_pylist())  # NaN compares by its text


rng = np.random.default_rng(3)
MASK = rng.random(ROWS) < 0.01
KEYS = {
    "list": [5, 2999, 0],
    "pair": [3, 7],
    "one": [17],
    "repeated": [9, 9, 1, 9],
    "from the end": [-1, 0, -ROWS],
    "none": [],
    "array": rng.integers(0, ROWS, 50),
    "bytes": np.array([200, 3, 255], np.uint8),
    "increasing": np.arange(0, ROWS, 61),
    "mask": MASK,
    "mask as a list": MASK.tolist(),
    "range": range(2990, 10, -700),
    "step": slice(10, None, 301),
    "backwards": slice(None, None, -500),
}


@pytest.mark.parametrize("kind", KEYS)
def test_rows_are_those_of_the_table(path: Path, whole: pa.Table, kind: str) -> None:
    key = KEYS[kind]
    numbers = np.arange(ROWS)[np.array(key, np.int64) if kind in ("none", "range") else key]
    expected = repr(taken(whole, numbers))
    opened = numpact.open_table(path)
    assert rows_of(numpact.read_table(path, rows=key)) == expected
    assert rows_of(opened.take(key)) == expected
    for table in (opened, opened.read()):
        if kind != "none":  # an empty list is one of names
            assert rows_of(table[key]) == expected
    assert opened.take(key).schema.equals(whole.schema, check_metadata=True)
    names = ["text", "i64?"]
    assert opened.take(key, names).to_arrow().to_pylist() == taken(whole.select(names), numbers)
    assert opened.read([], key).num_rows == len(numbers)


def test_a_row_is_a_dictionary(path: Path, whole: pa.Table) -> None:
    opened = numpact.open_table(path)
    for table in (opened, opened.read(), opened[0:]):
        for at in (0, 1234, -1, np.int16(7)):
            assert repr(table[at]) == repr(whole.slice(int(at) % ROWS, 1).to_pylist()[0])
    part = opened[100:200]
    assert repr(part[-1]) == repr(whole.slice(199, 1).to_pylist()[0])
    assert rows_of(part.take([0, 99])) == repr(taken(whole, [100, 199]))


@pytest.mark.parametrize(
    "key, error",
    [
        (ROWS, numpact.InvalidArgumentError),
        ([0, -ROWS - 1], numpact.InvalidArgumentError),
        (np.ones(ROWS - 1, bool), numpact.InvalidArgumentError),
        ([True, False], numpact.InvalidArgumentError),
        ([0.5], numpact.TypeMismatchError),
        (np.zeros((2, 2), int), numpact.TypeMismatchError),
    ],
)
def test_other_keys_are_refused(path: Path, key: Any, error: type[Exception]) -> None:
    opened = numpact.open_table(path)
    with pytest.raises(error):
        opened[key]
    if not isinstance(key, int):
        with pytest.raises(error):
            opened.take(key)
    with pytest.raises(numpact.InvalidArgumentError, match="a range of rows"):
        opened.read(rows=[1, 2], where="i64 > 0")
    with pytest.raises(numpact.InvalidArgumentError, match="a range of rows"):
        opened.batches(rows=[1, 2])


def test_numbers_of_rows_that_match(path: Path, whole: pa.Table) -> None:
    opened = numpact.open_table(path)
    for where in ("i64 > 20", '"i16?" is null', "text = 'a' and u8 < 30", "i8 >= -128", "i8 > 127"):
        found = opened.row_numbers(where)
        assert found.dtype == np.int64
        expected = opened.read(where=where)
        assert rows_of(opened.take(found)) == rows_of(expected)
        inside = opened.row_numbers(where, rows=(500, 900))
        assert inside.tolist() == [x for x in found.tolist() if 500 <= x < 900]
        part = opened[500:900].row_numbers(where)
        assert part.tolist() == [x - 500 for x in inside.tolist()]


def test_rows_count_in_the_limit(path: Path) -> None:
    opened = numpact.open_table(path, max_output=800)
    assert len(opened.take([5] * 100, ["i64"])) == 100
    with pytest.raises(numpact.LimitExceededError):
        opened.take([5] * 101, ["i64"])
    with pytest.raises(numpact.LimitExceededError):
        opened.take(range(0, 202, 2), ["i64"])
