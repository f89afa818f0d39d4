# SPDX-License-Identifier: Apache-2.0
"""A second decoder, written from docs/format/cvc.md and nothing else, against the reader."""

from __future__ import annotations

import json
import math
import struct
import zlib
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from numpact import cvc

pcodec = pytest.importorskip("pcodec")
wrapped = pytest.importorskip("pcodec.wrapped")

Array = np.ndarray[Any, Any]
FloatName = Literal["float32", "float16"]

# Pco's bytes for number types.
PCO_TYPES = {5: ("f32", "<f4"), 9: ("f16", "<f2"), 3: ("i32", "<i4"), 4: ("i64", "<i8"),
             11: ("i8", "i1"), 10: ("u8", "u1")}  # fmt: skip


def decode_half(payload: bytes) -> Array:
    halves = np.frombuffer(payload, "<u2").astype(np.uint32)
    is_nan = (halves & 0x7FFF) > 0x7C00
    nans = (halves & 0x8000) << 16 | 0x7F800000 | (halves & 0x3FF) << 13
    bits = halves.astype("<u2").view(np.float16).astype(np.float32).view(np.uint32)
    return np.where(is_nan, nans, bits).astype(np.uint32).view(np.float32)


def decode_bfloat16(payload: bytes) -> Array:
    return (np.frombuffer(payload, "<u2").astype(np.uint32) << 16).view(np.float32)


def decode_lossless(payload: bytes) -> Array:
    (n,) = struct.unpack_from("<I", payload)
    widths = payload[4:8]
    at = 8
    planes = np.zeros((n, 4), np.uint8)
    for k, width in enumerate(widths):
        (entries,) = struct.unpack_from("<H", payload, at)
        dictionary = np.frombuffer(payload, np.uint8, entries, at + 2)
        at += 2 + entries
        size = math.ceil(n * width / 8)
        bits = np.unpackbits(np.frombuffer(payload, np.uint8, size, at))[: n * width]
        at += size
        codes = bits.reshape(n, width) @ (1 << np.arange(width - 1, -1, -1))
        planes[:, k] = dictionary[codes]
    return planes.view("<f4").ravel()


def decode_steps(codes: Array, low: Array | np.float32, scale: Array | np.float32) -> Array:
    product: Array = codes.astype(np.float32) * scale
    return product + low


def decode_ranges(payload: bytes, name: str, rows: int, dimension: int) -> Array:
    row_bytes = (dimension + 1) // 2 if name == "int4" else dimension
    codes = np.frombuffer(payload, np.uint8, rows * row_bytes).reshape(rows, row_bytes)
    if name == "int4":
        codes = np.stack([codes & 15, codes >> 4], axis=2).reshape(rows, -1)[:, :dimension]
    ranges = np.frombuffer(payload, "<f4", offset=rows * row_bytes).reshape(2, -1)
    if name == "int8_row":
        return decode_steps(codes, ranges[0][:, None], ranges[1][:, None])
    return decode_steps(codes, ranges[0], ranges[1])


LEVELS: dict[int, list[float]] = {
    1: [1.0],
    2: [0.4528, 1.5104],
    3: [0.2451, 0.7560, 1.3440, 2.1520],
    4: [0.1284, 0.3881, 0.6568, 0.9424, 1.2562, 1.6181, 2.0691, 2.7326],
}


def sign_word(seed: int, k: int) -> int:
    word = (seed + (k + 1) * 0x9E3779B97F4A7C15) % 2**64
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    word = (word ^ word >> 27) * 0x94D049BB133111EB % 2**64
    return word ^ word >> 31


def hadamard(values: Array) -> Array:
    rows, n = values.shape
    half = n // 2
    while half:
        low, high = np.moveaxis(values.reshape(rows, -1, 2, half), 2, 0)
        values = np.stack([low + high, low - high], axis=2).reshape(rows, n)
        half //= 2
    scaled: Array = values * np.float32(1 / np.sqrt(n))
    return scaled


def decode_rotated(payload: bytes, bits: int, rows: int, dimension: int) -> Array:
    if dimension == 0:
        assert len(payload) == 8
        return np.zeros((rows, 0), np.float32)
    row_bytes = 4 + math.ceil(dimension * bits / 8)
    stored = np.frombuffer(payload, np.uint8, rows * row_bytes).reshape(rows, row_bytes)
    means = np.frombuffer(payload, "<f4", dimension, rows * row_bytes)
    (seed,) = struct.unpack_from("<Q", payload, rows * row_bytes + 4 * dimension)
    digits = np.unpackbits(stored[:, 4:], axis=1, bitorder="little")[:, : dimension * bits]
    codes = digits.reshape(rows, dimension, bits) @ (1 << np.arange(bits))
    upper = np.array(LEVELS[bits], np.float32)
    levels = np.concatenate([-upper[::-1], upper])
    values = levels[codes] * stored[:, :4].copy().view("<f4")
    part, words = 1 << (dimension.bit_length() - 1), math.ceil(dimension / 64)
    for round_ in (2, 1, 0):
        first = 0 if round_ != 1 else dimension - part
        values[:, first : first + part] = hadamard(values[:, first : first + part])
        for i in range(dimension):
            if sign_word(seed, round_ * words + i // 64) >> i % 64 & 1:
                values[:, i] *= -1
    return values + means


def decode_pco(payload: bytes, rows: int, dimension: int) -> Array:
    kind, major, minor, width, group, span, page = struct.unpack_from("<BBBBIII", payload)
    name, dtype = PCO_TYPES[kind]
    out = np.empty((rows, dimension), dtype)
    if out.size == 0:
        assert len(payload) == 16
        return out
    groups = math.ceil(dimension / group)
    entries = groups * (math.ceil(rows / span) + math.ceil(rows / page))
    sizes = iter([int.from_bytes(payload[16 + i * width :][:width], "little")
                  for i in range(entries)])  # fmt: skip
    at = 16 + entries * width
    file, _ = wrapped.FileDecompressor.new(bytes([major, minor]))
    for first in range(0, dimension, group):
        for start in range(0, rows, span):
            size = next(sizes)
            chunk, taken = file.chunk_decompressor(payload[at : at + size], name)
            assert taken == size
            at += size
            end = min(start + span, rows)
            for row in range(start, end, page):
                into = out[row : min(row + page, end), first : first + group]
                numbers = np.empty(into.size, dtype)
                size = next(sizes)
                progress, taken = chunk.read_page_into(payload[at : at + size], into.size, numbers)
                assert progress.finished
                assert taken == size
                at += size
                into[:] = numbers.reshape(into.shape)
    assert at == len(payload)
    return out


def decode(payload: bytes, entry: dict[str, Any], name: str, dimension: int, dtype: str) -> Array:
    rows = entry["rows"]
    if name == "pco":
        return decode_pco(payload, rows, dimension)
    if name == "none":
        return np.frombuffer(payload, np.dtype(dtype)).reshape(rows, dimension)
    if name.startswith("rot"):
        return decode_rotated(payload, int(name[3:]), rows, dimension)
    if name in ("int8_row", "int8_dim", "int4"):
        return decode_ranges(payload, name, rows, dimension)
    if name == "int8":
        codes = np.frombuffer(payload, np.uint8)
        values = decode_steps(codes, np.float32(entry["min"]), np.float32(entry["scale"]))
    elif name == "lossless":
        values = decode_lossless(payload)
    else:
        values = decode_half(payload) if name == "fp16" else decode_bfloat16(payload)
    return values.reshape(rows, dimension)


def read_records(content: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """The header, and the payloads, of version 1.0 or 2.0."""
    assert content[:4] == b"CVCF"
    major, _, length = struct.unpack_from("<HHI", content, 4)
    assert major in (1, 2)
    header = json.loads(content[12 : 12 + length])
    at = 12 + length
    payloads = []
    for chunk in header["chunks"]:
        at = chunk.get("file_offset", at)
        size, crc = struct.unpack_from("<II", content, at)
        payloads.append(content[at + 8 : at + 8 + size])
        at += 8 + size
        assert zlib.crc32(payloads[-1]) == crc
    return header, payloads


def decode_array(content: bytes) -> Array:
    header, payloads = read_records(content)
    parts = [decode(payload, chunk, chunk.get("compression", header.get("compression")),
                    header["dimension"], "float32")
             for chunk, payload in zip(header["chunks"], payloads, strict=True)]  # fmt: skip
    return np.concatenate([part.astype(np.float32) for part in parts])


def decode_columns(content: bytes) -> dict[str, Array]:
    header, payloads = read_records(content)
    parts: dict[str, list[Array]] = {column["name"]: [] for column in header["columns"]}
    for chunk, payload in zip(header["chunks"], payloads, strict=True):
        for column in header["columns"]:
            entry = chunk["columns"][column["name"]]
            some = payload[entry["offset"] : entry["offset"] + entry["size"]]
            parts[column["name"]].append(decode(some, {"rows": chunk["rows"], **entry},
                                                entry["compression"], column["dimension"],
                                                column["dtype"]))  # fmt: skip
    return {name: np.concatenate(some) for name, some in parts.items()}


def random_values(kind: int, rows: int, dimension: int, dtype: FloatName) -> Array:
    rng = np.random.default_rng(rows * dimension + kind)
    values: Array = rng.normal(size=(rows, dimension)) + 10 * kind * np.arange(dimension)
    if kind == 1:
        values = np.rint(values)
    return values.astype(dtype)


ALL = ["fp16", "int8", "lossless", "bfloat16", "int8_row", "int8_dim", "int4", "pco"]
ALL += ["rot1", "rot2", "rot3", "rot4"]


@pytest.mark.parametrize("compression", ALL)
@pytest.mark.parametrize(("rows", "dimension"), [(1, 1), (301, 5), (70, 64), (9000, 3), (3, 0)])
def test_one_array(compression: str, rows: int, dimension: int, tmp_path: Path) -> None:
    if compression == "int8" and dimension == 0:
        pytest.skip("int8 needs values")
    dtypes: tuple[FloatName, FloatName] = ("float32", "float16")
    for kind, dtype in enumerate(dtypes):
        x = random_values(kind, rows, dimension, dtype)
        path = tmp_path / f"{kind}.cvc"
        with cvc.Writer(path, compression=compression, chunk_size=rows // 2 + 1) as writer:
            writer.append(x)
        decoded = decode_array(path.read_bytes())
        np.testing.assert_array_equal(decoded, cvc.Reader(path).read(), strict=True)
        if compression in ("lossless", "pco"):
            np.testing.assert_array_equal(decoded, x.astype(np.float32), strict=True)


def test_several_compressions_on_pages(tmp_path: Path) -> None:
    path = tmp_path / "x.cvc"
    x = random_values(0, 40 * len(ALL), 7, "float32")
    with cvc.Writer(path, chunk_size=40, mmap_optimized=True) as writer:
        for i, compression in enumerate(ALL):
            writer.set_chunk(i, compression=compression)
        writer.append(x)
    header, _ = read_records(path.read_bytes())
    assert [chunk["file_offset"] % 4096 for chunk in header["chunks"]] == [0] * len(ALL)
    np.testing.assert_array_equal(decode_array(path.read_bytes()), cvc.Reader(path).read())


@pytest.mark.parametrize("rows", [1, 50, 400])
def test_columns(rows: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(rows)
    columns: dict[str, tuple[int, str]] = {}
    compressions: dict[str, str] = {}
    data: dict[str, Array] = {}
    for dtype in ["float32", "float16", "int32", "int64", "int8", "uint8"]:
        for compression in [*ALL, "none"]:
            if compression == "lossless":
                continue
            name = f"{dtype} {compression}"
            dimension = len(columns) % 4 + 1
            columns[name], compressions[name] = (dimension, dtype), compression
            data[name] = rng.integers(0, 100, (rows, dimension)).astype(dtype)
    path = tmp_path / "x.cvc"
    with cvc.Writer(path, columns=columns, compression=compressions, chunk_size=150) as writer:
        writer.append(data)
    reader = cvc.Reader(path)
    decoded = decode_columns(path.read_bytes())
    for name, values in decoded.items():
        expected = reader.read(column=name).reshape(values.shape)
        np.testing.assert_array_equal(values.astype(expected.dtype), expected)
        if compressions[name] in ("none", "pco"):
            np.testing.assert_array_equal(values, data[name])


def encode_pco(x: Array, width: int, group: int, span: int, page: int) -> bytes:
    kinds = {dtype: kind for kind, (_, dtype) in PCO_TYPES.items()}
    rows, dimension = x.shape
    file = wrapped.FileCompressor()
    parts: list[bytes] = []
    for first in range(0, dimension, group):
        for start in range(0, rows, span):
            some = x[start : start + span, first : first + group]
            pages = [some[i : i + page].size for i in range(0, len(some), page)]
            config = pcodec.ChunkConfig(paging_spec=pcodec.PagingSpec.exact_page_sizes(pages))
            chunk = file.chunk_compressor(np.ascontiguousarray(some).ravel(), config)
            parts.append(chunk.write_meta())
            parts += [chunk.write_page(i) for i in range(len(pages))]
    version = file.write_header()
    head = bytes([kinds[x.dtype.str], *version, width]) + struct.pack("<III", group, span, page)
    return head + b"".join([len(part).to_bytes(width, "little") for part in parts] + parts)


@pytest.mark.parametrize("dtype", ["<f4", "<f2"])
@pytest.mark.parametrize(
    ("width", "group", "span", "page"),
    [(1, 1, 1, 1), (2, 2, 3, 3), (3, 5, 12, 4), (4, 100, 4000, 40), (2, 1, 66, 33), (2, 7, 1, 1)],
)
def test_any_grid(dtype: str, width: int, group: int, span: int, page: int) -> None:
    rng = np.random.default_rng(group)
    x = rng.normal(size=(67, 7)).astype(dtype)
    payload = encode_pco(x, width, group, span, page)
    np.testing.assert_array_equal(decode_pco(payload, 67, 7), x)
    header = json.dumps({"num_vectors": 67, "dimension": 7, "compression": "pco",
                         "chunks": [{"rows": 67}]}).encode()  # fmt: skip
    record = struct.pack("<II", len(payload), zlib.crc32(payload)) + payload
    reader = cvc.Reader(b"CVCF" + struct.pack("<HHI", 1, 0, len(header)) + header + record)
    for out in ("float32", "float16"):
        expected = x.astype(out)
        np.testing.assert_array_equal(reader.read(dtype=out), expected, strict=True)
        for first, count in [(0, 1), (3, 32), (40, 27), (66, 1)]:
            got = reader.read(first, count, dtype=out)
            np.testing.assert_array_equal(got, expected[first : first + count])
        some = rng.integers(0, 67, 20)
        np.testing.assert_array_equal(reader.gather(some, dtype=out), expected[some])
    assert reader.verify() == []
