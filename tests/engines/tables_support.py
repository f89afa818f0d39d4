# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of databases: tables of many types, and damaged folders."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import numpact


def number_columns(rows: int, unsigned: type = np.uint64) -> dict[str, Any]:
    """Every number type, and two of many chunks that are sorted: by these chunks are left out.

    ``unsigned``: numpy.int64 leaves out the numbers that only unsigned types have.
    """
    random = np.random.default_rng(1)
    columns: dict[str, Any] = {}
    for bits in (8, 16, 32, 64):
        limits = np.iinfo(f"int{bits}")
        columns[f"i{bits}"] = random.integers(limits.min, limits.max, rows, f"int{bits}")
        maximum = limits.max if unsigned is np.int64 else np.iinfo(f"uint{bits}").max
        columns[f"u{bits}"] = random.integers(0, maximum, rows, f"uint{bits}")
    for bits in (16, 32, 64):
        columns[f"f{bits}"] = random.normal(size=rows).astype(f"float{bits}")
    columns["sorted"] = np.arange(rows) * 10
    columns["gaps"] = pa.array(np.arange(rows) * 10, pa.int64(), mask=nulls_of(rows))
    return columns


def nulls_of(rows: int) -> np.ndarray:
    """A tenth of the rows."""
    mask: np.ndarray = np.random.default_rng(2).random(rows) < 0.1
    return mask


def words(rows: int) -> pa.Array:
    return pa.array([f"word {row % 7}" for row in range(rows)])


def damage(file: Path, chunk: int) -> None:
    """Makes a chunk undecodable, but not its trailer."""
    data = bytearray(file.read_bytes())
    with numpact.File(file) as opened:
        first = opened.chunks[chunk].offset
    data[first] = 0xEE  # the byte of the number type
    file.write_bytes(data)


def only_manifest(folder: Path, copy: Path, *files: str) -> Path:
    """A copy of a folder that lacks all files of columns but those named."""
    copy.mkdir()
    for name in ("manifest.json", *files):
        (copy / name).write_bytes((folder / name).read_bytes())
    return copy


def hostile_manifests(folder: Path) -> Iterator[tuple[str, str]]:
    """Texts that are no manifest, or that differ from the folder's in one point, and the error."""
    whole = (folder / "manifest.json").read_text()

    def top(key: str, value: Any) -> str:
        return json.dumps({**json.loads(whole), key: value})

    def first(key: str, value: Any) -> str:
        columns = json.loads(whole)["columns"]
        return top("columns", [{**columns[0], key: value}, *columns[1:]])

    yield "", "no JSON"
    yield "[" * 100_000, "no JSON"
    yield '{"format": "numpact-table"', "no JSON"
    yield "{}", "not a manifest"
    yield top("version", 4), "version 4"
    yield top("columns", {}), "no list of columns"
    yield top("columns", [7]), "no name"
    yield first("file", "../x.pco"), "leads out"
    yield first("file", "/etc/passwd"), "leads out"
    yield first("name", "a\0b"), "no name"
    yield first("name", "\ud800"), "no name"
    yield first("count", -1), "not a count"
    yield first("count", 2**63), "not a count"
    yield first("count", 7), "number of rows"
    yield first("number_type", "i128"), "number type"
    yield first("logical_type", "bool"), "not stored"
    yield first("nulls", {"file": "x", "count": 0}), "at least 1"
    yield first("metadata", [["a"]]), "metadata"
    yield first("nullable", 1), "nullable"


def hostile_folders(folder: Path, place: Path) -> Iterator[tuple[Path, str]]:
    """Folders with these manifests."""
    for index, (text, message) in enumerate(hostile_manifests(folder)):
        path = place / f"case{index}"
        path.mkdir()
        (path / "manifest.json").write_text(text, "utf-8", "surrogatepass")
        yield path, message


def mutants(step: int) -> Iterator[bytes]:
    """A file with a trailer in which single bytes are changed, every `step` bytes."""
    numbers = np.cumsum(np.random.default_rng(3).integers(-5, 9, 3000))
    data = numpact.compress(numbers, paging=1000, trailer=256)
    for at in range(0, len(data), step):
        mutant = bytearray(data)
        mutant[at] ^= 1 << at % 8
        yield bytes(mutant)
