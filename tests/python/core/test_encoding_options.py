# SPDX-License-Identifier: Apache-2.0
"""Files for readers of older versions, for fast decoding, and cut where numbers change."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

import numpact

FORMATS = {"1": (1, 0), "2": (2, 0), "3": (3, 0), "4.0": (4, 0), "4.1": (4, 1)}
TYPES = ["u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8"]


def holds(compat: str, dtype: np.dtype) -> bool:
    if dtype.itemsize == 1:
        return compat == "4.1"
    return dtype.itemsize > 2 or compat != "1"


def numbers_for(dtype: np.dtype, seed: int) -> np.ndarray:
    """Steps, repeats and noise: something for each mode and delta."""
    rng = np.random.default_rng(seed)
    steps = rng.integers(-3, 4, 6000).cumsum()
    again = np.tile(rng.integers(0, 50, 100), 30)
    return np.concatenate([steps, again * 7, rng.integers(0, 100, 3000)]).astype(dtype)


@pytest.mark.parametrize("compat", FORMATS)
@pytest.mark.parametrize("code", TYPES)
def test_older_versions(compat: str, code: str) -> None:
    numbers = numbers_for(np.dtype(code), 1)
    if not holds(compat, numbers.dtype):
        with pytest.raises(numpact.InvalidArgumentError, match="number type"):
            numpact.compress(numbers, compat=compat)
        return
    for level in (0, 8, 12):
        file = numpact.compress(numbers, level=level, compat=compat)
        info = numpact.inspect(file)
        assert info.format_version == FORMATS[compat]
        assert info.standalone_version == (3 if compat[0] == "4" else 2)
        assert (numpact.decompress(file) == numbers).all()
        for chunk in info.chunks:
            if compat != "4.1":
                assert chunk.mode != "dict"
                assert not chunk.delta.startswith("conv1")
            if compat in ("1", "2"):
                assert chunk.delta != "lookback"
            if compat == "1":
                assert not chunk.mode.startswith("float-quant")
        with io.BytesIO() as sink:
            with numpact.Writer(sink, numbers.dtype, level=level, compat=compat) as writer:
                writer.write(numbers)
            streamed = sink.getvalue()
        assert streamed[:5] == file[:5]
        assert (numpact.decompress(streamed) == numbers).all()


@pytest.mark.parametrize("compat", FORMATS)
def test_the_reference_reads_older_versions(compat: str) -> None:
    standalone = pytest.importorskip("pcodec").standalone
    for code in TYPES:
        numbers = numbers_for(np.dtype(code), 2)
        if not holds(compat, numbers.dtype):
            continue
        for level in (2, 8):
            file = numpact.compress(numbers, level=level, compat=compat)
            again = standalone.simple_decompress(file)
            assert again.dtype == numbers.dtype
            assert (again == numbers).all()


@pytest.mark.parametrize(("compat", "options"), [
    ("1", {"mode": "float-quant=20"}), ("2", {"delta": "lookback"}), ("3", {"mode": "dict"}),
    ("4.0", {"mode": "dict"}), ("4.0", {"delta": "conv1=2"}),
])  # fmt: skip
def test_what_an_older_version_lacks_is_refused(compat: str, options: dict[str, str]) -> None:
    numbers = np.zeros(10, np.float32)
    with pytest.raises(numpact.InvalidArgumentError, match="format version"):
        numpact.compress(numbers, compat=compat, **options)
    numpact.compress(numbers, **options)


@pytest.mark.parametrize("compat", ["", "0", "4", "5", "latest"])
def test_unknown_versions(compat: str) -> None:
    with pytest.raises(numpact.InvalidArgumentError, match="compat"):
        numpact.compress([1, 2, 3], compat=compat)
    with pytest.raises(numpact.InvalidArgumentError, match="compat"):
        numpact.explain([1, 2, 3], compat=compat)
    with pytest.raises(numpact.InvalidArgumentError, match="compat"):
        numpact.Writer(io.BytesIO(), "int64", compat=compat)


def test_appending_keeps_the_version(tmp_path: Path) -> None:
    path = tmp_path / "a.pco"
    numbers = numbers_for(np.dtype("i2"), 3)
    path.write_bytes(numpact.compress(numbers, compat="4.0"))
    numpact.append(path, numbers)
    assert numpact.inspect(path).format_version == (4, 0)
    assert (numpact.decompress(path.read_bytes()) == np.tile(numbers, 2)).all()
    with pytest.raises(numpact.InvalidArgumentError, match="format version"):
        numpact.append(path, numbers, mode="dict")


def looks_back(file: bytes) -> bool:
    return any(chunk.delta == "lookback" for chunk in numpact.inspect(file).chunks)


def test_favor_decode_speed() -> None:
    rng = np.random.default_rng(4)
    numbers = rng.integers(0, 2**32, 60_000, dtype=np.uint32)
    for i in np.flatnonzero(rng.random(numbers.size) < 0.12):
        if i >= 500:
            numbers[i] = numbers[i - 500]
    assert looks_back(numpact.compress(numbers))
    fast = numpact.compress(numbers, favor_decode_speed=True)
    assert not looks_back(fast)
    assert (numpact.decompress(fast) == numbers).all()


def test_decode_weight() -> None:
    rng = np.random.default_rng(4)
    numbers = np.cumsum(rng.normal(0, 100, 60_000)).astype(np.int32)
    sizes = []
    for weight in (0, 0.5, 8, 128):
        file = numpact.compress(numbers, decode_weight=weight)
        assert (numpact.decompress(file) == numbers).all()
        sizes.append(len(file))
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
    chunks = numpact.inspect(file).chunks
    assert all(chunk.delta == "none" and chunk.mode == "classic" for chunk in chunks)
    for wrong in (-1, 129, float("nan"), "1"):
        with pytest.raises(numpact.InvalidArgumentError, match="decode_weight"):
            numpact.compress(numbers, decode_weight=wrong)


def changing() -> np.ndarray:
    rng = np.random.default_rng(5)
    return np.concatenate([rng.normal(0, 10, 50_000), rng.normal(0, 1e9, 70_000)]).astype(np.int64)


def test_automatic_paging_cuts_where_numbers_change() -> None:
    numbers = changing()
    file = numpact.compress(numbers)
    assert file == numpact.compress(numbers, paging="auto")
    assert file == numpact.compress(numbers, paging="auto", threads=2)
    counts = [chunk.count for chunk in numpact.inspect(file).chunks]
    assert len(counts) >= 2
    assert sum(counts) == numbers.size
    assert np.abs(np.cumsum(counts) - 50_000).min() < 1100
    whole = numpact.compress(numbers, paging=numbers.size)
    assert len(numpact.inspect(whole).chunks) == 1
    assert len(file) < len(whole)


def test_writers_cut_too() -> None:
    with io.BytesIO() as sink:
        with numpact.Writer(sink, "int64") as writer:
            for block in np.array_split(changing(), 9):
                writer.write(block)
        file = sink.getvalue()
    assert (numpact.decompress(file) == changing()).all()
    assert len(numpact.inspect(file).chunks) >= 2


@pytest.mark.parametrize("paging", ["", "automatic", "262144", "equal"])
def test_unknown_paging(paging: str) -> None:
    with pytest.raises(numpact.InvalidArgumentError, match="paging"):
        numpact.compress([1, 2, 3], paging=paging)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(3))
def test_uneven_numbers_take_a_larger_sample(seed: int) -> None:
    """Pauses, in which one number stays, and between them parts of a cycle of 400 multiples of 7.

    A small sample shows few of the multiples, so that neither the base nor the cycle seems to save.
    """
    random = np.random.default_rng(seed)
    cycle = 7 * random.integers(0, 1 << 14, 400)
    parts: list[np.ndarray] = []
    while sum(part.size for part in parts) < 32_768:
        parts.append(np.full(random.integers(1500, 2500), cycle[0]))
        n, begin = random.integers(1000, 2000), random.integers(0, cycle.size)
        parts.append(np.resize(np.roll(cycle, -begin), n))
    numbers = np.concatenate(parts)[:32_768]
    assert len(numpact.compress(numbers)) < 7300  # of the small sample: 7,800 to 8,100
