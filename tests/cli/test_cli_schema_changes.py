# SPDX-License-Identifier: Apache-2.0
"""compress --append --schema extend, and compact."""

from __future__ import annotations

import decimal
import os
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc
import pytest
from cli_program import CORRUPT, FAILURE, PROGRAM, USAGE
from programs import Tool, tool  # noqa: F401

import numpact

pytestmark = pytest.mark.usefixtures("arrow")


def write(table: pa.Table, path: Path) -> Path:
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    return path


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def extend(tool: Tool, folder: Path, *tables: pa.Table) -> None:
    for index, table in enumerate(tables):
        path = write(table, folder.with_name(f"{folder.name}.{index}.arrow"))
        how = ("--append", "--schema", "extend") if folder.exists() else ()
        tool.run("compress", "-q", path, *how, "-o", folder)


def promoted(*tables: pa.Table) -> pa.Table:
    return pa.concat_tables(tables, promote_options="permissive")


def same(tool: Tool, folder: Path, expected: pa.Table) -> None:
    found = numpact.read_table(folder).to_arrow()
    assert found.schema.equals(expected.schema), f"{found.schema}\n{expected.schema}"
    assert found.to_pylist() == expected.to_pylist()
    tool.run("verify", folder)


def test_columns_come_and_go(tool: Tool, tmp_path: Path) -> None:
    tables = [
        pa.table({"a": pa.array([1, 2], pa.int8()), "s": ["x", None]}),
        pa.table({"a": [2**40], "b": pa.array([0.5], pa.float32())}),
        pa.table({"s": ["y"], "a": pa.array([None], pa.int16())}),
        pa.table({"t": ["new"], "d": pa.array([7], pa.timestamp("ms", "UTC"))}),
        pa.table({"l": [[1, 2], None], "b": [1.0, 0.1], "n": pa.nulls(2)}),
        pa.table({"n": [5], "d": pa.array([1], pa.timestamp("us", "UTC"))}),
    ]
    extend(tool, tmp_path / "f", *tables)
    same(tool, tmp_path / "f", promoted(*tables))
    ran = tool.run("compact", tmp_path / "f")
    same(tool, tmp_path / "f", promoted(*tables))
    assert re.search(r"f: \d+ files of [\d,]+ bytes, before \d+ of [\d,]+$", ran.err.strip())


def test_csv_may_have_other_columns(tool: Tool, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,s\n1,x\n2,y\n")
    (tmp_path / "b.csv").write_text("day,a\n2024-01-02,3\n")
    tool.run("compress", "-q", tmp_path / "a.csv", "-o", tmp_path / "f")
    tool.run("compress", "-q", tmp_path / "b.csv", "--append", "--schema", "extend", "-o",
             tmp_path / "f")
    found = numpact.read_table(tmp_path / "f").to_arrow()
    assert found.column_names == ["a", "s", "day"]
    assert found["a"].to_pylist() == [1, 2, 3]
    assert found["s"].to_pylist() == ["x", "y", None]
    assert str(found["day"].to_pylist()[2]) == "2024-01-02"


def decimals(precision: int, scale: int) -> pa.DataType:
    return pa.decimal128(precision, scale)


@pytest.mark.parametrize(
    "old, new, common, is_kept",
    [
        (decimals(5, 2), decimals(9, 4), decimals(9, 4), False),
        (decimals(9, 4), decimals(5, 2), decimals(9, 4), True),
        (decimals(7, 1), decimals(5, 4), decimals(10, 4), False),
        (decimals(38, 0), decimals(30, 29), pa.decimal256(67, 29), False),
        (pa.dictionary(pa.int8(), pa.string()), pa.string(), pa.string(), True),
        (pa.string(), pa.dictionary(pa.int8(), pa.string()), pa.string(), True),
        (pa.null(), pa.string(), pa.string(), False),
        (pa.string(), pa.null(), pa.string(), True),
        (pa.string(), pa.large_string(), pa.string(), True),
    ],
    ids=str,
)
def test_other_columns_become_wider(
    tool: Tool, tmp_path: Path, old: pa.DataType, new: pa.DataType, common: pa.DataType,
    is_kept: bool,
) -> None:  # fmt: skip
    def table(type: pa.DataType, rows: int) -> pa.Table:
        value = decimal.Decimal("1.0") if pa.types.is_decimal(type) else "x"
        values = [None if pa.types.is_null(type) else value, None]
        return pa.table({"k": [1, 2] * rows, "v": pa.array(values * rows, type)})

    tables = [table(old, 40_000), table(new, 1)]
    extend(tool, tmp_path / "f", *tables[:1])
    before = snapshot(tmp_path / "f")
    extend(tool, tmp_path / "f", *tables[1:])
    expected = [value for table in tables for value in table["v"].cast(common).to_pylist()]
    found = numpact.read_table(tmp_path / "f").to_arrow()["v"]
    if common == pa.string() and pa.types.is_dictionary(old):
        assert found.type == old  # the texts are categories, too
    else:
        assert found.type == common
    assert found.to_pylist() == expected
    file = "v.pco" if "v.pco" in before else "v.arrow"
    assert (file in snapshot(tmp_path / "f")) == is_kept
    if is_kept:
        assert snapshot(tmp_path / "f")[file] == before[file]
    tool.run("verify", tmp_path / "f")


def test_what_has_no_common_type_changes_nothing(tool: Tool, tmp_path: Path) -> None:
    strict = pa.schema([pa.field("i", pa.int64(), False), pa.field("s", pa.string(), False)])
    extend(tool, tmp_path / "f", pa.table([[1], ["x"]], schema=strict))
    before = snapshot(tmp_path / "f")
    far = pa.table({"t": pa.array([10**10], pa.timestamp("s"))})
    extend(tool, tmp_path / "g", pa.table({"t": pa.array([1], pa.timestamp("ns"))}))
    old = snapshot(tmp_path / "g")
    wrong = [
        ("f", pa.table({"i": [1.5], "s": ["y"]}), "no type holds the values of both exactly"),
        ("f", pa.table({"i": ["1"], "s": ["y"]}), "values of type string, the folder has i64"),
        ("f", pa.table({"i": [1], "s": [b"y"]}), "its type is binary, not string"),
        ("f", pa.table({"s": ["y"]}), "column 'i' is missing, and its field is not nullable"),
        ("f", pa.table({"i": [1]}), "has nulls, which the folder's column excludes"),
        ("g", far, "the value 10000000000 does not fit timestamp[ns]"),
    ]
    for folder, table, message in wrong:
        line = tool.refused("compress", write(table, tmp_path / "x.arrow"), "--append", "--schema",
                            "extend", "-o", tmp_path / folder, code=FAILURE)
        assert message in line
    assert (snapshot(tmp_path / "f"), snapshot(tmp_path / "g")) == (before, old)
    path = write(far, tmp_path / "x.arrow")
    for arguments, message in (
        (("--schema", "extend"), "--schema: applies to --append"),
        (("--append", "--schema", "wide"), "wide"),
    ):
        line = tool.refused("compress", path, "-o", tmp_path / "f", *arguments, code=USAGE)
        assert message in line


def test_columns_in_another_order(tool: Tool, tmp_path: Path) -> None:
    first = pa.table({"a": [1], "s": ["x"], "b": [0.5]})
    extend(tool, tmp_path / "f", first)
    more = first.select(["b", "s", "a"])
    tool.run("compress", "-q", write(more, tmp_path / "x.arrow"), "--append", "-o", tmp_path / "f")
    same(tool, tmp_path / "f", pa.concat_tables([first, first]))


def test_compact_joins_parts(tool: Tool, tmp_path: Path) -> None:
    table = pa.table({
        "i": pa.array([*range(69_999), None]),
        "s": [f"row {i}" for i in range(70_000)],
        "c": pa.array(["a", "b"] * 35_000).dictionary_encode(),
    })  # fmt: skip
    tables = [table, table.slice(0, 66_000), table.slice(0, 70_000)]
    numpact.write_table(tables[0], tmp_path / "f", trailer=256)
    for more in tables[1:]:
        numpact.append_table(more, tmp_path / "f")
    reader = numpact.open_table(tmp_path / "f")
    count = len(snapshot(tmp_path / "f"))
    expected = pa.concat_tables(tables)
    assert count == 13
    ran = tool.run("compact", tmp_path / "f", "--level", "4", "--restart", "1K", "-j", "2")
    assert ": 5 files of " in ran.err
    assert ", before 12 of " in ran.err
    assert len(snapshot(tmp_path / "f")) == 6
    found = numpact.read_table(tmp_path / "f").to_arrow()
    assert found.cast(expected.schema).equals(expected)
    assert reader.read().to_arrow().cast(expected.schema).equals(expected)
    assert "every 1024" in tool.run("inspect", *(tmp_path / "f").glob("i.p?-????????.pco")).text
    tool.run("verify", tmp_path / "f")
    # A table with one file for each column stays as it is.
    before = snapshot(tmp_path / "f")
    assert tool.run("compact", "-q", tmp_path / "f").err == ""
    assert snapshot(tmp_path / "f") == before


def test_compact_refuses(tool: Tool, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("x")
    for path in (tmp_path / "x.txt", tmp_path / "none", tmp_path):
        tool.refused("compact", path, code=FAILURE)
    if tool.program != PROGRAM:
        return
    numpact.write_table({"a": range(70_000)}, tmp_path / "f")
    numpact.append_table({"a": range(70_000)}, tmp_path / "f")
    lock = numpact._core.FileLock(os.fspath(tmp_path / "f/manifest.json"), 0)
    line = tool.refused("compact", tmp_path / "f", "--lock-timeout", "0.05", code=FAILURE)
    assert "another process" in line
    lock.release()
    part = next((tmp_path / "f").glob("a.p*.pco"))
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 1
    part.write_bytes(data)
    before = snapshot(tmp_path / "f")
    assert part.name in tool.refused("compact", tmp_path / "f", code=CORRUPT)
    assert snapshot(tmp_path / "f") == before
