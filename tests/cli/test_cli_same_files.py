# SPDX-License-Identifier: Apache-2.0
"""The command and Python write the same bytes for the same table."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from programs import Tool, tool  # noqa: F401

import numpact

pytestmark = pytest.mark.usefixtures("arrow")

ROWS = 40_000  # with restart points


def table() -> pa.Table:
    def values(make, every: int = 0) -> list:
        return [None if every and i % every == 1 else make(i) for i in range(ROWS)]

    start = datetime.datetime(2024, 1, 1)
    return pa.table({
        "at": pa.array(values(lambda i: start + datetime.timedelta(seconds=i * i % 977 + 60 * i)),
                       pa.timestamp("us", "UTC")),
        "i": pa.array(values(lambda i: i * i % 10_007, 6), pa.int64()),
        "u": pa.array(values(lambda i: i % 200), pa.uint8()),
        "f": pa.array(values(lambda i: i / 7 - 1000, 11), pa.float64()),
        "h": pa.array(values(lambda i: i % 300 / 4), pa.float32()),
        "b": pa.array(values(lambda i: i % 3 == 0, 9), pa.bool_()),
        "s": pa.array(values(lambda i: f"name {i * i % 31}", 13), pa.string()),
        "k": pa.array(values(lambda i: b"key %d" % i), pa.binary()),
        "d": pa.array(values(lambda i: Decimal(i * 37 % 9973).scaleb(-2), 8),
                      pa.decimal128(12, 2)),
        "day": pa.array(values(lambda i: i // 100), pa.int32()).cast(pa.date32()),
        "took": pa.array(values(lambda i: i * i), pa.duration("ns")),
        "list": pa.array(values(lambda i: [i, None] if i % 2 else [], 5), pa.list_(pa.int32())),
    })  # fmt: skip


@pytest.mark.parametrize("level", [4, 8])
def test_tables(tool: Tool, level: int, tmp_path: Path) -> None:
    pq.write_table(table(), tmp_path / "t.parquet")
    numpact.write_table(pq.read_table(tmp_path / "t.parquet"), tmp_path / "python", level=level)
    tool.run("compress", "-q", "--level", level, tmp_path / "t.parquet", "-o", tmp_path / "command")
    ours, theirs = ({path.name: path.read_bytes() for path in (tmp_path / folder).iterdir()}
                    for folder in ("python", "command"))  # fmt: skip
    assert sorted(ours) == sorted(theirs)
    different = [name for name in ours if ours[name] != theirs[name]]
    assert different == []


def files_in(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes()
            for path in root.rglob("*") if path.is_file()}  # fmt: skip


@pytest.mark.wheel_takes(1)
def test_tables_by_the_values_of_columns(tool: Tool, tmp_path: Path) -> None:
    rows = table().slice(0, 5000)
    rows = rows.append_column("day of week", pa.array(
        [None if i % 11 == 0 else i % 7 - 3 for i in range(len(rows))], pa.int8()))
    rows = rows.append_column("place", pa.array(
        [["a/b", "%", "ü ", None][i // 3 % 4] for i in range(len(rows))]).dictionary_encode())
    rows = rows.append_column("v", pa.FixedSizeListArray.from_arrays(
        pa.array(range(2 * len(rows)), pa.float32()), 2))
    rows = rows.append_column("view", rows["k"].cast(pa.string()).cast(pa.string_view()))
    with pa.ipc.new_file(tmp_path / "t.arrow", rows.schema) as file:
        file.write_table(rows)
    names = ["day of week", "place"]
    numpact.write_table(rows, tmp_path / "python", level=4, partition_by=names)
    ran = tool.run("compress", "--level", 4, tmp_path / "t.arrow", "--partition-by",
                   ",".join(names), "-o", tmp_path / "new/command")
    assert ran.err == (
        f"numpact: {tmp_path}/new/command: 5,000 rows divided by day of week, place\n"
    )
    ours, theirs = files_in(tmp_path / "python"), files_in(tmp_path / "new/command")
    assert sorted(ours) == sorted(theirs)
    assert "day of week".replace(" ", "%20") + "=-3/place=%C3%BC%20/i.pco" in ours
    assert [name for name in ours if ours[name] != theirs[name]] == []
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["command"]
    # The index is that of Python, and is made anew.
    (tmp_path / "new/command/dataset.json").unlink()
    ran = tool.run("index", tmp_path / "new/command")
    assert ran.err == f"numpact: {tmp_path}/new/command: 32 tables indexed\n"
    assert files_in(tmp_path / "new/command") == theirs


@pytest.mark.wheel_takes(1)
def test_lossy_vectors_by_the_values_of_columns(tool: Tool, tmp_path: Path) -> None:
    rows = pa.table({
        "day": pa.array([1, 1, 2, 2] * 500),
        "v": pa.FixedSizeListArray.from_arrays(
            pa.array([i * i % 997 / 7 for i in range(16_000)], pa.float32()), 8),
    })  # fmt: skip
    pq.write_table(rows, tmp_path / "t.parquet")
    numpact.write_table(pq.read_table(tmp_path / "t.parquet"), tmp_path / "python",
                        partition_by=["day"], vectors={"v": "int8_dim"})  # fmt: skip
    tool.run("compress", "-q", tmp_path / "t.parquet", "-o", tmp_path / "command",
             "--partition-by", "day", "--vectors", "v=int8_dim")  # fmt: skip
    ours, theirs = files_in(tmp_path / "python"), files_in(tmp_path / "command")
    assert sorted(ours) == sorted(theirs)
    assert [name for name in ours if ours[name] != theirs[name]] == []
    assert b'"vectors": "int8_dim"' in ours["day=1/manifest.json"]
