# SPDX-License-Identifier: Apache-2.0
"""Why a column has the size it has."""

from __future__ import annotations

import numpy as np
import pytest

import numpact

RNG = np.random.default_rng(4)
PRICES = np.round(1000 + RNG.normal(size=5000).cumsum(), 2)


@pytest.mark.parametrize(
    "options", [{}, {"level": 3, "paging": 1500}, {"mode": "classic", "compat": "3"}]
)
def test_it_is_of_the_file_that_compress_makes(options: dict) -> None:
    why = numpact.explain(PRICES, **options)
    file = numpact.compress(PRICES, **options)
    assert why["file"] == numpact.inspect(file)
    assert sum(why["parts"].values()) == 8 * len(file)
    assert [chunk["bytes"] for chunk in why["chunks"]] == [c.bytes for c in why["file"].chunks]
    for chunk in why["chunks"]:
        chosen = [candidate for candidate in chunk["candidates"] if candidate["chosen"]]
        assert [(c["mode"], c["delta"], c["bytes"]) for c in chosen] == [
            (chunk["mode"], chunk["delta"], chunk["bytes"])
        ]


def test_entropies() -> None:
    why = numpact.explain(
        np.arange(4096, dtype=np.uint16) % 16, mode="classic", delta="none", paging=4096
    )
    assert why["entropy"] == {"bits": 4.0, "count": 4096, "distinct": 16}
    (chunk,) = why["chunks"]
    assert chunk["entropy"] == chunk["latents"]["primary"] == why["entropy"]
    assert [(c["mode"], c["delta"]) for c in chunk["candidates"]] == [("classic", "none")]


def test_candidates_that_were_not_encoded_have_no_bytes() -> None:
    why = numpact.explain(PRICES, paging=5000)
    chunk = why["chunks"][0]
    assert any(c["bytes"] is None for c in chunk["candidates"])
    assert any(c["estimated_bits"] for c in chunk["candidates"])
    assert [c["outcome"] for c in chunk["candidates"] if c["chosen"]] == ["taken"]
    assert sum(race["chunk_count"] for race in why["runs"]) == len(why["chunks"])


def test_nothing() -> None:
    why = numpact.explain(np.empty(0, np.float32))
    assert why["chunks"] == []
    assert why["file"].type == "f32"


def test_errors() -> None:
    with pytest.raises(numpact.InvalidArgumentError):
        numpact.explain(PRICES, mode="int-mult=3")
    with pytest.raises(numpact.TypeMismatchError):
        numpact.explain(["a"])
    seen = []
    with pytest.raises(numpact.CancelledError):
        numpact.explain(PRICES, paging=1000, progress=lambda p: seen.append(p.numbers) or False)
    assert seen == [1000]
