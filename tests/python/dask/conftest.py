# SPDX-License-Identifier: Apache-2.0
"""A file system in memory that notes what is read, and sample files."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

MISSING = [name for name in ("dask", "fsspec", "pandas", "pyarrow") if find_spec(name) is None]

if MISSING:
    collect_ignore_glob = ["test_*.py"]
else:
    import dask
    from dask_support import Reads, put
    from fsspec.implementations.memory import MemoryFileSystem

    import numpact


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if MISSING:
        terminalreporter.line(f"tests/python/dask: left out, there is no {', '.join(MISSING)}")


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[Reads]:
    """Notes every read of a memory:// file; the tasks run one by one, in this thread."""
    log = Reads()
    read_range = MemoryFileSystem.cat_file
    open_file = MemoryFileSystem._open
    inside = []

    def cat_file(self: Any, path: str, start: Any = None, end: Any = None) -> bytes:
        inside.append(path)
        try:
            data: bytes = read_range(self, path, start, end)
        finally:
            inside.pop()
        log.ranges.append((self._strip_protocol(path), start, end))
        log.bytes += len(data)
        return data

    def opened(self: Any, path: str, mode: str = "rb", **options: Any) -> Any:
        if "r" in mode and not inside:
            log.opened.append(path)
        return open_file(self, path, mode, **options)

    monkeypatch.setattr(MemoryFileSystem, "cat_file", cat_file)
    monkeypatch.setattr(MemoryFileSystem, "_open", opened)
    with dask.config.set(scheduler="synchronous"):
        yield log
    # Nobody reads around the ranges.
    assert log.opened == []


@pytest.fixture
def folder() -> Iterator[str]:
    """An empty folder of the memory file system."""
    url = f"memory://{uuid.uuid4().hex}"
    fs = MemoryFileSystem()
    fs.makedirs(url)
    yield url
    fs.rm(url, recursive=True)


@pytest.fixture
def prices(folder: str) -> tuple[str, np.ndarray]:
    """Three files of five Pco chunks each, and their numbers."""
    random = np.random.default_rng(5)
    numbers = np.round(random.normal(100, 5, 15_000), 2)
    for day in range(3):
        part = numbers[day * 5000 : (day + 1) * 5000]
        put(f"{folder}/day{day}.pco", numpact.compress(part, paging=[1000] * 5))
    return folder, numbers
