# SPDX-License-Identifier: Apache-2.0
"""Calls on few numbers take no longer than those of pcodec."""

from __future__ import annotations

import timeit
from collections.abc import Callable
from typing import Any

import numpact.pcodec as ours
import numpy as np
import pytest

CALLS = 2000
ROUNDS = 40


def best_times(calls: list[Callable[[], object]]) -> list[float]:
    """Seconds, of the best round of each; in turn, so that all meet the same disturbances."""
    best = [float("inf")] * len(calls)
    for _ in range(ROUNDS):
        for i, call in enumerate(calls):
            best[i] = min(best[i], timeit.timeit(call, number=CALLS) / CALLS)
    return best


def decoding(pcodec: Any, file: bytes, _dst: Any) -> Callable[[], object]:
    function = pcodec.standalone.simple_decompress
    return lambda: function(file)


def decoding_into(pcodec: Any, file: bytes, dst: Any) -> Callable[[], object]:
    function = pcodec.standalone.simple_decompress_into
    return lambda: function(file, dst)


@pytest.mark.slow
@pytest.mark.parametrize("make", [decoding, decoding_into])
@pytest.mark.parametrize("shape", ["normal", "ints", "constant", "one"])
def test_small_calls(
    make: Callable[..., Callable[[], object]],
    shape: str,
    reference: Any,
    rng: np.random.Generator,
) -> None:
    x = {
        "normal": rng.normal(size=1000),
        "ints": rng.integers(0, 1000, 1000),
        "constant": np.zeros(1000, np.int64),
        "one": np.zeros(1),
    }[shape]
    file = reference.standalone.simple_compress(x, reference.ChunkConfig())
    mine, theirs = best_times([make(m, file, np.empty_like(x)) for m in (ours, reference)])
    print(f"{shape}: {mine * 1e6:.2f} us, pcodec {theirs * 1e6:.2f} us")
    assert mine <= 1.1 * theirs
