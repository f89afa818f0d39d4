# SPDX-License-Identifier: Apache-2.0
"""Each of the two modules reads the files of the other."""

from __future__ import annotations

import importlib
import itertools
from typing import Any

import numpy as np
import pytest

import numpact.pcodec as ours

DTYPES = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"]
SHAPES = ["random", "walk", "constant", "few", "decimals", "special"]
COUNTS = [1, 2, 255, 256, 257, 1000, 5000]


def numbers(shape: str, dtype: str, count: int, rng: np.random.Generator) -> Any:
    kind = np.dtype(dtype)
    if shape == "random":
        return np.frombuffer(rng.bytes(count * kind.itemsize), kind)
    if shape == "walk":
        return np.cumsum(rng.integers(-3, 4, count)).astype(kind)
    if shape == "constant":
        return np.full(count, 42, kind)
    if shape == "few":
        values = np.frombuffer(rng.bytes(7 * kind.itemsize), kind)
        return values[rng.integers(0, 7, count)]
    if shape == "decimals":
        return (rng.integers(0, 1000, count) * (0.01 if kind.kind == "f" else 10)).astype(kind)
    values = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, 1e-7]).astype(np.float64)
    if kind.kind == "f":
        return values.astype(kind)[rng.integers(0, 7, count)]
    edges = np.array([np.iinfo(kind).min, np.iinfo(kind).max, 0, 1], kind)
    return edges[rng.integers(0, 4, count)]


def configs(pcodec: Any, rng: np.random.Generator) -> Any:
    level = int(rng.choice([0, 1, 4, 8, 12]))
    paging = pcodec.PagingSpec.equal_pages_up_to(int(rng.choice([97, 256, 1000, 1 << 18])))
    return pcodec.ChunkConfig(level, paging_spec=paging, enable_8_bit=True)


@pytest.fixture(params=["to reference", "from reference"])
def pair(request: pytest.FixtureRequest, reference: Any) -> tuple[Any, Any]:
    """The writer and the reader."""
    return (ours, reference) if request.param == "to reference" else (reference, ours)


@pytest.mark.parametrize("dtype", DTYPES)
def test_standalone(pair: tuple[Any, Any], dtype: str, rng: np.random.Generator) -> None:
    writer, reader = pair
    for shape, count in itertools.product(SHAPES, COUNTS):
        x = numbers(shape, dtype, count, rng)
        file = writer.standalone.simple_compress(x, configs(writer, rng))
        back = reader.standalone.simple_decompress(file)
        assert back.dtype == x.dtype
        assert back.tobytes() == x.tobytes(), (shape, count)
        for capacity in (0, count // 2, count - 1, count, count + 3):
            dst = np.zeros(capacity, dtype)
            progress = reader.standalone.simple_decompress_into(file, dst)
            assert (progress.n_processed, progress.finished) == (
                min(capacity, count),
                capacity >= count,
            )
            assert dst[:count].tobytes() == x[:capacity].tobytes(), (shape, count, capacity)


@pytest.mark.parametrize("dtype", DTYPES)
def test_headers_are_equal(reference: Any, dtype: str) -> None:
    """Version, type and count: the same bytes."""
    x = np.arange(100).astype(dtype)
    files = [
        module.standalone.simple_compress(x, module.ChunkConfig(enable_8_bit=True))
        for module in (ours, reference)
    ]
    assert files[0][:13] == files[1][:13]


@pytest.mark.parametrize("dtype", DTYPES)
def test_wrapped(pair: tuple[Any, Any], dtype: str, rng: np.random.Generator) -> None:
    writer, reader = pair
    name = {"u": "u", "i": "i", "f": "f"}[dtype[0]] + str(8 * int(dtype[1]))
    for shape, count in itertools.product(SHAPES, COUNTS):
        x = numbers(shape, dtype, count, rng)
        files = writer.wrapped.FileCompressor()
        chunk = files.chunk_compressor(x, configs(writer, rng))
        header, meta, sizes = files.write_header(), chunk.write_meta(), chunk.n_per_page()
        file, used = reader.wrapped.FileDecompressor.new(header + meta)
        assert used == len(header)
        decoder, used = file.chunk_decompressor(meta, name)
        assert used == len(meta)
        first = 0
        for i, n in enumerate(sizes):
            page = chunk.write_page(i)
            dst = np.zeros(n + i % 2, dtype)
            progress, used = decoder.read_page_into(page, n, dst)
            assert (progress.n_processed, progress.finished, used) == (n, True, len(page))
            assert dst[:n].tobytes() == x[first : first + n].tobytes(), (shape, count, i)
            first += n
        assert first == count


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("writer_name", ["pcodec", "numpact.pcodec"])
def test_bytes_of_a_part_of_a_page(
    writer_name: str, reference: Any, dtype: str, rng: np.random.Generator
) -> None:
    """Both report the same length of a page that they read to fill an array that is shorter."""
    writer = importlib.import_module(writer_name)
    name = dtype[0] + str(8 * int(dtype[1]))
    for shape in SHAPES:
        x = numbers(shape, dtype, 2000, rng)
        config = writer.ChunkConfig(int(rng.choice([0, 4, 8])), enable_8_bit=True)
        chunk = writer.wrapped.FileCompressor().chunk_compressor(x, config)
        meta, page = chunk.write_meta(), chunk.write_page(0)
        for capacity in (0, 256, 512, 1024, 1792):
            seen = []
            for module in (ours, reference):
                file, _ = module.wrapped.FileDecompressor.new(b"\x04\x01")
                decoder, _ = file.chunk_decompressor(meta, name)
                dst = np.zeros(capacity, dtype)
                progress, used = decoder.read_page_into(page, 2000, dst)
                seen.append((progress.n_processed, progress.finished, used, dst.tobytes()))
            assert seen[0][:3] == seen[1][:3], (shape, capacity)
            assert seen[0] == seen[1], (shape, capacity)
