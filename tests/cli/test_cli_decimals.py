# SPDX-License-Identifier: Apache-2.0
"""Decimals of up to 18 digits: by the command as by Python, to Arrow, Parquet and CSV."""

from __future__ import annotations

import csv
import io
import struct
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest
from cli_program import CORRUPT, FAILURE
from programs import Tool, tool  # noqa: F401

import numpact

pytestmark = pytest.mark.usefixtures("arrow")

VALUES = [None if i % 5 == 3 else Decimal(i * i - 5000).scaleb(-2) for i in range(300)]
TABLE = pa.table({
    "d": pa.array(VALUES, pa.decimal128(18, 2)),
    "e": pa.array(VALUES, pa.decimal256(12, 3)),
    "s": pa.array(VALUES, pa.decimal32(9, 4)),
    "w": pa.array(VALUES, pa.decimal64(17, 2)),
})  # fmt: skip


def write(table: pa.Table, path: Path) -> Path:
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    return path


def test_round_trip(tool: Tool, tmp_path: Path) -> None:
    path = write(TABLE, tmp_path / "t.arrow")
    tool.run("compress", "-q", path, "-o", tmp_path / "t")
    numpact.write_table(TABLE, tmp_path / "python")
    texts = [(tmp_path / writer / "manifest.json").read_bytes() for writer in ("python", "t")]
    assert texts[0] == texts[1]
    tool.run("decompress", "-q", tmp_path / "t", "-o", tmp_path / "back.arrow")
    assert pa.ipc.open_file(tmp_path / "back.arrow").read_all().equals(TABLE)
    tool.run("decompress", "-q", tmp_path / "t", "--columns", "d,e", "-o", tmp_path / "b.parquet")
    assert pa.parquet.read_table(tmp_path / "b.parquet").equals(TABLE.select(["d", "e"]))
    text = tool.run("decompress", tmp_path / "t", "--where", "d > 1.9999", "--to", "csv").text
    rows = list(csv.reader(io.StringIO(text)))[1:]
    expected = [x for x in VALUES if x is not None and x >= 2]
    assert [row[0] for row in rows] == [f"{x:.2f}" for x in expected]
    assert [row[2] for row in rows] == [f"{x:.4f}" for x in expected]


def test_appends(tool: Tool, tmp_path: Path) -> None:
    first = write(TABLE.select(["d"]), tmp_path / "t.arrow")
    tool.run("compress", "-q", first, "-o", tmp_path / "t")
    tool.run("compress", "-q", first, "--append", "-o", tmp_path / "t")
    wide = pa.table({"d": pa.array([Decimal("0.1234")], pa.decimal128(9, 4))})
    more = write(wide, tmp_path / "m.arrow")
    for extra in ([], ["--schema", "extend"]):
        ran = tool.run("compress", more, "--append", "-o", tmp_path / "t", *extra, code=FAILURE)
        assert "column 'd': values of type decimal128(9, 4), the folder has" in ran.err
    found = numpact.read_table(tmp_path / "t").to_arrow()
    assert found["d"].to_pylist() == VALUES * 2


def test_files_of_arrow_take_decimals(tool: Tool, tmp_path: Path) -> None:
    """As folders have them that were written before."""
    numpact.write_table(TABLE.select(["d"]).cast(pa.schema([("d", pa.decimal128(20, 2))])),
                        tmp_path / "t")  # fmt: skip
    more = write(TABLE.select(["d"]), tmp_path / "m.arrow")
    ran = tool.run("compress", more, "--append", "-o", tmp_path / "t", code=FAILURE)
    assert "values of type decimal128(18, 2), the folder has decimal128(20, 2)" in ran.err
    tool.run("compress", "-q", more, "--append", "-o", tmp_path / "t", "--schema", "extend")
    assert numpact.read_table(tmp_path / "t").to_arrow()["d"].to_pylist() == VALUES * 2


def test_more_digits_than_the_type_has(tool: Tool, tmp_path: Path) -> None:
    words = struct.pack("<4q", 5, 0, 1, 1)
    long = pa.Array.from_buffers(pa.decimal128(18, 0), 2, [None, pa.py_buffer(words)])
    path = write(pa.table({"d": long}), tmp_path / "t.arrow")
    ran = tool.run("compress", path, "-o", tmp_path / "t", code=CORRUPT)
    assert "a value of type decimal128(18, 0) has more digits" in ran.err
    assert not (tmp_path / "t").exists()


def test_a_file_of_numbers_has_no_digits(tool: Tool, tmp_path: Path) -> None:
    path = write(TABLE, tmp_path / "t.arrow")
    ran = tool.run("compress", path, "--column", "d", "--nulls", "drop", "-o", tmp_path / "d.pco",
                   code=FAILURE)  # fmt: skip
    assert "a .pco file has no decimal128(18, 2), the folder of a table has" in ran.err
    assert not (tmp_path / "d.pco").exists()
