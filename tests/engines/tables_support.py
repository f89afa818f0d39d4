# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of databases: tables of many types, and damaged folders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import filter_fixture
import numpy as np
import pyarrow as pa
from manifests import ACCEPTED, REFUSED

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
    """Text that does not repeat, which is a file of Arrow."""
    return pa.array([f"word {row}" for row in range(rows)])


def symbols(rows: int) -> pa.Array:
    """Text that repeats, in the order of the rows, and nulls."""
    texts = [f"s{row * 300 // rows:03d}" + "x" * (row % 17) for row in range(rows)]
    return pa.array(texts, mask=nulls_of(rows))


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


def hostile_folders(place: Path) -> Iterator[tuple[Path, str]]:
    """Folders with each manifest of the list that readers refuse, and a part of the message."""
    for one in REFUSED:
        yield one.folder(place / one.name), re.escape(one.why)


def sound_folders(place: Path) -> Iterator[tuple[Path, int, str]]:
    """Folders with each that readers accept, and their rows; or why databases refuse them."""
    for one in ACCEPTED:
        why = "nulls were left out" if one.rows is None else "" if one.columns else "no columns"
        yield one.folder(place / one.name), one.rows or 0, why


def mutants(step: int) -> Iterator[bytes]:
    """A file with a trailer in which single bytes are changed, every `step` bytes."""
    numbers = np.cumsum(np.random.default_rng(3).integers(-5, 9, 3000))
    data = numpact.compress(numbers, paging=1000, trailer=256)
    for at in range(0, len(data), step):
        mutant = bytearray(data)
        mutant[at] ^= 1 << at % 8
        yield bytes(mutant)


def filter_folder(path: Path) -> dict[str, list[str]]:
    """Writes the table of tests/fixtures/filters in chunks of 3 numbers.

    Returns:
        By column, its filters that name no other: most are SQL, too.
    """
    table = pa.concat_tables([filter_fixture.table()] * 8)  # so that its texts repeat
    table = table.set_column(0, "row", pa.array(range(len(table)), pa.int32()))
    numpact.write_table(table, path)
    assert list(path.glob("*.values"))
    for file in path.glob("*.pco"):
        if not file.name.endswith(".nulls.pco"):
            numbers = numpact.decompress(file.read_bytes())
            file.write_bytes(numpact.compress(numbers, paging=3, trailer=True))
    found: dict[str, list[str]] = {name: [] for name in table.column_names}
    for line in filter_fixture.lines():
        words = set(re.findall(r'"odd name"|\w+', line.filter))
        named = [name for name in found if name in words or f'"{name}"' in words]
        if len(named) == 1:
            found[named[0]].append(line.filter)
    return found


def differing(
    filters: list[str], rows: Callable[[str], list[Any] | None], copied: Callable[[str], Any]
) -> tuple[int, list[str]]:
    """How many filters an engine takes, and those that give other rows than on its own copy.

    Args:
        filters: For WHERE.
        rows, copied: The sorted rows that a filter selects of numpact's table and of the copy;
            None: the engine refuses it.
    """
    taken, wrong = 0, []
    for text in filters:
        expected = copied(text)
        if expected is None:
            continue
        taken += 1
        if rows(text) != expected:
            wrong.append(text)
    return taken, wrong
