# SPDX-License-Identifier: Apache-2.0
"""The modules in wasmtime: another engine than that of Node, driven by nothing but the C interface.

Run by ./dev wasm: pytest tests/wasm/check_wasmtime.py.
"""

from __future__ import annotations

import functools
import os
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wasmtime

import numpact

PACKAGE = Path(os.environ["NUMPACT_JS"])
FILES = Path(os.environ["NUMPACT_JS_FILES"])
BUILD = os.environ["NUMPACT_WASM_BUILD"]
FIXTURES = Path(os.environ["NUMPACT_FIXTURES"])
ENGINE = wasmtime.Engine()
INITIAL_PAGES = 64
TYPES = {1: "<u4", 2: "<u8", 3: "<i4", 4: "<i8", 5: "<f4", 6: "<f8", 7: "<u2", 8: "<i2", 9: "<f2",
         10: "|u1", 11: "|i1"}  # fmt: skip


@functools.cache
def compiled(path: str) -> wasmtime.Module:
    return wasmtime.Module.from_file(ENGINE, path)


class Module:
    """An instance with a memory of at most so many pages."""

    def __init__(self, name: str, max_pages: int = 65536) -> None:
        self.store = wasmtime.Store(ENGINE)
        limits = wasmtime.Limits(INITIAL_PAGES, max_pages)
        self.memory = wasmtime.Memory(self.store, wasmtime.MemoryType(limits))
        module = compiled(str(PACKAGE / f"{name}.wasm"))
        imports = {"memory": self.memory, "numpact_js_read_at": self.reader()}
        assert {(i.module, i.name) for i in module.imports} == {("env", name) for name in imports}
        given = [imports[i.name] for i in module.imports]
        self.exports = wasmtime.Instance(self.store, module, given).exports(self.store)
        self.call("_initialize")

    def reader(self) -> wasmtime.Func:
        """What the module reads files in ranges with; no test needs it."""
        i32, i64 = wasmtime.ValType.i32(), wasmtime.ValType.i64()
        kind = wasmtime.FuncType([i32, i64, i32, i32, i32], [i32])
        return wasmtime.Func(self.store, kind, lambda *_: -1)

    def call(self, name: str, *values: int) -> Any:
        return self.exports[name](self.store, *values)

    def allocate(self, size: int) -> int:
        return int(self.call("malloc", max(1, size))) & 0xFFFFFFFF

    def copy_of(self, content: bytes) -> int:
        place = self.allocate(len(content))
        assert place
        self.memory.write(self.store, content, place)
        return place

    def read(self, place: int, size: int) -> bytes:
        return bytes(self.memory.read(self.store, place, place + size))

    def decode(self, file: bytes) -> np.ndarray | int:
        """The numbers of a file, or the status."""
        at = self.copy_of(file)
        info = self.copy_of(struct.pack("<I20x", 24))
        status = self.call("numpact_read_info", at, len(file), info, 0)
        if status:
            return int(status)
        kind = self.read(info + 4, 1)[0]
        count = self.allocate(8)
        status = self.call("numpact_count", 0, at, len(file), count, 0)
        if status:
            return int(status)
        (numbers,) = struct.unpack("<Q", self.read(count, 8))
        dtype = np.dtype(TYPES.get(kind, "|u1"))
        out = self.allocate(numbers * dtype.itemsize)
        if not out:
            return 31
        status = self.call("numpact_decompress_exact", 0, at, len(file), kind or 1, out, numbers, 0)
        if status:
            return int(status)
        return np.frombuffer(self.read(out, numbers * dtype.itemsize), dtype)


NAMES = ["numpact", "numpact-scalar", "numpact-decode", "numpact-decode-scalar"]


@pytest.mark.parametrize("name", NAMES)
def test_conformance(name: str) -> None:
    module = Module(name)
    paths = sorted(FILES.glob("*.pco")) + sorted(FILES.glob("made/*.pco"))
    assert len(paths) == 13 + 46
    for path in paths:
        found = module.decode(path.read_bytes())
        assert isinstance(found, np.ndarray), path
        if not path.with_suffix(".npy").exists():
            assert path.stem == "v0_1_1_standalone_versioned" and found.size == 0
            continue
        expected = np.load(path.with_suffix(".npy"))
        assert found.dtype == expected.dtype and found.tobytes() == expected.tobytes(), path


@pytest.mark.parametrize("name", NAMES)
def test_refused(name: str) -> None:
    module = Module(name)
    paths = sorted(FILES.glob("made/refused/*.pco"))
    assert len(paths) == 51
    for path in paths:
        assert module.decode(path.read_bytes()) in (20, 21, 22), path


def test_memory_that_does_not_suffice() -> None:
    """Every limit gives the numbers or a status, and never a trap."""
    numbers = np.arange(600_000) * 1.5  # 4.8 MB: more than the memory at the start
    file = numpact.compress(numbers)
    outcomes = set()
    for pages in range(INITIAL_PAGES, INITIAL_PAGES + 128, 8):
        found = Module("numpact", pages).decode(file)
        if isinstance(found, int):
            assert found == 31
        else:
            assert found.tobytes() == numbers.tobytes()
        outcomes.add(isinstance(found, int))
    assert outcomes == {True, False}


@pytest.mark.parametrize("name", ["simd", "scalar"])
def test_digests(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    linker = wasmtime.Linker(ENGINE)
    linker.define_wasi()
    store = wasmtime.Store(ENGINE)
    wasi = wasmtime.WasiConfig()
    wasi.argv = ["digest", "/fixtures/digests.txt"]
    wasi.preopen_dir(str(FIXTURES), "/fixtures")
    wasi.inherit_stdout()
    store.set_wasi(wasi)
    instance = linker.instantiate(store, compiled(f"{BUILD}-{name}/digest.wasm"))
    try:
        instance.exports(store)["_start"](store)
    except wasmtime.ExitTrap as end:
        assert end.code == 0, capfd.readouterr().out
    assert " 0 differ" in capfd.readouterr().out
