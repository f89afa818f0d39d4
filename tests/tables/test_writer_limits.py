# SPDX-License-Identifier: Apache-2.0
"""No writer replaces a table by one that no reader accepts.

manifest_limits_test.cpp tests each limit of docs/format/table-folder.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from cli_program import LIMIT, run

import numpact

MIB = 1 << 20
LIMIT_BYTES = 64 * MIB

# Metadata that takes more than 64 MiB in a manifest.
TOO_LONG: dict[str, dict[Any, Any]] = {
    "text": {"k": "x" * (65 * MIB)},
    "binary": {"k": b"\xff" * (33 * MIB)},  # two digits for a byte
    "control characters": {"k": "\1" * (12 * MIB)},  # six characters for each
}


def table_with(metadata: dict[Any, Any], place: str) -> pa.Table:
    of_field = metadata if place == "field" else None
    field = pa.field("a", pa.int64(), metadata=of_field)
    schema = pa.schema([field], metadata=metadata if place == "table" else None)
    return pa.table([pa.array([1, 2])], schema=schema)


def ipc(table: pa.Table, path: Path) -> Path:
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return path


def rows_of(folder: Path) -> list[int]:
    rows: list[int] = numpact.read_table(folder)["a"].to_pylist()
    assert run("decompress", folder, "--to", "csv").text.split()[1:] == list(map(str, rows))
    return rows


@pytest.mark.parametrize("place", ["table", "field"])
@pytest.mark.parametrize("kind", TOO_LONG)
def test_long_metadata(tmp_path: Path, kind: str, place: str) -> None:
    folder = tmp_path / "t"
    numpact.write_table({"a": [7]}, folder)
    table = table_with(TOO_LONG[kind], place)
    for path, options in ((folder, {"overwrite": True}), (tmp_path / "new", {})):
        with pytest.raises(numpact.LimitExceededError, match="the manifest would have more than"):
            numpact.write_table(table, path, **options)
    source = ipc(table, tmp_path / "t.arrow")
    for words in (["-f", "-o", folder], ["-o", tmp_path / "new"]):
        assert "the manifest would have more" in run("compress", source, *words, code=LIMIT).err
    assert rows_of(folder) == [7]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t", "t.arrow"]


def test_many_pairs(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    numpact.write_table({"a": [7]}, folder)
    table = table_with({str(index): "" for index in range(1_400_000)}, "table")
    with pytest.raises(numpact.LimitExceededError, match="readers would refuse the manifest"):
        numpact.write_table(table, folder, overwrite=True)
    source = ipc(table, tmp_path / "t.arrow")
    assert "readers would refuse" in run("compress", source, "-f", "-o", folder, code=LIMIT).err
    assert rows_of(folder) == [7]


def test_a_long_name(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    numpact.write_table({"a": [7]}, folder)
    for values in ([1], ["text"]):
        table = pa.table({"n" * (65 * MIB): values})
        with pytest.raises(numpact.LimitExceededError):
            numpact.write_table(table, folder, overwrite=True)
    assert rows_of(folder) == [7]


def test_an_append_that_passes_the_limit(tmp_path: Path) -> None:
    """A table at the limit is read, but the next digit of its count does not fit."""
    folder = tmp_path / "t"
    rows = list(range(9))
    def table(pad: int) -> pa.Table:
        return pa.table({"a": rows}).replace_schema_metadata({"k": "x" * pad})

    numpact.write_table(table(1), folder)
    size = (folder / "manifest.json").stat().st_size
    numpact.write_table(table(1 + LIMIT_BYTES - size), folder, overwrite=True)
    assert (folder / "manifest.json").stat().st_size == LIMIT_BYTES
    assert rows_of(folder) == rows
    with pytest.raises(numpact.LimitExceededError):
        numpact.append_table({"a": [9]}, folder)
    source = ipc(pa.table({"a": [9]}), tmp_path / "more.arrow")
    run("compress", source, "--append", "-o", folder, code=LIMIT)
    assert rows_of(folder) == rows
    assert sorted(path.name for path in tmp_path.iterdir()) == ["more.arrow", "t"]


def test_names_that_are_no_text(tmp_path: Path) -> None:
    with pytest.raises(numpact.Error):
        numpact.write_table({"a\ud800": [1]}, tmp_path / "t")
    (tmp_path / "a.csv").write_bytes(b"a\xed\xa0\x80,b\n1,2\n")
    run("compress", tmp_path / "a.csv", "-o", tmp_path / "t", code=None)
    assert not (tmp_path / "t").exists()
