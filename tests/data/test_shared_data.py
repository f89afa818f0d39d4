# SPDX-License-Identifier: Apache-2.0
"""Real columns there and back, in both directions, where the shared data is at hand."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import columns
import numpact_ctypes as numpact
import numpy as np
import pytest
import reference

FULL = os.environ.get("NUMPACT_FULL", "0") not in ("", "0")
LIMIT = None if FULL else 200_000  # numbers of each column
FILES = columns.data_files(columns.SHARED) if columns.SHARED.is_dir() else []


class Totals:
    def __init__(self) -> None:
        self.columns = self.raw = self.ours = self.theirs = 0

    def add(self, numbers: np.ndarray, ours: bytes, theirs: bytes) -> None:
        self.columns += 1
        self.raw += numbers.nbytes
        self.ours += len(ours)
        self.theirs += len(theirs)

    def __str__(self) -> str:
        return (f"{self.columns} columns, {self.raw} bytes: ours {self.ours}, pcodec "
                f"{self.theirs}, ratio {self.ours / self.theirs:.5f}")  # fmt: skip


@pytest.fixture(scope="module")
def totals(summary: list[str]) -> Iterator[Totals]:
    sums = Totals()
    yield sums
    if sums.columns:
        summary.append(f"shared data: {sums}")


def expect_same(what: str, got: np.ndarray | None, numbers: np.ndarray) -> None:
    assert got is not None and got.dtype == numbers.dtype and got.size == numbers.size, what
    same = got.view(np.uint8) == numbers.view(np.uint8)
    if not same.all():
        pytest.fail(f"{what}: differs first at {int(np.argmin(same)) // numbers.itemsize}")


def check_column(name: str, numbers: np.ndarray, totals: Totals) -> None:
    dtype, count = numbers.dtype, numbers.size
    ours, theirs = numpact.compress(numbers), reference.compress(numbers)
    totals.add(numbers, ours, theirs)
    expect_same(f"{name}: ours -> ours", numpact.decompress(ours, dtype, count), numbers)
    expect_same(f"{name}: ours -> pcodec", reference.decompress(ours, dtype, count), numbers)
    expect_same(f"{name}: pcodec -> ours", numpact.decompress(theirs, dtype, count), numbers)
    assert numpact.count_numbers(ours) == numpact.count_numbers(theirs) == count
    assert numpact.inspect(ours)["file_bytes"] == len(ours)


def test_data_is_there() -> None:
    if not FILES:
        pytest.skip(f"no shared data in {columns.SHARED}")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_columns(path: Path, totals: Totals) -> None:
    for name, numbers in columns.file_columns(path, LIMIT):
        check_column(name, numbers, totals)
