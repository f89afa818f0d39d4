# SPDX-License-Identifier: Apache-2.0
"""numpact_compress_arrow and numpact_decompress_arrow of libnumpact.so against pyarrow, which
exports and imports the structures of the C data interface, and against the Python package."""

from __future__ import annotations

import ctypes
import random
import struct
import zlib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from conftest import run

import numpact

P = ctypes.c_void_p
I64 = ctypes.c_int64
U64 = ctypes.c_uint64
SIZE = ctypes.c_size_t


class Schema(ctypes.Structure):
    _fields_ = [
        ("format", ctypes.c_char_p), ("name", P), ("metadata", P), ("flags", I64),
        ("n_children", I64), ("children", P), ("dictionary", P), ("release", P),
        ("private_data", P),
    ]  # fmt: skip


class Array(ctypes.Structure):
    _fields_ = [
        ("length", I64), ("null_count", I64), ("offset", I64), ("n_buffers", I64),
        ("n_children", I64), ("buffers", P), ("children", P), ("dictionary", P), ("release", P),
        ("private_data", P),
    ]  # fmt: skip


class CError(ctypes.Structure):
    _fields_ = [
        ("struct_size", SIZE), ("status", ctypes.c_int32), ("system_error", ctypes.c_int32),
        ("text", ctypes.c_char_p), ("offset", U64), ("chunk", U64), ("needed", U64),
        ("good_count", U64),
    ]  # fmt: skip


class Refused(Exception):
    """An error of the library."""

    def __init__(self, error: CError) -> None:
        super().__init__(error.text.decode())
        self.status = error.status
        self.offset = error.offset


class Library:
    """The three functions over objects of pyarrow."""

    def __init__(self, path: Path) -> None:
        self._c = ctypes.CDLL(str(path))
        self._c.numpact_compress_arrow_bound.restype = SIZE

    @staticmethod
    def _release(thing: Schema | Array) -> None:
        if thing.release:
            ctypes.CFUNCTYPE(None, P)(thing.release)(ctypes.addressof(thing))
        assert not thing.release

    def compress(self, array: pa.Array) -> bytes:
        schema, exported, error = Schema(), Array(), CError()
        self._c.numpact_error_init(ctypes.byref(error))
        array._export_to_c(ctypes.addressof(exported), ctypes.addressof(schema))
        try:
            both = ctypes.byref(schema), ctypes.byref(exported)
            bound = self._c.numpact_compress_arrow_bound(*both, None)
            out, size = ctypes.create_string_buffer(max(bound, 1)), SIZE()
            status = self._c.numpact_compress_arrow(
                None, *both, None, out, SIZE(bound), ctypes.byref(size), ctypes.byref(error)
            )
            if status != 0:
                raise Refused(error)
            return out.raw[: size.value]
        finally:
            self._release(schema)
            self._release(exported)

    def decompress(self, data: bytes) -> pa.Array:
        schema, array, error = Schema(), Array(), CError()
        self._c.numpact_error_init(ctypes.byref(error))
        status = self._c.numpact_decompress_arrow(
            None, data, SIZE(len(data)), ctypes.byref(schema), ctypes.byref(array),
            ctypes.byref(error),
        )  # fmt: skip
        if status != 0:
            assert not schema.release
            assert not array.release
            raise Refused(error)
        # pyarrow releases both.
        return pa.Array._import_from_c(ctypes.addressof(array), ctypes.addressof(schema))


@pytest.fixture(scope="session")
def library(prefix: Path) -> Library:
    return Library(next(prefix.glob("lib*/**/libnumpact.so")))


TYPES = [
    pa.bool_(), pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(),
    pa.int64(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.date32(), pa.date64(),
    pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"), pa.timestamp("s"),
    pa.timestamp("ms", "UTC"), pa.timestamp("us", "Europe/Zürich"), pa.timestamp("ns", "+02:00"),
    pa.duration("s"), pa.duration("ms"), pa.duration("us"), pa.duration("ns"),
]  # fmt: skip


def columns(kind: pa.DataType) -> Iterator[pa.Array]:
    """Arrays of a type with and without nulls, whole and sliced."""
    generator = np.random.default_rng(7)
    for rows in (0, 1, 9, 1000):
        for null_share in (0.0, 0.3, 1.0):
            numbers = generator.integers(0, 80, rows)
            mask = generator.random(rows) < null_share
            if pa.types.is_boolean(kind):
                whole = pa.array(numbers % 2 == 1, kind, mask=mask)
            elif pa.types.is_date64(kind):
                whole = pa.array(numbers * 86_400_000, pa.int64(), mask=mask).cast(kind)
            elif pa.types.is_float16(kind):
                whole = pa.array(numbers.astype(np.float16), kind, mask=mask)
            elif pa.types.is_temporal(kind) and kind.bit_width == 32:
                whole = pa.array(numbers.astype(np.int32), pa.int32(), mask=mask).view(kind)
            elif pa.types.is_temporal(kind):
                whole = pa.array(numbers, pa.int64(), mask=mask).view(kind)
            else:
                whole = pa.array(numbers, pa.int64(), mask=mask).cast(kind)
            yield whole
            yield whole[rows // 3 : rows - rows // 5]


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_interchange(library: Library, kind: pa.DataType) -> None:
    for column in columns(kind):
        packed = library.compress(column)
        assert packed == numpact.compress_arrow(column)
        found = library.decompress(packed)
        found.validate(full=True)
        assert found.type == kind
        assert found.equals(column)
        assert found.null_count == column.null_count
        assert pa.array(numpact.decompress_arrow(packed)).equals(column)


def test_plain_files(library: Library) -> None:
    for kind in ("i1", "u1", "i2", "u2", "f2", "i4", "u4", "f4", "i8", "u8", "f8"):
        numbers = np.arange(100).astype(kind)
        assert library.decompress(numpact.compress(numbers)).equals(pa.array(numbers))


def test_other_types(library: Library) -> None:
    for column in (
        pa.array(["text"]), pa.array([None]), pa.array([Decimal("1.5")]), pa.array([[1]]),
        pa.array([{"a": 1}]), pa.array(["a", "b", "a"]).dictionary_encode(), pa.array([b"x"]),
    ):  # fmt: skip
        with pytest.raises(Refused, match="not of numbers") as refused:
            library.compress(column)
        assert refused.value.status == 11


def test_results_outlive_the_call_and_are_released(library: Library) -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1])

    mask = np.arange(100_000) % 5 == 0
    column = pa.array(np.arange(100_000) * 3, mask=mask)
    packed = library.compress(column)
    kept = [library.decompress(packed) for _ in range(5)]
    before = resident()
    for _ in range(300):
        assert library.decompress(packed).equals(column)
        assert library.compress(column) == packed
    # 300 results of 800 kB would be 58,600 pages.
    assert resident() - before < 15_000
    assert all(one.equals(column) for one in kept)


# Codes of numpact.h, by the kinds of errors in the Python package.
STATUSES = {
    "type mismatch": 11, "corrupt": 20, "another format": 20, "truncated": 21,
    "unsupported version": 22, "checksum": 23, "limit exceeded": 30, "out of memory": 31,
}  # fmt: skip
HEAD = struct.Struct("<4sBBHQQQQ")


def forged(frame: bytes, generator: random.Random) -> bytes:
    """A frame with one to three changed bytes and a checksum that matches."""
    body = bytearray(frame[:-4])
    for _ in range(generator.randint(1, 3)):
        # Fields of the head as often as all that follows.
        at = generator.randrange(5, HEAD.size if generator.random() < 0.5 else len(body))
        body[at] = generator.choice([0, 1, 0xFF, body[at] ^ 1 << generator.randrange(8)])
    return bytes(body) + struct.pack("<I", zlib.crc32(body))


def test_hostile_frames(library: Library) -> None:
    """The library refuses the same columns as the package, with the same kind of error."""
    generator = random.Random(11)
    mask = np.arange(60) % 7 == 2
    frames = [
        numpact.compress_arrow(pa.array(np.arange(60), mask=mask)),
        numpact.compress_arrow(pa.array(np.arange(60) % 2 == 0, mask=mask)),
        numpact.compress_arrow(pa.array(np.arange(60), pa.timestamp("s", "UTC"))),
    ]
    results = {True: 0, False: 0}
    for _ in range(3000):
        frame = forged(generator.choice(frames), generator)
        length = HEAD.unpack_from(frame)[4]
        if length > 1 << 24 and HEAD.unpack_from(frame)[5] > 1 << 24:
            continue  # a column of nulls that may be true, but for the memory it takes
        try:
            expected = numpact.decompress_arrow(frame)
        except numpact.Error as error:
            with pytest.raises(Refused) as refused:
                library.decompress(frame)
            assert refused.value.status == STATUSES[error.kind], (str(error), str(refused.value))
            results[False] += 1
        else:
            found = library.decompress(frame)
            found.validate(full=True)
            assert found.type == pa.array(expected).type
            assert found.equals(pa.array(expected))
            results[True] += 1
    assert min(results.values()) > 50, results


@pytest.mark.parametrize("compiler", ["cc", "c++"])
def test_beside_the_header_of_arrow(prefix: Path, tmp_path: Path, compiler: str) -> None:
    """Both headers declare the structures, in either order."""
    theirs, ours = "#include <arrow/c/abi.h>\n", "#include <numpact/numpact.h>\n"
    use = "struct ArrowSchema schema; struct ArrowArray array; struct ArrowArrayStream stream;\n"
    for order in (theirs + ours + use, ours + theirs + use):
        source = tmp_path / ("both.c" if compiler == "cc" else "both.cpp")
        source.write_text(order)
        run(compiler, "-fsyntax-only", "-Wall", "-Werror", f"-I{prefix}/include",
            f"-I{pa.get_include()}", source)  # fmt: skip
