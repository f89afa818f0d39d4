# SPDX-License-Identifier: Apache-2.0
"""Folders of vectors that grow: `numpact cvc append`, and the commands that read them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli_program import CORRUPT, FAILURE, PROGRAM, USAGE
from cvc_support import cvc, cvc_refused, info, vectors


def save(path: Path, rows: np.ndarray) -> Path:
    np.save(path, rows)
    return path


def unpacked(path: Path, tmp_path: Path) -> np.ndarray:
    cvc("unpack", path, "-o", tmp_path / "unpacked.npy", "-f")
    return np.load(tmp_path / "unpacked.npy")


def files(folder: Path) -> list[str]:
    index = json.loads((folder / "collection.json").read_text())
    return [entry["file"] for entry in index["files"]]


def test_append_and_seal(tmp_path: Path) -> None:
    folder, sealed = tmp_path / "grown", tmp_path / "sealed.cvc"
    parts = [vectors(count, 8, count) for count in (20_000, 5, 17_000, 3)]
    for part in parts:
        ran = cvc("append", folder, save(tmp_path / "part.npy", part), "--compression", "int8_row")
        assert f"{len(part):,} rows" in ran.err
    assert len(files(folder)) == 3
    rows = unpacked(folder, tmp_path)
    assert np.abs(rows - np.concatenate(parts)).max() < 0.03
    cvc("concat", folder, "-o", sealed)
    assert np.array_equal(unpacked(sealed, tmp_path), rows)
    assert info(sealed)["rows"] == info(folder)["rows"] == 37_008
    assert "OK" in cvc("verify", folder).text
    cvc("slice", folder, tmp_path / "some.cvc", "--rows", "19990:20")
    assert np.array_equal(unpacked(tmp_path / "some.cvc", tmp_path), rows[19_990:20_010])
    for name in files(folder):
        assert "OK" in cvc("verify", folder / name).text


def test_columns_and_options(tmp_path: Path) -> None:
    folder = tmp_path / "grown"
    one = save(tmp_path / "one.npy", vectors(10, 4))
    cvc("append", folder, one, "--compression", "pco", "--metadata", '{"model": "m"}')
    cvc("append", folder, one)
    described = info(folder)
    assert described["rows"] == 20
    assert [column["compression"] for column in described["columns"]] == ["pco"]
    assert "the collection has 'vectors' (4 float32)" in cvc_refused(
        "append", folder, save(tmp_path / "wide.npy", vectors(10, 5)), code=USAGE
    )
    assert "the collection has 'vectors' (4 float32)" in cvc_refused(
        "append", folder, save(tmp_path / "half.npy", vectors(10, 4).astype("f2")), code=FAILURE
    )
    said = cvc_refused("append", folder, one, "--metadata", "1", code=USAGE)
    assert "when a collection is made" in said
    assert "is not a collection, and holds" in cvc_refused("append", tmp_path, one, code=USAGE)
    assert info(folder)["rows"] == 20


def test_tables_are_matched_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "grown"
    first = pa.table({"x": np.array([1, 2], "f4"), "y": np.array([10, 20], "f4")})
    pq.write_table(first, tmp_path / "a.parquet")
    pq.write_table(first.slice(1).select(["y", "x"]), tmp_path / "b.parquet")
    cvc("append", folder, tmp_path / "a.parquet")
    cvc("append", folder, tmp_path / "b.parquet")
    cvc("unpack", folder, "--column", "y", "-o", tmp_path / "y.npy")
    assert np.load(tmp_path / "y.npy").reshape(-1).tolist() == [10, 20, 20]


def test_outputs_are_not_inputs(tmp_path: Path) -> None:
    folder = tmp_path / "grown"
    cvc("append", folder, save(tmp_path / "rows.npy", vectors(10, 4)))
    before = (folder / files(folder)[0]).read_bytes()
    for output in (folder, folder / files(folder)[0]):
        said = cvc_refused("concat", folder, "-o", output, "-f", code=FAILURE)
        assert "is the input itself: write to another file, or add rows to a folder" in said
    assert "is the input itself" in cvc_refused(
        "slice", folder, folder / files(folder)[0], "--rows", "0:1", "-f", code=FAILURE
    )
    assert (folder / files(folder)[0]).read_bytes() == before


@pytest.mark.parametrize("compression", ["fp16", "int8", "lossless", "int4", "pco"])
def test_append_cvc_files(tmp_path: Path, compression: str) -> None:
    folder, packed = tmp_path / "grown", tmp_path / "packed.cvc"
    metadata = '{"model": "m"}'
    rows = save(tmp_path / "rows.npy", vectors(3000, 8))
    cvc("pack", rows, "-o", packed, "--compression", compression, "--metadata", metadata)
    expected = unpacked(packed, tmp_path)
    for _ in range(2):
        assert "3,000 rows" in cvc("append", folder, packed).err
    other = tmp_path / "other"
    cvc("append", other, folder)
    assert np.array_equal(unpacked(other, tmp_path), np.concatenate([expected] * 2))
    described = info(other)
    assert described["metadata"] == {"model": "m"}
    stored = "pco" if compression == "lossless" else compression
    assert [column["compression"] for column in described["columns"]] == [stored]
    # Other vectors follow by the collection's compression.
    cvc("append", other, rows)
    assert info(other)["rows"] == 9000
    assert "OK" in cvc("verify", other).text
    said = cvc_refused("append", folder, packed, "--compression", "int8", code=USAGE)
    assert "--compression: is not for CVC files" in said
    assert "when a collection is made" in cvc_refused(
        "append", folder, packed, "--metadata", "1", code=USAGE
    )
    assert "is the input itself" in cvc_refused("append", folder, folder, code=FAILURE)
    wide = tmp_path / "wide.cvc"
    cvc("pack", save(tmp_path / "wide.npy", vectors(10, 9)), "-o", wide)
    assert "the collection has 'vectors' (8 float32)" in cvc_refused(
        "append", folder, wide, code=USAGE
    )


def test_damaged_folders(tmp_path: Path) -> None:
    folder = tmp_path / "grown"
    cvc("append", folder, save(tmp_path / "rows.npy", vectors(10, 4)))
    name = files(folder)[0]
    data = bytearray((folder / name).read_bytes())
    data[-1] ^= 1
    (folder / name).write_bytes(data)
    assert name in cvc("verify", folder, code=CORRUPT).err
    (folder / name).write_bytes(data[:-1])
    assert f"{name}: has {len(data) - 1} bytes" in cvc_refused("info", folder, code=CORRUPT)
    (folder / "collection.json").write_text("{}")
    assert "collection.json: is not the index" in cvc_refused("info", folder, code=CORRUPT)
    (folder / "collection.json").unlink()
    assert "collection.json" in cvc_refused("info", folder, code=FAILURE)


@pytest.mark.parametrize("compression", ["none", "int4"])
def test_processes_at_once(tmp_path: Path, compression: str) -> None:
    folder = tmp_path / "grown"
    inputs = [save(tmp_path / f"{i}.npy", np.full((50, 4), i, np.float32)) for i in range(4)]
    for _ in range(5):
        started = [
            subprocess.Popen([PROGRAM, "cvc", "append", folder, path, "--compression", compression])
            for path in inputs
        ]
        assert [process.wait() for process in started] == [0] * 4
    rows = unpacked(folder, tmp_path)
    assert sorted(rows[::50, 0].round().tolist()) == sorted(list(range(4)) * 5)
