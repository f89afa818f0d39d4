# SPDX-License-Identifier: Apache-2.0
"""Columns drawn at random (./dev bench drawn): what nobody has tuned the chooser to."""

import drawn
import pytest

COLUMNS = 400


@pytest.fixture(scope="module")
def columns() -> list[drawn.Drawn]:
    return [drawn.measure(seed=1, index=index, level=8) for index in range(COLUMNS)]


def test_the_reference_reads_them(columns: list[drawn.Drawn]) -> None:
    assert [column.index for column in columns if not column.is_read_back] == []


def test_they_are_smaller(columns: list[drawn.Drawn]) -> None:
    assert drawn.geometric_mean([column.ratio for column in columns]) < 0.87


def test_hardly_any_is_larger(columns: list[drawn.Drawn]) -> None:
    """Missed bases and deltas make files several times as large."""
    over = [(column.index, column.ratio) for column in columns if column.is_over]
    assert len(over) <= 0.005 * COLUMNS, over
    assert max((ratio for _, ratio in over), default=1) < 1.2, over
