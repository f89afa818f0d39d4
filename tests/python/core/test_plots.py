# SPDX-License-Identifier: Apache-2.0
"""Pictures by matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt
import pytest

import numpact
from numpact import cvc

pytest.importorskip("matplotlib")


def plotted(numbers: npt.NDArray[Any], chunk: int = 0, **options: Any) -> Any:
    return numpact.inspect(numpact.compress(numbers, **options)).plot(chunk)


def boxes(axes: Any) -> list[Any]:
    return list(axes.patches)


def test_boxes_are_bins(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    info = numpact.inspect(
        numpact.compress(
            np.round(rng.uniform(50, 150, 20_000), 2), mode="float-mult=0.01", delta="none"
        )
    )
    figure = info.plot()
    assert len(figure.axes) == len(info.chunks[0].variables)
    for axes, variable in zip(figure.axes, info.chunks[0].variables, strict=True):
        assert len(boxes(axes)) == len(variable.bins)
    first = figure.axes[0]
    ends = [(box.get_x(), box.get_x() + box.get_width()) for box in boxes(first)]
    assert min(low for low, _ in ends) == pytest.approx(50, abs=0.05)
    assert max(high for _, high in ends) >= 150
    widths = sorted(0.01 * 2**bin.offset_bits for bin in info.chunks[0].variables[0].bins)
    assert sorted(high - low for low, high in ends) == pytest.approx(widths)
    assert first.get_xlabel() == "number"
    assert "correction of the multiple of 0.01" in figure.axes[1].get_xlabel()
    figure.savefig(tmp_path / "a.svg")
    ElementTree.parse(tmp_path / "a.svg")


@pytest.mark.parametrize(
    ("numbers", "options", "title", "low", "high"),
    [
        (np.arange(20_000) * 25 + 1_000_000, {"mode": "int-mult=25", "delta": "none"}, "number",
         1_000_000, 1_500_000),
        (np.arange(-9000, 9000, dtype=np.int16), {"delta": "none"}, "number", -9000, 9000),
        (np.arange(20_000) ** 2, {"mode": "classic", "delta": "consecutive=1"},
         "difference, delta consecutive=1", 1, 40_000),
        (np.tile([0.1, 2.5, 7.25, 3.0], 5000), {"mode": "dict", "delta": "none"},
         "numbers of the dictionary, in its order", 0, 4),
        (np.tile([1.5, 2.25, 1e9, -3.0], 5000), {"mode": "classic", "delta": "none"}, "number",
         -3, 1e9),
    ],
    ids=["multiples", "signed", "differences", "dictionary", "floats"],
)  # fmt: skip
def test_axes(
    numbers: npt.NDArray[Any], options: dict[str, Any], title: str, low: float, high: float
) -> None:
    axes = plotted(numbers, **options).axes[0]
    assert axes.get_xlabel() == title
    assert min(box.get_x() for box in boxes(axes)) <= low
    assert max(box.get_x() + box.get_width() for box in boxes(axes)) >= high - 1
    if "dictionary" in title:
        entries = {axes.xaxis.get_major_formatter()(place, 0) for place in range(4)}
        assert entries == {"0.1", "2.5", "7.25", "3"}


def test_times() -> None:
    times = np.datetime64("2019-01-01", "us") + np.arange(20_000) * 10**9 % 99_991
    info = numpact.inspect(numpact.compress(times.astype(np.int64), delta="none", mode="classic"))
    axes = info.plot(dtype="datetime64[us]").axes[0]
    shown = axes.xaxis.get_major_formatter()(boxes(axes)[0].get_x(), 0)
    assert shown.startswith("2019-01-01T00:00:00")


def test_nan_and_infinities_are_left_out() -> None:
    axes = plotted(np.tile([1.5, 2.25, np.nan, np.inf, -np.inf], 4000), mode="classic",
                   delta="none").axes[0]  # fmt: skip
    assert "not drawn: NaN and infinities, " in axes.get_title()
    assert all(1 < box.get_x() < 3 for box in boxes(axes))


@pytest.mark.parametrize(
    "numbers",
    [
        np.zeros(5),
        np.arange(1),
        np.array([0, 2**64 - 1] * 500, np.uint64),
        np.array([1e-300, 1e300, -1e300, np.nan] * 200),
        np.arange(-128, 128, dtype=np.int8),
        np.linspace(-5, 5, 3000).astype(np.float16),
    ],
    ids=["zeros", "one", "extremes", "floats", "bytes", "halves"],
)
def test_odd_ranges(numbers: npt.NDArray[Any], tmp_path: Path) -> None:
    figure = plotted(numbers, delta="none")
    figure.savefig(tmp_path / "a.svg")
    for axes in figure.axes:
        assert all(np.isfinite([box.get_x(), box.get_width()]).all() for box in boxes(axes))


def test_missing_chunk() -> None:
    with pytest.raises(IndexError):
        plotted(np.zeros(0))


def test_quality(tmp_path: Path) -> None:
    vectors = np.random.default_rng(1).normal(size=(600, 16)).astype(np.float32)
    figure = cvc.quality(vectors, ["fp16", "int8", "lossless"]).plot()
    (axes,) = figure.axes
    assert {text.get_text() for text in axes.texts} == {"fp16", "int8", "lossless"}
    assert axes.get_xlabel() == "size (bytes per vector)"
    figure.savefig(tmp_path / "a.svg")
    with pytest.raises(numpact.InvalidArgumentError, match="no recall"):
        cvc.quality(vectors, ["fp16"], queries=0).plot()
