# SPDX-License-Identifier: Apache-2.0
"""Measures compressions in Python: figures and words are those of the command."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from numpact import InvalidArgumentError, TypeMismatchError, cvc

Array = np.ndarray[Any, Any]
FIGURES = [
    "compression", "bytes", "bytes_per_vector", "ratio", "max_error", "mean_error", "rmse",
    "mean_cosine_error", "worst_cosine_error", "overflows",
]  # fmt: skip


@pytest.fixture(scope="module")
def vectors() -> Array:
    rng = np.random.default_rng(5)
    return (rng.normal(size=(600, 24)) * rng.uniform(0.2, 3, 24)).astype(np.float32)


def command(*arguments: object) -> str:
    words = [sys.executable, "-m", "numpact", "cvc", "quality", *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=600)
    return done.stdout


@pytest.mark.parametrize(
    ("dtype", "options", "arguments"),
    [
        ("float32", {}, []),
        ("float16", {"metric": "cosine", "k": 3}, ["--metric", "cosine", "-k", "3"]),
        (
            "float32",
            {"rounding": "nearest", "chunk_size": 250},
            ["--rounding=nearest", "--chunk-rows=250"],
        ),
        ("float64", {"sample": 300, "queries": 50}, ["--sample=300", "--queries=50"]),
        ("int16", {"sample": "all", "queries": "all"}, ["--sample=all", "--queries=all"]),
        (
            "float32",
            {"compressions": ["int4", "fp16"], "quantized_queries": True},
            ["--compression=int4,fp16", "--quantized-queries"],
        ),
    ],
)
def test_the_command_gives_the_same(
    vectors: Array, tmp_path: Path, dtype: str, options: dict[str, Any], arguments: list[str]
) -> None:
    rows = (vectors * 100).astype(dtype)
    np.save(tmp_path / "v.npy", rows)
    report = cvc.quality(rows, **options)
    made = json.loads(command(tmp_path / "v.npy", "--json", *arguments))
    assert (report.dtype, report.vectors, report.dimension) == (dtype, 600, 24)
    assert made["dtype"] == dtype
    assert made["search"]["sample"] == report.sample
    assert made["search"]["queries"] == report.queries
    assert made["recommended"] == report.recommended
    assert [row["name"] for row in made["compressions"]] == [
        row.compression for row in report.compressions
    ]
    for theirs, ours in zip(made["compressions"], report.compressions, strict=True):
        assert [theirs[name] for name in FIGURES] == [getattr(ours, name) for name in FIGURES]
        assert ours.recall is not None
        assert theirs["recall"] == dataclasses.asdict(ours.recall)
        assert ours.ratio == pytest.approx(rows.nbytes / ours.bytes)
    text = command(tmp_path / "v.npy", *arguments)
    table, explanation = text.split("\n\n")
    assert repr(report).startswith(table + "\n\n")
    said = explanation.replace(f"{tmp_path / 'v.npy'}: ", "vectors: ").strip()
    assert repr(report).endswith(said)


def test_all_that_can_store_the_values_are_measured(vectors: Array) -> None:
    report = cvc.quality(vectors.astype(np.float64) + 1e-12, queries=0)
    assert {name for name, _ in report.left_out} == {"lossless", "pco"}
    assert "left out: pco: " in repr(report)
    assert "none" not in [row.compression for row in report.compressions]
    assert all(row.recall is None for row in report.compressions)
    assert (report.recommended, report.advice, report.queries) == (None, "", 0)


def test_the_recommendation(vectors: Array) -> None:
    report = cvc.quality(vectors)
    assert report.recommended is not None
    assert f": {report.recommended}, which" in report.advice
    best = report[report.recommended]
    assert best.recall is not None
    assert best.recall.low >= 0.99
    smaller = [row for row in report.compressions if row.bytes < 0.97 * best.bytes]
    assert all(row.recall is not None and row.recall.low < 0.99 for row in smaller)
    page = report._repr_html_()
    assert page.count("<tr>") == 1 + len(report.compressions)
    assert page.count("font-weight:bold") == len(report._titles)
    assert report.advice.replace("'", "&#x27;") in page
    with pytest.raises(KeyError, match="'int7' was not measured, but fp16, int8"):
        report["int7"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.k = 3  # type: ignore[misc]


def test_strided_rows_and_few_rows(vectors: Array) -> None:
    part = vectors[::2, :16]
    strided = cvc.quality(part, "int8_dim", chunk_size=70)
    assert strided == cvc.quality(part.copy(), "int8_dim", chunk_size=70)
    assert strided == cvc.quality(part, "int8_dim", chunk_size=70, threads=1)
    few = cvc.quality(vectors[:10])
    assert "10 rows are too few for 10 neighbours of each: no recall" in repr(few)


def test_bad_input_is_named(vectors: Array) -> None:
    known = "fp16, int8, lossless, none, bfloat16, int4, int8_row, int8_dim, pco"
    known += ", rot1, rot2, rot3, rot4"
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"compressions": ["fp16", "int7"]}, f"unknown compression 'int7': {known}"),
        ({"compressions": "none"}, "none: .*one array"),
        ({"metric": "hamming"}, "unknown metric 'hamming': l2, cosine or dot"),
        ({"rounding": "up"}, "unknown rounding 'up': auto, search or nearest"),
        ({"k": 0}, "k must be at least 1, not 0"),
        ({"queries": -1}, "queries must be at least 0, not -1"),
        ({"sample": "some"}, "sample is a count of rows, 'all' or None, not 'some'"),
        ({"chunk_size": 0}, "chunk_size must be at least 1"),
    ]
    for options, message in wrong:
        with pytest.raises(InvalidArgumentError, match=message):
            cvc.quality(vectors, **options)
    with pytest.raises(InvalidArgumentError, match=r"pco: .*would be rounded"):
        cvc.quality(np.full((9, 2), 0.1), "pco")
    for rows in (vectors[0], vectors[:0], vectors[:, :0]):
        with pytest.raises(InvalidArgumentError, match=r"two dimensions|nothing to measure"):
            cvc.quality(rows)
    holed = vectors.copy()
    holed[21, 2] = np.nan
    with pytest.raises(InvalidArgumentError, match=r"row 21, value 2 is nan: not finite"):
        cvc.quality(holed)
    with pytest.raises(TypeMismatchError, match="cannot be stored"):
        cvc.quality(np.zeros((3, 2), complex))
