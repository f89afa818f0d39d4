# SPDX-License-Identifier: Apache-2.0
"""Compressions that are numpact's addition, against NumPy's words for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import numpact
from numpact import cvc

Array = np.ndarray[Any, Any]
NEW = ["bfloat16", "int8_row", "int8_dim", "int4", "pco"]
DATA = Path(__file__).resolve().parents[4] / "shared" / "data"


def quantised(x: Array, axis: int, maximum: int) -> Array:
    one = np.float32(1)
    low = x.min(axis=axis, keepdims=True)
    high = x.max(axis=axis, keepdims=True)
    scale = np.where(high == low, one, (high - low) / np.float32(maximum)).astype(np.float32)
    return np.rint((x - low) / scale).clip(0, maximum).astype(np.float32) * scale + low


def as_bfloat16(x: Array) -> Array:
    bits = x.view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


def expected(x: Array, compression: str) -> Array:
    if compression == "bfloat16":
        return as_bfloat16(x)
    if compression == "pco":
        return x
    return quantised(x, 1 if compression == "int8_row" else 0, 15 if compression == "int4" else 255)


@pytest.mark.parametrize("compression", NEW)
def test_values(compression: str, tmp_path: Path) -> None:
    x = np.random.default_rng(1).normal(size=(700, 33)).astype(np.float32)
    path = tmp_path / "x.cvc"
    with cvc.Writer(path, compression=compression, chunk_size=500, rounding="nearest") as writer:
        writer.append(x)
    expected_value = np.concatenate(
        [expected(x[:500], compression), expected(x[500:], compression)]
    )
    reader = cvc.Reader(path)
    np.testing.assert_array_equal(reader.read(threads=2), expected_value)
    np.testing.assert_array_equal(cvc.load_cvc(path), expected_value)
    ids = np.array([699, 0, 499, 500, 0])
    np.testing.assert_array_equal(reader.gather(ids), expected_value[ids])
    np.testing.assert_array_equal(reader[490:510], expected_value[490:510])
    assert reader.verify() == []
    assert cvc.validate_cvc_integrity(path)["valid"]
    assert cvc.get_cvc_info(path)["compression"] == compression


@pytest.mark.parametrize("compression", NEW)
def test_the_reference_says_what_it_does_not_know(compression: str, tmp_path: Path) -> None:
    theirs = pytest.importorskip("decompressed")
    path = tmp_path / "x.cvc"
    cvc.pack_cvc(np.ones((3, 4), np.float32), path, compression)
    assert theirs.get_cvc_info(path)["compression"] == compression
    with pytest.raises(ValueError, match="Unknown compression type"):
        theirs.load_cvc(path)


@pytest.mark.parametrize("compression", ["int8_row", "int8_dim", "int4"])
def test_codes(compression: str) -> None:
    x = np.random.default_rng(2).normal(size=(50, 9)).astype(np.float32)
    with cvc.Writer(None, compression=compression, chunk_size=30) as writer:
        writer.append(x)
    reader = cvc.Reader(writer.contents)
    codes, runs = reader.read_codes(20, 25)
    if compression == "int4":
        assert codes.shape == (25, 5)
        codes = np.stack([codes & 15, codes >> 4], axis=2).reshape(25, 10)[:, :9]
    assert [run.rows for run in runs] == [10, 15]
    values = []
    for run, some in zip(runs, np.split(codes, [10]), strict=True):
        by_row = compression == "int8_row"
        scales, mins = (
            (run.scales[:, None], run.mins[:, None]) if by_row else (run.scales, run.mins)
        )
        values.append(some.astype(np.float32) * scales + mins)
    np.testing.assert_array_equal(np.concatenate(values), reader[20:45])


@pytest.mark.parametrize("compression", ["int8_row", "int8_dim", "int4"])
@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_what_steps_cannot_hold(compression: str, odd: float) -> None:
    x = np.ones((4, 3), np.float32)
    x[1, 2] = odd
    with (
        pytest.raises(numpact.InvalidArgumentError, match="allow_nonfinite"),
        cvc.Writer(None, compression=compression) as writer,
    ):
        writer.append(x)
    with cvc.Writer(None, compression=compression, allow_nonfinite=True) as writer:
        writer.append(x)
    found = cvc.Reader(writer.contents).read()
    hit = np.zeros((4, 3), bool)
    hit[1 if compression == "int8_row" else slice(None), :] = True
    if compression != "int8_row":
        hit[:, :2] = False
    np.testing.assert_array_equal(np.isnan(found), hit)


def test_pco_refuses_to_round() -> None:
    with (
        pytest.raises(numpact.InvalidArgumentError, match="would be rounded"),
        cvc.Writer(None, compression="pco") as writer,
    ):
        writer.append(np.array([[0.1, 0.2]]))


def test_pco_columns_keep_integers(tmp_path: Path) -> None:
    path = tmp_path / "x.cvc"
    data = {
        "id": np.arange(10**12, 10**12 + 20000),
        "label": np.arange(20000, dtype=np.uint8) % 7,
        "score": np.linspace(0, 1, 20000, dtype=np.float32),
        "half": np.linspace(0, 1, 20000, dtype=np.float16),
    }
    with cvc.Writer(
        path, columns={n: (1, a.dtype.name) for n, a in data.items()}, compression="pco"
    ) as writer:
        writer.append(data)
    assert path.stat().st_size < 40000
    reader = cvc.Reader(path)
    for name, array in data.items():
        assert reader.read(column=name, dtype=array.dtype).tobytes() == array.tobytes()
    found = cvc.load_cvc_columns(path, ["id", "half"])
    assert found["id"].dtype == np.int64
    assert found["half"].dtype == np.float32


@pytest.mark.parametrize(
    "name", ["podcast_4096_f16", "queries_bge_1024", "sift_128", "wine_minilm_384"]
)
def test_pco_is_the_smallest_lossless_one(name: str, tmp_path: Path) -> None:
    file = DATA / f"emb_{name}.npy"
    if not file.is_file():
        pytest.skip(f"{file} is absent")
    x = np.load(file)
    cvc.pack_cvc(x, tmp_path / "pco.cvc", "pco")
    cvc.pack_cvc(x, tmp_path / "lossless.cvc", "lossless")
    size = (tmp_path / "pco.cvc").stat().st_size
    assert size < (tmp_path / "lossless.cvc").stat().st_size
    assert size < len(numpact.compress(x.reshape(-1))) * 1.005
    found = cvc.Reader(tmp_path / "pco.cvc").read(dtype=x.dtype)
    assert found.tobytes() == x.tobytes()


def lost_neighbours(x: Array, stored: Array) -> float:
    def nearest(base: Array) -> Array:
        scores = x @ base.T - 0.5 * (base * base).sum(axis=1)
        np.fill_diagonal(scores, -np.inf)
        return np.argsort(-scores, axis=1, kind="stable")[:, :10]

    pairs = zip(nearest(x), nearest(stored), strict=True)
    return 1 - float(np.mean([len(np.intersect1d(a, b)) / 10 for a, b in pairs]))


@pytest.mark.parametrize("bits", [1, 2, 3, 4])
def test_codes_of_rotated_rows_are_those_stored(bits: int) -> None:
    x = np.random.default_rng(6).normal(size=(90, 21)).astype(np.float32)
    with cvc.Writer(None, compression=f"rot{bits}", chunk_size=50) as writer:
        writer.append(x)
    reader = cvc.Reader(writer.contents)
    codes, runs = reader.read_codes(40, 20)
    assert codes.shape == (20, 4 + -(-21 * bits // 8))
    assert [(run.rows, len(run.scales)) for run in runs] == [(10, 0), (10, 0)]
    assert codes[3].tobytes() in writer.contents
    error = reader.read() - x
    assert (error**2).mean() < {1: 0.45, 2: 0.15, 3: 0.045, 4: 0.013}[bits]


@pytest.mark.parametrize("compression", ["int8_row", "int8_dim", "int4"])
def test_rounding_for_search(compression: str) -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(1500, 8)) @ rng.normal(size=(8, 96)) + rng.normal(0, 0.3, (1500, 96))
    x = x.astype(np.float32)
    losses = {}
    for rounding in ("nearest", "search"):
        with cvc.Writer(None, compression=compression, rounding=rounding) as writer:
            writer.append(x)
        losses[rounding] = lost_neighbours(x, cvc.Reader(writer.contents).read())
    assert losses["search"] < 0.75 * losses["nearest"], losses
    with pytest.raises(numpact.InvalidArgumentError, match="rounding"):
        cvc.Writer(None, compression=compression, rounding="up")
