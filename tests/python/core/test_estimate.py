# SPDX-License-Identifier: Apache-2.0
"""numpact.estimate_size."""

from __future__ import annotations

import numpy as np
import pytest

import numpact


def prices(count: int) -> np.ndarray:
    rng = np.random.default_rng(5)
    return np.round(1000 + rng.normal(size=count).cumsum(), 2)


@pytest.mark.parametrize("count", [0, 1, 100, 5000, 200_000])
def test_is_near_the_size_of_the_file(count: int) -> None:
    numbers = prices(count)
    found = numpact.estimate_size(numbers)
    assert abs(len(numpact.compress(numbers)) - found.size) <= found.error
    assert found == numpact.estimate_size(numbers)
    assert isinstance(found, numpact.SizeEstimate)


def test_names_the_choice_and_follows_the_arguments() -> None:
    numbers = prices(50_000)
    found = numpact.estimate_size(numbers)
    chunk = numpact.inspect(numpact.compress(numbers)).chunks[0]
    assert (found.mode, found.delta) == (chunk.mode, chunk.delta)
    classic = numpact.estimate_size(numbers, mode="classic", delta="none")
    assert (classic.mode, classic.delta) == ("classic", "none")
    assert classic.size > found.size
    pages = numpact.estimate_size(numbers, paging=500, trailer=True)
    assert pages.size > found.size + 99 * 40
    assert abs(len(numpact.compress(numbers, paging=500, trailer=True)) - pages.size) <= pages.error


def test_refuses_what_compress_refuses() -> None:
    numbers = prices(100)
    for arguments in ({"level": 13}, {"mode": "int-mult=3"}, {"compat": "9"}, {"paging": 0}):
        with pytest.raises(numpact.InvalidArgumentError):
            numpact.compress(numbers, **arguments)
        with pytest.raises(numpact.InvalidArgumentError):
            numpact.estimate_size(numbers, **arguments)
