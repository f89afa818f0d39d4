# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of numpact.dask."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from fsspec.implementations.memory import MemoryFileSystem

import numpact

Prices = tuple[str, np.ndarray]


class Reads:
    """Ranges that were asked for: (name, start, stop), with the bytes that came."""

    def __init__(self) -> None:
        self.ranges: list[tuple[str, int | None, int | None]] = []
        self.bytes = 0
        self.opened: list[str] = []

    def clear(self) -> None:
        self.ranges.clear()
        self.opened.clear()
        self.bytes = 0

    def of(self, name: str) -> list[tuple[int | None, int | None]]:
        return [(start, stop) for path, start, stop in self.ranges if path.endswith(name)]

    @property
    def names(self) -> set[str]:
        return {path.rpartition("/")[2] for path, _, _ in self.ranges}


def put(url: str, data: bytes) -> int:
    """Writes a file; how long it is."""
    MemoryFileSystem().pipe_file(url, data)
    return len(data)


def path_of(url: str) -> str:
    return str(MemoryFileSystem._strip_protocol(url))


def size_of(url: str) -> int:
    return int(MemoryFileSystem().info(url)["size"])


# Column, logical type, unit, timezone, NumPy type of the stored numbers.
TABLE = [
    ("price", "number", "", "", "f8"),
    ("at", "timestamp", "us", "Europe/Berlin", "i8"),
    ("seen", "timestamp", "ns", "", "i8"),
    ("day", "date32", "", "", "i4"),
    ("week", "date64", "", "", "i8"),
    ("clock", "time32", "ms", "", "i4"),
    ("tick", "time64", "us", "", "i8"),
    ("took", "duration", "ms", "", "i8"),
    ("ok", "bool", "", "", "u1"),
    ("half", "number", "", "", "f2"),
]
_NAMES = {"f8": "f64", "i8": "i64", "i4": "i32", "u1": "u8", "f2": "f16"}


def make_table(folder: Path, rows: int, seed: int = 1, paging: int = 1000) -> dict[str, np.ndarray]:
    """A folder as ``numpact compress TABLE`` makes it; the numbers that it stores."""
    folder.mkdir(parents=True)
    random = np.random.default_rng(seed)
    columns = []
    numbers: dict[str, np.ndarray] = {}
    for name, kind, unit, timezone, code in TABLE:
        stored = random.integers(0, 2 if kind == "bool" else 10_000, rows).astype(code)
        numbers[name] = stored * 86_400_000 if kind == "date64" else stored
        entry = {
            "name": name,
            "file": f"{name}.pco",
            "logical_type": kind,
            "number_type": _NAMES[code],
            "count": rows,
        }
        entry |= {"unit": unit} if unit else {}
        entry |= {"timezone": timezone} if timezone else {}
        columns.append(entry)
        (folder / f"{name}.pco").write_bytes(numpact.compress(numbers[name], paging=paging))
    manifest = {"format": "numpact-table", "version": 1, "columns": columns, "skipped": []}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2))
    return numbers
