# SPDX-License-Identifier: Apache-2.0
"""Rounding within a bound: alone, by compress and in tables."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import numpact
from numpact import InvalidArgumentError, RoundingReport, TypeMismatchError


def walk(n: int = 20_000, dtype: Any = np.float64) -> Any:
    return np.cumsum(np.random.default_rng(3).normal(size=n)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("max_error", [0.0, 1e-9, 0.003, 0.05, 7.0])
def test_no_number_is_beyond_the_bound(dtype: Any, max_error: float) -> None:
    x = walk(5000, dtype)
    numbers, report = numpact.round_numbers(x, max_error=max_error)
    assert numbers.dtype == dtype
    errors = np.abs(numbers.astype(np.longdouble) - x.astype(np.longdouble))
    assert errors.max() <= max_error
    assert float(errors.max()) == report.max_error
    assert report.numbers == 5000
    assert report.changed == (numbers != x).sum()


def test_compress_rounds_and_reports() -> None:
    x = walk(100_000)
    reports: list[RoundingReport] = []
    file = numpact.compress(x, max_error=0.01, report=reports.append)
    out = numpact.decompress(file)
    assert np.abs(out - x).max() == reports[0].max_error <= 0.01
    assert len(file) * 3 < len(numpact.compress(x))
    numbers, report = numpact.round_numbers(x, max_error=0.01)
    assert (numbers == out).all()
    assert report == reports[0]
    assert (numpact.decompress(numpact.compress(x, decimals=1)) == x.round(1)).mean() > 0.999


def test_bits_are_those_of_numcodecs() -> None:
    numcodecs = pytest.importorskip("numcodecs")
    for dtype in (np.float16, np.float32, np.float64):
        x = walk(3000, dtype)
        codec = numcodecs.get_codec({"id": "bitround", "keepbits": 5})
        expected = codec.decode(codec.encode(x.copy()))
        assert (numpact.round_numbers(x, keep_bits=5).numbers == expected).all()


def test_what_is_no_number_is_kept() -> None:
    payload = np.array([0x7FF8000000001234], np.uint64).view(np.float64)[0]
    x = np.array([math.inf, -math.inf, payload, -0.0, 0.0, -999.0, -998.9999, 1.23456])
    for options in ({"decimals": 2}, {"keep_bits": 9}, {"max_error": 0.01}):
        numbers, report = numpact.round_numbers(x, fill=-999.0, **options)  # type: ignore[arg-type]
        assert numbers[:6].tobytes() == x[:6].tobytes()
        assert numbers[6] != -999.0 or report.changed == 0
    image = np.arange(12, dtype=np.float32).reshape(3, 4) / 7
    assert numpact.round_numbers(image, decimals=1).numbers.shape == (3, 4)


def test_integers() -> None:
    x = np.random.default_rng(4).integers(-10_000, 10_000, 50_000).astype(np.int32)
    numbers, report = numpact.round_numbers(x, max_error=5)
    assert np.abs(numbers - x).max() <= 5
    assert report.step >= 8
    hundreds = numpact.round_numbers(x, decimals=-2).numbers
    assert (hundreds % 100 == 0).all()
    assert numpact.round_numbers(x, decimals=2).report.changed == 0
    with pytest.raises(TypeMismatchError, match="no mantissa"):
        numpact.round_numbers(x, keep_bits=3)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({}, InvalidArgumentError),
        ({"max_error": 1, "decimals": 2}, InvalidArgumentError),
        ({"max_error": -1}, InvalidArgumentError),
        ({"max_error": math.nan}, InvalidArgumentError),
        ({"max_error": "1"}, TypeMismatchError),
        ({"decimals": 1.5}, TypeMismatchError),
        ({"decimals": 23}, InvalidArgumentError),
        ({"keep_bits": 53}, InvalidArgumentError),
        ({"keep_bits": True}, TypeMismatchError),
        ({"decimals": 2, "fill": "x"}, InvalidArgumentError),
    ],
)
def test_requests_that_are_refused(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        numpact.round_numbers(walk(10), **options)


def test_other_refusals() -> None:
    with pytest.raises(TypeMismatchError, match="datetime64"):
        numpact.compress(np.array(["2024-01-01"], "M8[s]"), decimals=-1)
    with pytest.raises(TypeMismatchError, match="bool"):
        numpact.round_numbers(np.array([True]), decimals=1)
    with pytest.raises(InvalidArgumentError, match="report"):
        numpact.compress(walk(10), report=print)
    with pytest.raises(InvalidArgumentError, match="fill"):
        numpact.compress(walk(10), fill=0)
    with pytest.raises(InvalidArgumentError, match="float16 must be 0 to 10"):
        numpact.round_numbers(walk(10, np.float16), keep_bits=11)
    with pytest.raises(InvalidArgumentError, match="int8 does not hold 300"):
        numpact.round_numbers(np.array([1], np.int8), max_error=2, fill=300)


def test_columns_of_tables(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    x = walk(5000)
    table = pa.table(
        {
            "x": x,
            "n": pa.array([None if i % 7 == 0 else i / 3 for i in range(5000)]),
            "i": np.arange(5000),
            "t": pa.array(range(5000), pa.timestamp("s")),
            "s": ["a"] * 5000,
        }
    )
    path = tmp_path / "t"
    reports: dict[str, RoundingReport] = {}
    rounding = {"x": {"max_error": 0.02}, "n": {"decimals": 1}, "i": {"max_error": 3}}
    numpact.write_table(table, path, rounding=rounding, report=reports.__setitem__)
    assert list(reports) == ["x", "n", "i"]
    read = numpact.read_table(path).to_arrow()
    assert np.abs(read["x"].to_numpy() - x).max() == reports["x"].max_error <= 0.02
    assert read["n"].null_count == table["n"].null_count
    assert read["n"][1].as_py() == 0.3
    assert reports["n"].numbers == 5000 - table["n"].null_count
    numpact.append_table(table, path)
    again = numpact.read_table(path, ["x"]).to_arrow()["x"].to_numpy()
    assert (again[:5000] == read["x"].to_numpy()).all()
    assert (again[5000:] == x).all()
    numpact.append_table(table, path, rounding={"x": {"decimals": 0}})
    again = numpact.read_table(path, ["x"]).to_arrow()["x"].to_numpy()
    assert (again[5000:10_000] == x).all()
    assert (again[10_000:] == x.round()).all()


@pytest.mark.parametrize(
    ("rounding", "message"),
    [
        ({"z": {"decimals": 1}}, "no column 'z'"),
        ({"s": {"decimals": 1}}, "no column of numbers"),
        ({"t": {"decimals": 1}}, "no column of numbers"),
        ({"x": {"digits": 1}}, "none of"),
        ({"x": {}}, "give one"),
        ({"x": 2}, "mapping"),
        ({"i": {"keep_bits": 2}}, "no mantissa"),
    ],
)
def test_columns_that_are_refused(tmp_path: Path, rounding: Any, message: str) -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"x": [1.5], "i": [1], "t": pa.array([1], pa.timestamp("s")), "s": [{"a": 1}]})
    with pytest.raises((InvalidArgumentError, TypeMismatchError), match=message):
        numpact.write_table(table, tmp_path / "t", rounding=rounding)
    assert not (tmp_path / "t").exists()
