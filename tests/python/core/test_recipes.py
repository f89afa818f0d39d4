# SPDX-License-Identifier: Apache-2.0
"""Recipes for many series of one kind, and budgets of bytes."""

from __future__ import annotations

import copy
import io
import pickle
from pathlib import Path

import numpy as np
import pytest

import numpact

SERIES = 400
RNG = np.random.default_rng(11)
#: Prices in cents: series of a kind.
SAMPLE = (RNG.integers(-20, 21, 30 * SERIES).cumsum() / 100).round(2)
RECIPE = numpact.choose_recipe(SAMPLE, paging=SERIES)
NOISE = RNG.integers(0, 2**64, 200_000, np.uint64)


def series(k: int) -> np.ndarray:
    return SAMPLE[k * SERIES : (k + 1) * SERIES]


def test_a_recipe_is_what_the_files_have() -> None:
    assert RECIPE.dtype == np.float64
    assert str(RECIPE).startswith("f64 float-mult=0.01 ")
    file = numpact.compress(series(3), recipe=RECIPE)
    assert file == numpact.compress(series(3), recipe=str(RECIPE))
    (chunk,) = numpact.inspect(file).chunks
    assert f"f64 {chunk.mode} {chunk.delta}" == str(RECIPE)
    assert (numpact.decompress(file) == series(3)).all()
    chosen = sum(len(numpact.compress(series(k))) for k in range(30))
    by_recipe = sum(len(numpact.compress(series(k), recipe=RECIPE)) for k in range(30))
    assert by_recipe <= 1.05 * chosen


@pytest.mark.parametrize("code", ["u1", "i2", "f2", "u4", "i8", "f4", "f8"])
def test_any_numbers_come_back(code: str) -> None:
    dtype = np.dtype(code)
    sample = np.tile(np.arange(100) * 3, 9).astype(dtype)
    recipe = numpact.choose_recipe(sample, paging=300)
    assert recipe.dtype == dtype
    for numbers in (sample, RNG.bytes(800 * dtype.itemsize), b""):
        x = numbers if isinstance(numbers, np.ndarray) else np.frombuffer(numbers, dtype)
        for options in ({}, {"level": 0}, {"paging": 70}, {"trailer": True}):
            file = numpact.compress(x, recipe=recipe, **options)
            assert numpact.decompress(file).tobytes() == x.tobytes()


def test_recipes_are_values() -> None:
    again = numpact.Recipe(str(RECIPE))
    assert again == RECIPE
    assert hash(again) == hash(RECIPE)
    assert repr(RECIPE) == f"Recipe('{RECIPE}')"
    assert again != numpact.Recipe("f64 classic none")
    assert again != str(again)
    for other in (pickle.loads(pickle.dumps(RECIPE)), copy.copy(RECIPE), copy.deepcopy(RECIPE)):
        assert other == RECIPE
        assert numpact.compress(series(0), recipe=other) == numpact.compress(
            series(0), recipe=RECIPE
        )
    with pytest.raises(AttributeError, match="immutable"):
        RECIPE.text = "f64 classic none"  # type: ignore[attr-defined]


def test_writers_use_them(tmp_path: Path) -> None:
    sink = io.BytesIO()
    with numpact.Writer(sink, "f8", recipe=RECIPE, paging=SERIES, trailer=True) as writer:
        for k in range(30):
            writer.write(series(k))
    file = sink.getvalue()
    assert (numpact.decompress(file) == SAMPLE).all()
    chunks = numpact.inspect(file).chunks
    assert len(chunks) == 30
    assert {f"f64 {chunk.mode} {chunk.delta}" for chunk in chunks} == {str(RECIPE)}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"recipe": "i64 classic none"}, "another number type"),
        ({"recipe": RECIPE, "mode": "classic"}, "besides the recipe"),
        ({"recipe": RECIPE, "delta": "none"}, "besides the recipe"),
        ({"recipe": "f64 dict none", "compat": "3"}, "lacks what the recipe needs"),
        ({"recipe": "f64 classic"}, "."),
        ({"recipe": "classic none"}, "begins with its number type"),
        ({"recipe": ""}, "begins with its number type"),
        ({"recipe": 7}, "a Recipe or its text, not int"),
        ({"recipe": numpact.Recipe}, "a Recipe or its text, not type"),
    ],
)
def test_what_is_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(numpact.InvalidArgumentError, match=words):
        numpact.compress(series(0), **options)  # type: ignore[arg-type]

    def write() -> None:
        with numpact.Writer(io.BytesIO(), "f8", **options) as writer:  # type: ignore[arg-type]
            writer.write(series(0))

    with pytest.raises(numpact.InvalidArgumentError, match=words):
        write()


def test_recipes_need_numbers() -> None:
    with pytest.raises(numpact.InvalidArgumentError, match="at least one number"):
        numpact.choose_recipe(np.empty(0))
    with pytest.raises(numpact.TypeMismatchError):
        numpact.choose_recipe(["a"])


def test_budgets() -> None:
    file = numpact.compress(SAMPLE)
    assert numpact.compress(SAMPLE, max_bytes=len(file)) == file
    assert numpact.compress(SAMPLE, max_bytes=None) == file
    assert numpact.compress(SAMPLE, max_bytes=1 << 70) == file
    for maximum in (len(file) - 1, 30, 0):
        with pytest.raises(numpact.OutputTooSmallError):
            numpact.compress(SAMPLE, max_bytes=maximum)
    with_trailer = numpact.compress(SAMPLE, trailer=True)
    with pytest.raises(numpact.OutputTooSmallError):
        numpact.compress(SAMPLE, trailer=True, max_bytes=len(with_trailer) - 1)
    for wrong in (-1, 0.5, "9", True):
        with pytest.raises(numpact.InvalidArgumentError, match="max_bytes"):
            numpact.compress(SAMPLE, max_bytes=wrong)  # type: ignore[arg-type]


def test_noise_is_given_up_before_it_is_encoded() -> None:
    """The progress function is called after each chunk: none was finished."""
    finished: list[int] = []

    def note(progress: numpact.Progress) -> None:
        finished.append(progress.numbers)

    with pytest.raises(numpact.OutputTooSmallError):
        numpact.compress(NOISE, max_bytes=NOISE.nbytes, progress=note)
    assert finished == []
    numpact.compress(NOISE, progress=note)
    assert finished[-1] == NOISE.size


def test_writers_keep_to_a_budget(tmp_path: Path) -> None:
    path = tmp_path / "noise.pco"
    writer = numpact.Writer(path, np.uint64, max_bytes=500_000, paging=10_000, threads=1)

    def write() -> None:
        for block in np.array_split(NOISE, 20):
            writer.write(block)

    with pytest.raises(numpact.OutputTooSmallError, match="max_bytes"):
        write()
    assert 300_000 < writer.bytes_written <= 500_000
    assert writer.closed
    assert not path.exists()
    with numpact.Writer(path, np.uint64, max_bytes=2_000_000, paging=10_000) as writer:
        writer.write(NOISE)
    assert path.stat().st_size <= 2_000_000
