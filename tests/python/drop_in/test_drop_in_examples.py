# SPDX-License-Identifier: Apache-2.0
"""Programs written for pcodec, with each function that it documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

DTYPES = ["uint16", "uint32", "uint64", "int16", "int32", "int64", "float16", "float32", "float64"]


def numbers(rng: np.random.Generator, dtype: str, count: int) -> Any:
    return np.round(rng.normal(1000, 100, count)).astype(dtype)


def test_array_to_bytes_and_back(pcodec: Any, rng: np.random.Generator) -> None:
    heights = rng.normal(size=1_000_000)
    file = pcodec.standalone.simple_compress(heights, pcodec.ChunkConfig())
    assert isinstance(file, bytes)
    assert len(file) < 0.88 * heights.nbytes
    np.testing.assert_array_equal(pcodec.standalone.simple_decompress(file), heights)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_type(pcodec: Any, rng: np.random.Generator, dtype: str) -> None:
    x = numbers(rng, dtype, 1000)
    back = pcodec.standalone.simple_decompress(
        pcodec.standalone.simple_compress(x, pcodec.ChunkConfig())
    )
    assert back.dtype == x.dtype
    assert back.flags.writeable
    np.testing.assert_array_equal(back, x)


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_8_bits_must_be_enabled(pcodec: Any, dtype: str) -> None:
    x = np.arange(100, dtype=dtype)
    with pytest.raises(RuntimeError, match="enable"):
        pcodec.standalone.simple_compress(x, pcodec.ChunkConfig())
    file = pcodec.standalone.simple_compress(x, pcodec.ChunkConfig(enable_8_bit=True))
    np.testing.assert_array_equal(pcodec.standalone.simple_decompress(file), x)


@pytest.mark.parametrize("dtype", ["uint8", *DTYPES])
def test_empty(pcodec: Any, dtype: str) -> None:
    empty = np.zeros(0, dtype)
    file = pcodec.standalone.simple_compress(empty, pcodec.ChunkConfig())
    assert file == b"pco!\x03\x00\x00\x04\x01\x00"
    assert pcodec.standalone.simple_decompress(file) is None
    progress = pcodec.standalone.simple_decompress_into(file, np.zeros(3, dtype))
    assert (progress.n_processed, progress.finished) == (0, True)


def test_empty_that_names_its_type(pcodec: Any) -> None:
    import numpact

    file = numpact.compress(np.zeros(0, np.float32))
    numbers = pcodec.standalone.simple_decompress(file)
    assert (numbers.dtype, numbers.size) == (np.float32, 0)


@pytest.mark.parametrize("capacity", [0, 1, 255, 256, 299, 300, 301, 999, 1000, 1001, 2000])
def test_into_an_array(pcodec: Any, rng: np.random.Generator, capacity: int) -> None:
    x = numbers(rng, "int32", 1000)
    paging = pcodec.PagingSpec.exact_page_sizes([300, 500, 200])
    file = pcodec.standalone.simple_compress(x, pcodec.ChunkConfig(paging_spec=paging))
    dst = np.full(capacity, -7, np.int32)
    progress = pcodec.standalone.simple_decompress_into(file, dst)
    assert progress.n_processed == min(capacity, 1000)
    assert progress.finished is (capacity >= 1000)
    np.testing.assert_array_equal(dst[:1000], x[:capacity])
    assert (dst[1000:] == -7).all()


def test_specs(pcodec: Any, rng: np.random.Generator) -> None:
    modes, deltas = pcodec.ModeSpec, pcodec.DeltaSpec
    ints = rng.integers(0, 500, 2000, np.int32) * 60
    floats = (rng.integers(0, 500, 2000) * 0.25).astype(np.float32)
    common = [modes.auto(), modes.classic(), modes.try_dict()]
    for mode in [*common, modes.try_int_mult(60), modes.try_int_mult(base=7)]:
        check(pcodec, ints, mode_spec=mode)
    for mode in [*common, modes.try_float_mult(0.25), modes.try_float_quant(k=10)]:
        check(pcodec, floats, mode_spec=mode)
    orders = [deltas.try_consecutive(order) for order in range(8)]
    for delta in [
        *orders,
        deltas.auto(),
        deltas.no_op(),
        deltas.try_lookback(),
        deltas.try_conv1(4),
    ]:
        check(pcodec, ints, delta_spec=delta)
    for level in (0, 8, 12):
        check(pcodec, ints, compression_level=level)


def check(pcodec: Any, x: Any, **options: Any) -> None:
    file = pcodec.standalone.simple_compress(x, pcodec.ChunkConfig(**options))
    np.testing.assert_array_equal(pcodec.standalone.simple_decompress(file), x)


def test_config_attributes(pcodec: Any) -> None:
    config = pcodec.ChunkConfig()
    assert config.compression_level == pcodec.DEFAULT_COMPRESSION_LEVEL == 8
    assert config.enable_8_bit is False
    assert isinstance(config.mode_spec, pcodec.ModeSpec)
    assert isinstance(config.delta_spec, pcodec.DeltaSpec)
    assert isinstance(config.paging_spec, pcodec.PagingSpec)
    config.compression_level = 3
    config.mode_spec = pcodec.ModeSpec.classic()
    config.delta_spec = pcodec.DeltaSpec.no_op()
    config.paging_spec = pcodec.PagingSpec.equal_pages_up_to(400)
    config.enable_8_bit = True
    assert (config.compression_level, config.enable_8_bit) == (3, True)
    x = np.arange(256, dtype=np.uint8).repeat(4)
    chunk = pcodec.wrapped.FileCompressor().chunk_compressor(x, config)
    assert chunk.n_per_page() == [342, 341, 341]


def test_pages(pcodec: Any, rng: np.random.Generator) -> None:
    x = numbers(rng, "float32", 1000)
    paging = pcodec.PagingSpec.exact_page_sizes([5, 600, 395])
    file = pcodec.wrapped.FileCompressor()
    chunk = file.chunk_compressor(x, pcodec.ChunkConfig(paging_spec=paging))
    header, meta = file.write_header(), chunk.write_meta()
    pages = [chunk.write_page(i) for i in range(3)]
    assert chunk.n_per_page() == [5, 600, 395]

    reader, size = pcodec.wrapped.FileDecompressor.new(header + b"more")
    assert size == len(header) == 2
    decoder, size = reader.chunk_decompressor(meta + b"more", "f32")
    assert size == len(meta)
    for first, n, page in reversed(list(zip([0, 5, 605], [5, 600, 395], pages, strict=True))):
        dst = np.full(700, -7, np.float32)
        progress, size = decoder.read_page_into(page + b"more", n, dst)
        assert (progress.n_processed, progress.finished, size) == (n, True, len(page))
        np.testing.assert_array_equal(dst[:n], x[first : first + n])
        assert (dst[n:] == -7).all()
    dst = np.zeros(512, np.float32)
    progress, _ = decoder.read_page_into(pages[1], 600, dst)
    assert (progress.n_processed, progress.finished) == (512, False)
    np.testing.assert_array_equal(dst, x[5:517])


def test_a_chunk_does_not_need_its_array(pcodec: Any) -> None:
    x = np.arange(1000)
    chunk = pcodec.wrapped.FileCompressor().chunk_compressor(x, pcodec.ChunkConfig())
    x[:] = 0
    reader, _ = pcodec.wrapped.FileDecompressor.new(b"\x04\x01")
    decoder, _ = reader.chunk_decompressor(chunk.write_meta(), "i64")
    decoder.read_page_into(chunk.write_page(0), 1000, x)
    np.testing.assert_array_equal(x, np.arange(1000))
