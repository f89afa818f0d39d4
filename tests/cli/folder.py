# SPDX-License-Identifier: Apache-2.0
"""Folders of ``numpact compress TABLE``, read without the command."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from cli_program import DTYPES


@dataclass
class Entry:
    """One column: its entry in the manifest, its numbers, and which rows are null."""

    json: dict[str, Any]
    numbers: np.ndarray
    valid: np.ndarray

    @property
    def rows(self) -> list:
        """Numbers, None for null."""
        left = iter(self.numbers.tolist())
        return [next(left) if valid else None for valid in self.valid]


def manifest_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "manifest.json").read_text())


def numbers_of(path: Path, dtype: str) -> np.ndarray:
    """The numbers of a Pco file, by this package, which tests of the command alone lack."""
    import numpact

    return numpact.decompress(path.read_bytes(), dtype=np.dtype(DTYPES[dtype]))


def reference_numbers_of(path: Path, dtype: str) -> np.ndarray:
    """The numbers of a Pco file, by the reference."""
    from pcodec import standalone

    data = path.read_bytes()
    found = standalone.simple_decompress(data)
    return np.empty(0, DTYPES[dtype]) if found is None else found


def validity_of(runs: np.ndarray) -> np.ndarray:
    """Runs of rows: with numbers, null, with numbers, and so on."""
    return np.repeat(np.arange(len(runs)) % 2 == 0, runs.astype(np.int64))


def entries_of(folder: Path, reference: bool = False) -> list[Entry]:
    read = reference_numbers_of if reference else numbers_of
    entries = []
    for column in manifest_of(folder)["columns"]:
        numbers = read(folder / column["file"], column["number_type"])
        assert len(numbers) == column["count"]
        valid = np.ones(len(numbers), bool)
        if "nulls" in column:
            valid = validity_of(read(folder / column["nulls"]["file"], "u64"))
            assert (~valid).sum() == column["nulls"]["count"] > 0
        assert valid.sum() == len(numbers)
        entries.append(Entry(column, numbers, valid))
    return entries
