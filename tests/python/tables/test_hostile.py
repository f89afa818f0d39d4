# SPDX-License-Identifier: Apache-2.0
"""Folders of strangers: what contradicts itself is refused, and nothing outside is opened."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from older_tables import as_version_3
from tables_support import files_in

import numpact
from numpact._remote.manifest import manifest_text, parse_manifest
from numpact._tables.others import BATCH_ROWS

ROW = pa.table({"s": ["y"], "a": [4], "ok": [True]})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    table = pa.table({"s": ["x", None, "z"], "a": [1, None, 3], "ok": [True, False, True]})
    numpact.write_table(table, tmp_path / "t")
    return tmp_path / "t"


def change(folder: Path, **fields: Any) -> None:
    """Changes fields of the manifest, or of the first other column."""
    manifest = json.loads((folder / "manifest.json").read_text())
    for name, value in fields.items():
        place = manifest if name in ("others", "version", "columns") else manifest["others"][0]
        if name in ("file", "rows"):
            manifest["others"][0]["parts"][0][name] = value
        if name == "file":
            continue
        if value is None:
            del place[name]
        else:
            place[name] = value
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    "fields, message",
    [
        ({"others": {}}, "'others' is not a list"),
        ({"others": [5]}, "is not an object"),
        ({"position": 3}, "column 's' cannot be at position 3"),
        ({"position": -1}, "'position' is not a count"),
        ({"position": None}, "has no 'position'"),
        ({"rows": 4}, "columns differ in their rows"),
        ({"rows": None}, "has no 'rows'"),
        ({"type": 5}, "'type' is not text"),
        ({"file": "../s.arrow"}, "leads out of the folder"),
        ({"file": ""}, "leads out of the folder"),
        ({"name": None}, "has no 'name'"),
    ],
)
def test_other_columns_that_cannot_be(folder: Path, fields: dict[str, Any], message: str) -> None:
    change(folder, **fields)
    for call in (
        numpact.open_table,
        numpact.read_table,
        lambda path: numpact.append_table({"a": [1]}, path),
    ):
        with pytest.raises((numpact.CorruptError, FileExistsError)) as caught:
            call(folder)
        assert message in str(caught.value) or isinstance(caught.value, FileExistsError)
    with pytest.raises(numpact.CorruptError, match=message):
        numpact.open_table(folder)


def test_two_columns_at_one_position(folder: Path) -> None:
    other = json.loads((folder / "manifest.json").read_text())["others"][0]
    change(folder, others=[other, other])
    with pytest.raises(numpact.CorruptError, match="cannot be at position 0"):
        numpact.open_table(folder)


def test_versions(folder: Path) -> None:
    change(folder, version=6)
    with pytest.raises(numpact.UnsupportedVersionError, match="version 6"):
        numpact.open_table(folder)
    change(folder, version=2)
    with pytest.raises(numpact.CorruptError, match="'others', which version 2 does not have"):
        numpact.open_table(folder)


def file_of(batches: list[list[Any]], type: pa.DataType, name: str = "s") -> bytes:
    sink = io.BytesIO()
    schema = pa.schema([pa.field(name, type)])
    with pa.ipc.new_file(sink, schema) as writer:
        for values in batches:
            writer.write_batch(pa.record_batch([pa.array(values, type)], schema=schema))
    return sink.getvalue()


@pytest.mark.parametrize(
    "data, message",
    [
        (file_of([["x", "y"]], pa.string()), "batch 0 has 2 rows, not 3"),
        (file_of([["x"], ["y", "z"]], pa.string()), "has 2 batches"),
        (file_of([["x", "y", "z"]], pa.string(), "other"), "holds column 'other'"),
        (b"", ""),
        (b"ARROW1\0\0 but no more", ""),
        (b"PAR1" * 20, ""),
    ],
)
def test_other_files_that_contradict_the_manifest(folder: Path, data: bytes, message: str) -> None:
    as_version_3(folder)  # else the checksums contradict first
    (folder / "s.arrow").write_bytes(data)
    with pytest.raises(numpact.CorruptError, match=rf"s\.arrow: .*{message}"):
        numpact.read_table(folder)
    assert numpact.read_table(folder, ["a"])["a"].to_pylist() == [1, None, 3]


@pytest.mark.parametrize("name", ["s.arrow", "a.pco", "a.nulls.pco", "manifest.json"])
def test_links_out_of_the_folder_are_not_followed(folder: Path, name: str) -> None:
    shutil.move(folder / name, folder.parent / "out")
    (folder / name).symlink_to("../out")
    with pytest.raises(numpact.CorruptError, match="leads out of the folder"):
        numpact.read_table(folder)
    before = files_in(folder)
    with pytest.raises(numpact.CorruptError, match="leads out of the folder"):
        numpact.append_table(ROW, folder)
    assert files_in(folder) == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")
def test_named_pipes_are_not_waited_for(folder: Path) -> None:
    (folder / "s.arrow").unlink()
    os.mkfifo(folder / "s.arrow")
    for read_or_change in (numpact.read_table, lambda path: numpact.append_table(ROW, path)):
        with pytest.raises((OSError, numpact.Error), match=r"s\.arrow"):
            read_or_change(folder)


@pytest.mark.parametrize("name", ["s.arrow", "a.pco", "a.nulls.pco"])
def test_missing_files_are_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(FileNotFoundError, match=f"{name}"):
        numpact.read_table(folder)


def test_numbers_that_contradict_the_manifest(folder: Path) -> None:
    for numbers in ([1, 2, 3], [1], [1.0, 2.0]):
        (folder / "a.pco").write_bytes(numpact.compress(numbers))
        for rows in (None, (1, 3)):
            with pytest.raises(numpact.CorruptError, match=r"a\.pco: "):
                numpact.read_table(folder, ["a"], rows)
    (folder / "ok.pco").write_bytes(numpact.compress(np.array([0, 1, 2], "u1")))
    with pytest.raises(numpact.CorruptError, match="booleans are not all 0 or 1"):
        numpact.read_table(folder, ["ok"])


def test_damaged_folders_never_give_other_counts(folder: Path) -> None:
    """Every single damage is an error, or gives a table of the same shape."""
    rng = random.Random(4)
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    for _ in range(60):
        name = rng.choice(list(files))
        data = bytearray(files[name])
        data[rng.randrange(len(data))] = rng.randrange(256)
        (folder / name).write_bytes(data)
        try:
            read = numpact.read_table(folder, where=rng.choice([None, [("a", "is not null")]]))
            read.to_arrow().validate(full=True)
            assert len(read) <= 3
        except (numpact.Error, OSError):
            pass
        (folder / name).write_bytes(files[name])
    assert len(numpact.read_table(folder)) == 3


def test_manifests_are_written_as_they_are_read(tmp_path: Path) -> None:
    schema = pa.schema(
        [
            pa.field("a", pa.int64(), nullable=False, metadata={"k": b"\xff", "": "v"}),
            pa.field("s", pa.string()),
            pa.field("t", pa.timestamp("s", "UTC")),
        ],
        {"made": "here"},
    )
    numpact.write_table(
        pa.table({"a": [1], "s": [None], "t": [None]}, schema=schema), tmp_path / "t"
    )
    manifest = parse_manifest((tmp_path / "t/manifest.json").read_bytes(), "m")
    assert parse_manifest(manifest_text(manifest), "m") == manifest
    assert [entry.name for entry in manifest.ordered()] == ["a", "s", "t"]
    assert BATCH_ROWS == 65_536  # what docs/format/table-folder.md says
