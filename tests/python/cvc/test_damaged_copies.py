# SPDX-License-Identifier: Apache-2.0
"""Files with a damaged chunk are not written anew: a new checksum would make the damage sound."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from numpact import cvc
from numpact._errors import ChecksumError, CorruptError

ROWS = 300
VECTORS = np.random.default_rng(0).normal(size=(ROWS, 8)).astype("f4")
Call = Callable[[Path, Path], Any]


def columnar(path: Path) -> Path:
    columns = {"a": (8, "float32"), "k": (1, "int64"), "z": (1, "int64")}
    with cvc.Writer(path, columns=columns, chunk_size=100) as writer:
        writer.append({"a": VECTORS, "k": np.arange(ROWS), "z": np.arange(ROWS)})
    return path


def single(path: Path, compression: str = "fp16", version: str = "1.0") -> Path:
    with cvc.Writer(path, compression=compression, chunk_size=100, version=version) as writer:
        writer.append(VECTORS)
    return path


def damage(path: Path, chunk: int, at: int) -> None:
    """Changes a bit of a chunk's payload."""
    info = cvc.Reader(path).info
    data = bytearray(path.read_bytes())
    offset = info.chunks[chunk].offset
    assert offset is not None
    data[offset + info.record_head_bytes + at] ^= 0x40
    path.write_bytes(data)


COLUMN_CALLS: dict[str, Call] = {
    "add": lambda path, out: cvc.add_column(path, "n", np.arange(ROWS), output_path=out),
    "update": lambda path, out: cvc.update_column(path, "k", np.arange(ROWS), output_path=out),
    "delete": lambda path, out: cvc.delete_column(path, "k", output_path=out),
    "rename": lambda path, out: cvc.rename_column(path, "k", "kk", output_path=out),
}


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("chunk", [0, 1, 2])
# In the column a, in k, which some of the calls drop or write anew, and in z.
@pytest.mark.parametrize("at", [5, 100 * 8 * 2 + 3, 100 * (8 * 2 + 8) + 7])
@pytest.mark.parametrize("name", COLUMN_CALLS)
def test_a09_damage_laundered_by_column_functions(
    tmp_path: Path, name: str, at: int, chunk: int, in_place: bool
) -> None:
    path = columnar(tmp_path / "c.cvc")
    out = path if in_place else tmp_path / "out.cvc"
    damage(path, chunk, at)
    before = path.read_bytes()
    with pytest.raises(
        ChecksumError, match=rf"c\.cvc: chunk {chunk} is damaged \(at byte"
    ) as caught:
        COLUMN_CALLS[name](path, out)
    assert caught.value.chunk == chunk
    assert caught.value.offset == cvc.Reader(path).info.chunks[chunk].offset
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["c.cvc"]


@pytest.mark.parametrize("name", COLUMN_CALLS)
def test_sound_files_are_changed(tmp_path: Path, name: str) -> None:
    path = columnar(tmp_path / "c.cvc")
    COLUMN_CALLS[name](path, tmp_path / "out.cvc")
    assert cvc.Reader(tmp_path / "out.cvc").verify() == []


@pytest.mark.parametrize("compression", ["fp16", "int8", "lossless", "pco"])
def test_a09_damage_laundered_by_upgrade(tmp_path: Path, compression: str) -> None:
    path = single(tmp_path / "s.cvc", compression)
    damage(path, 1, 40)
    with pytest.raises(ChecksumError, match=r"s\.cvc: chunk 1 is damaged") as caught:
        cvc.upgrade_cvc(path, tmp_path / "out.cvc")
    assert caught.value.chunk == 1
    assert not (tmp_path / "out.cvc").exists()


def test_upgrade_refuses_what_cannot_be_decoded(tmp_path: Path) -> None:
    """Version 0.1 has no checksums to compare: there it is what the bytes say."""
    path = single(tmp_path / "s.cvc", "fp16", version="0.1")
    cvc.upgrade_cvc(path, tmp_path / "sound.cvc")
    assert cvc.Reader(tmp_path / "sound.cvc").verify() == []
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(CorruptError):
        cvc.upgrade_cvc(path, tmp_path / "out.cvc")
    assert not (tmp_path / "out.cvc").exists()
