# SPDX-License-Identifier: Apache-2.0
"""integrations/clickhouse: the two functions that ClickHouse's codec calls, to the letter."""

from __future__ import annotations

import ctypes
import mmap
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, locked, run

OK, WONT_FIT, ERROR = 0, 1, -1
TYPES = {
    "u4": 1, "u8": 2, "i4": 3, "i8": 4, "f4": 5, "f8": 6, "u2": 7, "i2": 8, "f2": 9, "u1": 10,
    "i1": 11,
}  # fmt: skip
PAGE = mmap.PAGESIZE
NO_ACCESS = 0  # PROT_NONE
LEVEL = 8


class Memory:
    """Bytes that end at a page without access: a read or write behind them ends the process."""

    def __init__(self, size: int, content: bytes = b"") -> None:
        pages = max(1, -(-size // PAGE))
        self._map = mmap.mmap(-1, (pages + 1) * PAGE)
        self._whole = ctypes.c_char.from_buffer(self._map)
        start = ctypes.addressof(self._whole)
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        assert libc.mprotect(start + pages * PAGE, PAGE, NO_ACCESS) == 0
        self.address = start + pages * PAGE - size
        self.size = size
        if content:
            ctypes.memmove(self.address, content, len(content))

    def bytes(self) -> bytes:
        return ctypes.string_at(self.address, self.size)


class Pco:
    def __init__(self, path: Path) -> None:
        self.library = ctypes.CDLL(str(path))
        u8, u32, u64, i32 = ctypes.c_uint8, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int32
        pointer = ctypes.c_void_p
        self.library.pco_compress.restype = i32
        self.library.pco_compress.argtypes = [
            u8, pointer, u64, i32, pointer, u64, ctypes.POINTER(u64)
        ]  # fmt: skip
        self.library.pco_decompress.restype = i32
        self.library.pco_decompress.argtypes = [u32, u8, pointer, u64, pointer, u64, u64]

    def compress(
        self, code: int, numbers: bytes, count: int, capacity: int, level: int = LEVEL
    ) -> tuple[int, bytes]:
        """From memory that ends at a guard page, into memory that does."""
        source, target = Memory(len(numbers), numbers), Memory(capacity)
        size = ctypes.c_uint64(12345)
        status = self.library.pco_compress(
            code, source.address, count, level, target.address, capacity, ctypes.byref(size)
        )
        if status != OK:
            assert size.value == 12345
            return status, b""
        assert size.value <= capacity
        return status, target.bytes()[: size.value]

    def decompress(
        self, width: int, expected: int, file: bytes, count: int, capacity: int | None = None
    ) -> tuple[int, bytes]:
        out_bytes = count * width if capacity is None else capacity
        source, target = Memory(len(file), file), Memory(out_bytes)
        status = self.library.pco_decompress(
            width, expected, source.address, len(file), target.address, count, out_bytes
        )
        return status, target.bytes()

    def file(self, numbers: np.ndarray, level: int = LEVEL) -> bytes:
        status, file = self.compress(
            TYPES[numbers.dtype.str[1:]],
            numbers.tobytes(),
            numbers.size,
            numbers.nbytes + 1000,
            level,
        )
        assert status == OK
        return file


@pytest.fixture(scope="module")
def folder(build_integration: Callable[..., Path]) -> Path:
    return build_integration("clickhouse")


@pytest.fixture(scope="module")
def pco(folder: Path) -> Pco:
    return Pco(folder / "libnumpact_pco.so")


def numbers_of(name: str, count: int = 5000) -> np.ndarray:
    steps = np.random.default_rng(1).integers(0, 9, count).cumsum()
    return (steps % 120).astype(name)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("offset", [0, 1, 3])
def test_round_trip(pco: Pco, name: str, offset: int) -> None:
    """All types; memory that ends at a page, so that an odd size makes it unaligned."""
    numbers = numbers_of(name)
    code, width = TYPES[name], numbers.itemsize
    source = Memory(numbers.nbytes + offset, numbers.tobytes())
    target, size = Memory(numbers.nbytes + offset), ctypes.c_uint64()
    arguments = (code, source.address, numbers.size, LEVEL, target.address, numbers.nbytes)
    assert pco.library.pco_compress(*arguments, ctypes.byref(size)) == OK
    assert size.value < numbers.nbytes
    file = Memory(size.value, target.bytes()[: size.value])
    out = Memory(numbers.nbytes + offset)
    for expected in (0, code):
        arguments = (width, expected, file.address, file.size, out.address, numbers.size)
        assert pco.library.pco_decompress(*arguments, numbers.nbytes) == OK
        assert out.bytes()[: numbers.nbytes] == numbers.tobytes()


@pytest.mark.parametrize("level", range(13))
def test_levels(pco: Pco, level: int) -> None:
    numbers = numbers_of("i4")
    status, out = pco.decompress(4, 3, pco.file(numbers, level), numbers.size)
    assert (status, out) == (OK, numbers.tobytes())


@pytest.mark.parametrize("name", TYPES)
def test_no_numbers(pco: Pco, name: str) -> None:
    code, width = TYPES[name], np.dtype(name).itemsize
    status, file = pco.compress(code, b"", 0, 64)
    assert status == OK
    assert 0 < len(file) < 20
    for expected in (0, code):
        assert pco.decompress(width, expected, file, 0)[0] == OK
        assert pco.decompress(width, expected, file, 1)[0] == ERROR
    assert pco.decompress(1 if width == 8 else 8, 0, file, 0)[0] == ERROR
    assert pco.compress(code, b"", 0, 0)[0] == WONT_FIT
    # Null pointers, where there is nothing to point to.
    size = ctypes.c_uint64()
    out = Memory(64)
    null = pco.library.pco_compress(code, None, 0, LEVEL, out.address, 64, ctypes.byref(size))
    assert (null, size.value) == (OK, len(file))
    assert pco.library.pco_decompress(width, code, file, len(file), None, 0, 0) == OK
    assert pco.library.pco_compress(code, None, 0, LEVEL, None, 0, ctypes.byref(size)) == WONT_FIT


def test_an_empty_file_may_lack_its_type(pco: Pco) -> None:
    """The reference writes no type into a file without numbers."""
    file = b"pco!" + bytes([3, 0, 0, 4, 1, 0])
    assert pco.decompress(4, 5, file, 0)[0] == OK
    assert pco.decompress(4, 5, file, 1)[0] == ERROR


@pytest.mark.parametrize("name", TYPES)
def test_capacities(pco: Pco, name: str) -> None:
    """The size of the file is enough, a byte less is not; noise does not fit into its own size."""
    numbers = numbers_of(name)
    code = TYPES[name]
    file = pco.file(numbers)
    assert pco.compress(code, numbers.tobytes(), numbers.size, len(file)) == (OK, file)
    for capacity in (len(file) - 1, len(file) // 2, 10, 1, 0):
        status, _ = pco.compress(code, numbers.tobytes(), numbers.size, capacity)
        assert status == WONT_FIT
    noise = np.random.default_rng(2).bytes(numbers.nbytes)
    assert pco.compress(code, noise, numbers.size, numbers.nbytes)[0] == WONT_FIT
    assert pco.compress(code, noise[:1000], 1000 // numbers.itemsize, 0)[0] == WONT_FIT


@pytest.mark.parametrize("name", TYPES)
def test_wrong_expectations(pco: Pco, name: str) -> None:
    numbers = numbers_of(name)
    width, file = numbers.itemsize, pco.file(numbers)
    for other, code in TYPES.items():
        status, _ = pco.decompress(width, code, file, numbers.size)
        assert status == (OK if other == name else ERROR)
    for other_width in (0, 1, 2, 3, 4, 8, 16):
        if other_width == width:
            continue
        count = numbers.nbytes // max(1, other_width)
        assert pco.decompress(other_width, 0, file, count, numbers.nbytes)[0] == ERROR
    for count in (0, 1, numbers.size - 1, numbers.size + 1, 2 * numbers.size, 2**61, 2**64 - 1):
        out_bytes = min(count, 4 * numbers.size) * width
        assert pco.decompress(width, 0, file, count, out_bytes)[0] == ERROR
    assert pco.decompress(width, 0, file, numbers.size, numbers.nbytes - 1)[0] == ERROR
    # Room that is not needed is left alone.
    status, out = pco.decompress(width, 0, file, numbers.size, numbers.nbytes + 100)
    assert (status, out) == (OK, numbers.tobytes() + bytes(100))


def test_wrong_arguments(pco: Pco) -> None:
    numbers = numbers_of("i4", 100)
    for code in (0, 12, 255):
        assert pco.compress(code, numbers.tobytes(), 100, 1000)[0] == ERROR
        if code:
            assert pco.decompress(4, code, pco.file(numbers), 100)[0] == ERROR
    for level in (-1, 13, 2**31 - 1, -(2**31)):
        assert pco.compress(3, numbers.tobytes(), 100, 1000, level)[0] == ERROR
    out, size = Memory(1000), ctypes.c_uint64()
    compress, decompress = pco.library.pco_compress, pco.library.pco_decompress
    assert compress(3, None, 100, 8, out.address, 1000, ctypes.byref(size)) == ERROR
    assert compress(3, out.address, 1, 8, None, 1000, ctypes.byref(size)) == ERROR
    assert compress(3, out.address, 1, 8, out.address, 1000, None) == ERROR
    assert compress(2, out.address, 2**62, 8, out.address, 1000, ctypes.byref(size)) == ERROR
    assert decompress(4, 0, None, 100, out.address, 1, 4) == ERROR
    assert decompress(4, 0, pco.file(numbers), 100, None, 100, 400) == ERROR


def test_hostile_bytes(pco: Pco) -> None:
    """No access outside of the memory, and nothing but the two results."""
    random = np.random.default_rng(3)
    for name, code in TYPES.items():
        numbers = numbers_of(name, 700)
        file, width = pco.file(numbers), numbers.itemsize
        for size in range(0, len(file), 7):
            assert pco.decompress(width, code, file[:size], numbers.size)[0] == ERROR
        for _ in range(60):
            damaged = bytearray(file)
            for position in random.integers(0, len(file), int(random.integers(1, 4))):
                damaged[position] ^= int(random.integers(1, 256))
            assert pco.decompress(width, code, bytes(damaged), numbers.size)[0] in (OK, ERROR)
            assert pco.decompress(width, 0, bytes(damaged), 699)[0] in (OK, ERROR)
        assert pco.decompress(width, 0, random.bytes(500), 100)[0] == ERROR
        assert pco.decompress(width, 0, b"", 0)[0] == ERROR
    # A file that claims 2^24 equal numbers in a few bytes, for a block of ten.
    large = np.zeros(1 << 24, np.uint8)
    file = pco.file(large)
    assert len(file) < 200
    assert pco.decompress(1, 10, file, 10)[0] == ERROR


def test_blocks_of_the_host(pco: Pco) -> None:
    """The codec of ClickHouse around the functions: sizes that are no multiple of the width, and
    blocks that are stored."""
    noise = np.random.default_rng(4).bytes(65536)
    for data, width, code in ((numbers_of("i8").tobytes() + b"abc", 8, 4), (noise, 4, 1)):
        skip = len(data) % width
        payload = data[skip:]
        status, file = pco.compress(code, payload, len(payload) // width, len(payload))
        assert status in (OK, WONT_FIT)
        if status == WONT_FIT:
            assert data == noise
            continue
        assert data[:skip] + pco.decompress(width, code, file, len(payload) // width)[1] == data


def test_threads(pco: Pco) -> None:
    """Threads that start, compress, and end; some give their memory back before."""
    numbers = {name: numbers_of(name, 20000) for name in TYPES}
    failures: list[str] = []

    def work(index: int) -> None:
        for name, array in numbers.items():
            status, out = pco.decompress(array.itemsize, 0, pco.file(array), array.size)
            if (status, out) != (OK, array.tobytes()):
                failures.append(name)
            if index % 3 == 0:
                pco.library.pco_release_thread_memory()

    for _ in range(3):
        threads = [threading.Thread(target=work, args=(index,)) for index in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failures


def build_client(static_prefix: Path, folder: Path) -> Path:
    """A program of the static libraries alone, as an engine links them."""
    source = ROOT / "tests" / "engines" / "clickhouse"
    settings = [f"-DCMAKE_PREFIX_PATH={static_prefix}", "-DCMAKE_BUILD_TYPE=Release"]
    run("cmake", "-G", "Ninja", "-S", source, "-B", folder, *settings)
    run("cmake", "--build", folder)
    return folder / "pco_client"


def test_static_client(static_prefix: Path) -> None:
    """A program in C, linked statically: memory of threads that ended is free, also when a
    destructor of the host calls after that of the context."""
    with locked("clickhouse-client") as folder:
        client = build_client(static_prefix, folder)
        run(client)
        checked = subprocess.run(
            ["valgrind", "-q", "--leak-check=full", "--error-exitcode=9", client, "small"],
            capture_output=True,
            text=True,
            timeout=300,
        )
    assert checked.returncode == 0, checked.stdout + checked.stderr
