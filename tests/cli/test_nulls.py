# SPDX-License-Identifier: Apache-2.0
"""Nulls: how the command keeps, drops and refuses them, and what it takes from a folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpact
import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest
from cli_program import CORRUPT, FAILURE, USAGE
from folder import entries_of, manifest_of, reference_numbers_of
from programs import Tool, tool  # noqa: F401
from table_files import read

pytestmark = pytest.mark.usefixtures("arrow")

ROWS = 150_000  # more than the command hands on at once


def many_nulls() -> pa.Table:
    """Runs of nulls of all lengths, at the beginning, over pieces, and at the end."""
    rng = np.random.default_rng(3)
    runs = np.concatenate([[0, 70_000], rng.integers(1, 50, 2000), [3]])
    valid = np.resize(np.repeat(np.arange(len(runs)) % 2 == 0, runs), ROWS)
    valid[-5:] = False
    values = rng.integers(-(2**62), 2**62, ROWS)
    return pa.table({
        "i": pa.array(values, mask=~valid),
        "flag": pa.array(values % 3 == 0, mask=~valid),
        "at": pa.array(values, pa.timestamp("ns", "Europe/Paris"), mask=~valid),
        "none": pa.array([None] * ROWS, pa.float16()),
        "full": pa.array(range(ROWS), pa.int32()),
    })


def small() -> pa.Table:
    return pa.table({"a": pa.array([1, None, 3, None]), "b": [0.5, 1.5, 2.5, 3.5]})


def write(table: pa.Table, path: Path) -> Path:
    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path, row_group_size=40_000)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=50_000)
    return path


def text_of(packed: bytes, tool: Tool) -> str:  # noqa: F811
    return tool.run("decompress", "-", stdin=packed).text


@pytest.mark.wheel_takes(2)
@pytest.mark.parametrize("source", ["t.parquet", "t.arrow"])
def test_folders_keep_nulls(tmp_path: Path, tool: Tool, source: str) -> None:  # noqa: F811
    table = many_nulls()
    path = write(table, tmp_path / source)
    ran = tool.run("compress", path, "-o", tmp_path / "f", "--level", "1")
    assert "left out" not in ran.err
    for entry, name in zip(entries_of(tmp_path / "f", reference=True), table.column_names,
                           strict=True):
        assert np.array_equal(entry.valid, table[name].is_valid().to_numpy())
    for target in ["b.arrow", "b.parquet"]:
        tool.run("decompress", tmp_path / "f", "-o", tmp_path / target)
        assert read(tmp_path / target).equals(table)
    for first, count in [(0, 0), (65_530, 20), (69_990, 3000), (ROWS - 7, 7)]:
        tool.run("decompress", tmp_path / "f", "--range", f"{first}:{count}", "-f", "-o",
                 tmp_path / "r.arrow")
        assert read(tmp_path / "r.arrow").equals(table.slice(first, count))
    assert "rows" in tool.refused("decompress", tmp_path / "f", "--range", f"{ROWS - 3}:4", "-o",
                                  tmp_path / "no.arrow")


def test_manifest(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    fields = [pa.field("a", pa.int64(), metadata={b"unit": b"m", b"\xff": b"\0"}),
              pa.field("b", pa.float64(), nullable=False)]
    table = pa.Table.from_arrays(small().columns, schema=pa.schema(fields, {b"k": b"v"}))
    tool.run("compress", write(table, tmp_path / "t.arrow"), "-o", tmp_path / "f")
    assert manifest_of(tmp_path / "f") == {
        "format": "numpact-table", "version": 2,
        "columns": [
            {"name": "a", "file": "a.pco", "logical_type": "number", "number_type": "i64",
             "count": 2, "nulls": {"file": "a.nulls.pco", "count": 2},
             "metadata": [["unit", "m"], [{"hex": "ff"}, "\0"]]},
            {"name": "b", "file": "b.pco", "logical_type": "number", "number_type": "f64",
             "count": 4, "nullable": False}],
        "skipped": [], "metadata": [["k", "v"]]}
    assert reference_numbers_of(tmp_path / "f/a.pco", "i64").tolist() == [1, 3]
    assert reference_numbers_of(tmp_path / "f/a.nulls.pco", "u64").tolist() == [1, 1, 1, 1]
    assert read_back(tool, tmp_path).equals(table, check_metadata=True)


def read_back(tool: Tool, folder: Path) -> pa.Table:  # noqa: F811
    tool.run("decompress", folder / "f", "-f", "-o", folder / "back.arrow")
    return read(folder / "back.arrow")


def test_one_file_refuses_nulls(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    path = write(small(), tmp_path / "t.arrow")
    for options in [[], ["--nulls", "error"]]:
        for output in ["a.pco", "-"]:
            target = output if output == "-" else tmp_path / output
            line = tool.refused("compress", path, "--column", "a", *options, "-o", target)
            assert "column 'a': 2 nulls, the first in row 1 " in line and "-o FOLDER" in line
    line = tool.refused("compress", path, "--nulls", "error", "-o", tmp_path / "f")
    assert "column 'a': 2 nulls" in line
    for target in ["-", tmp_path / "a.pco"]:
        line = tool.refused("compress", path, "--column", "a", "--nulls", "keep", "-o", target,
                            code=USAGE)
        assert "-o FOLDER" in line
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["t.arrow"]


def test_one_column_is_kept_in_a_folder(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    path = write(small(), tmp_path / "t.arrow")
    tool.run("compress", path, "--column", "a", "--nulls", "keep", "-o", tmp_path / "f")
    assert read_back(tool, tmp_path).equals(small().select(["a"]))
    assert [one["name"] for one in manifest_of(tmp_path / "f")["skipped"]] == ["b"]


def test_drop(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    path = write(small(), tmp_path / "t.arrow")
    packed = tool.run("compress", path, "--column", "a", "--nulls", "drop", "-o", "-")
    assert "2 nulls left out" in packed.err and text_of(packed.out, tool) == "1\n3\n"
    ran = tool.run("compress", path, "--nulls", "drop", "-o", tmp_path / "f")
    assert "column 'a': 2 nulls left out" in ran.err
    assert [one.get("nulls_dropped") for one in manifest_of(tmp_path / "f")["columns"]] == \
        [2, None]
    assert "differ in length" in tool.refused("decompress", tmp_path / "f")
    assert tool.run("decompress", tmp_path / "f", "--column", "a").text == "1\n3\n"


def test_decompressing_with_nulls(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    tool.run("compress", write(small(), tmp_path / "t.arrow"), "-o", tmp_path / "f")
    folder = tmp_path / "f"
    assert tool.run("decompress", folder).text == "a,b\n1,0.5\n,1.5\n3,2.5\n,3.5\n"
    assert tool.run("decompress", folder, "--column", "a").text == "1\n\n3\n\n"
    assert tool.run("decompress", folder, "--column", "a", "--nulls", "drop").text == "1\n3\n"
    for target in ["a.npy", "a.raw"]:
        line = tool.refused("decompress", folder, "--column", "a", "-o", tmp_path / target)
        assert "has nulls among these rows" in line and "--nulls drop" in line
        tool.run("decompress", folder, "--column", "a", "--nulls", "drop", "-o", tmp_path / target)
    assert np.load(tmp_path / "a.npy").tolist() == [1, 3]
    assert "neither keep nor drop" in tool.refused("decompress", folder, "--nulls", "error",
                                                   code=USAGE)


def test_arrays_have_no_nulls(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    np.save(tmp_path / "a.npy", np.arange(3))
    line = tool.refused("compress", tmp_path / "a.npy", "--nulls", "keep", code=USAGE)
    assert "-o FOLDER" in line


def test_other_commands(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    """Commands on a folder read the files of numbers and of nulls."""
    tool.run("compress", write(small(), tmp_path / "t.arrow"), "-o", tmp_path / "f")
    assert tool.run("verify", tmp_path / "f").text.count("OK") >= 2
    reported = json.loads(tool.run("inspect", tmp_path / "f", "--json").text)
    assert [one["contents"]["count"] for one in reported["columns"]] == [2, 4]
    nulls = tmp_path / "f/a.nulls.pco"
    data = bytearray(nulls.read_bytes())
    data[len(data) // 2] ^= 0xFF
    nulls.write_bytes(data)
    assert tool.run("verify", tmp_path / "f", code=None).code == CORRUPT


def test_version_1_is_read(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    folder = tmp_path / "f"
    folder.mkdir()
    for name, numbers in [("a", np.array([5, 6, 7])), ("d", np.array([0, 1, 2], np.int32))]:
        (folder / f"{name}.pco").write_bytes(numpact.compress(numbers))
    (folder / "manifest.json").write_text(json.dumps({
        "format": "numpact-table", "version": 1,
        "columns": [{"name": "a", "file": "a.pco", "logical_type": "timestamp", "unit": "ms",
                     "timezone": "UTC", "number_type": "i64", "count": 3},
                    {"name": "d", "file": "d.pco", "logical_type": "date32", "number_type": "i32",
                     "count": 3}],
        "skipped": [{"name": "s", "type": "string"}]}))
    expected = pa.table({"a": pa.array([5, 6, 7], pa.timestamp("ms", "UTC")),
                       "d": pa.array([0, 1, 2], pa.date32())})
    assert read_back(tool, tmp_path).equals(expected)
    assert tool.run("verify", folder).text.count("OK") == 2
    tool.run("inspect", folder)


# ---- folders of other programs ----

@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from cli_program import PROGRAM

    folder = tmp_path_factory.mktemp("sound")
    Tool(PROGRAM).run("compress", write(small(), folder / "t.arrow"), "-o", folder / "f")
    return folder / "f"


@pytest.mark.wheel_takes(5)
@pytest.mark.parametrize("runs, says", [
    ([1, 1, 1], "fewer|other|rows"),         # too few rows
    ([1, 1, 1, 2], "other|more|rows"),       # too many
    ([3, 1], "number|null|rows"),            # other counts of the same sum
    ([0, 3, 1], "number|null|rows"),
    ([1, 1, 1, 1, 0], "no rows"),            # a run of none
    ([1, 0, 1, 2], "no rows"),
    ([0, 0, 2, 2], "no rows"),
    ([2, 1, 0, 1], "no rows"),
    ([2**64 - 1, 1], "number|rows"),
    ([], "other|fewer|rows|null"),
])
def test_damaged_runs(tmp_path: Path, sound: Path, tool: Tool, runs: list[int],  # noqa: F811
                      says: str) -> None:
    folder = shutil.copytree(sound, tmp_path / "f")
    (folder / "a.nulls.pco").write_bytes(numpact.compress(np.array(runs, np.uint64)))
    refuse(tool, folder, tmp_path, says)
    assert "a.nulls.pco" in tool.run("verify", folder, code=CORRUPT).err


def refuse(tool: Tool, folder: Path, tmp_path: Path, says: str,  # noqa: F811
           code: int | None = CORRUPT) -> str:
    import re

    target = tmp_path / "no.arrow"
    ran = tool.run("decompress", folder, "-o", target, code=code)
    assert ran.code != 0 and ran.err.count("\n") == 1 and not target.exists()
    assert re.search(says, ran.err), ran.err
    return ran.err


def test_first_run_of_none_is_good(tmp_path: Path, sound: Path, tool: Tool) -> None:  # noqa: F811
    folder = shutil.copytree(sound, tmp_path / "f")
    (folder / "a.nulls.pco").write_bytes(numpact.compress(np.array([0, 1, 2, 1], np.uint64)))
    assert read_back(tool, tmp_path)["a"].to_pylist() == [None, 1, 3, None]


def test_other_files_of_nulls(tmp_path: Path, sound: Path, tool: Tool) -> None:  # noqa: F811
    folder = shutil.copytree(sound, tmp_path / "f")
    nulls = folder / "a.nulls.pco"
    nulls.write_bytes(numpact.compress(np.array([1, 1, 1, 1], np.uint32)))
    assert "u64 lengths" in refuse(tool, folder, tmp_path, "column 'a'")
    whole = (sound / "a.nulls.pco").read_bytes()
    nulls.write_bytes(whole[:20])
    refuse(tool, folder, tmp_path, "a.nulls.pco")
    nulls.write_bytes(b"")
    refuse(tool, folder, tmp_path, "a.nulls.pco")
    nulls.unlink()
    refuse(tool, folder, tmp_path, "a.nulls.pco", code=FAILURE)


COLUMN = {"name": "a", "file": "a.pco", "logical_type": "number", "number_type": "i64", "count": 2,
          "nulls": {"file": "a.nulls.pco", "count": 2}}


@pytest.mark.wheel_takes(12)
@pytest.mark.parametrize("change", [
    {"nulls": []}, {"nulls": {}}, {"nulls": {"file": "a.nulls.pco"}}, {"nulls": None},
    {"nulls": {"file": "../a.nulls.pco", "count": 2}}, {"nulls": {"file": "", "count": 2}},
    {"nulls": {"file": "/etc/passwd", "count": 2}}, {"nulls": {"file": 7, "count": 2}},
    {"nulls": {"file": "a.nulls.pco", "count": 0}}, {"nulls": {"file": "a.nulls.pco", "count": -1}},
    {"nulls": {"file": "a.nulls.pco", "count": 2**64 - 1}},
    {"nulls": {"file": "a.nulls.pco", "count": 1.5}},
    {"nulls": {"file": "a.nulls.pco", "count": 3}}, {"nulls": {"file": "a.nulls.pco", "count": 1}},
    {"count": 3}, {"count": 1}, {"count": 2**64}, {"count": "2"}, {"count": None},
    {"nullable": "no"}, {"nullable": None}, {"metadata": {}}, {"metadata": [["a"]]},
    {"metadata": [["a", 1]]}, {"metadata": [["a", {"hex": "0"}]]},
    {"metadata": [["a", {"hex": "zz"}]]}, {"metadata": [["a", {"hex": "00", "b": 1}]]},
    {"metadata": [["a", "b", "c"]]}, {"timezone": 1}, {"number_type": "i128"},
    {"logical_type": "timestamp"}, {"logical_type": "date32"}, {"file": "../a.pco"}, {"name": 1},
    {"number_type": "u64"}, {"logical_type": "timestamp", "unit": "h"},
])
def test_hostile_columns(tmp_path: Path, sound: Path, tool: Tool,  # noqa: F811
                         change: dict[str, Any]) -> None:
    folder = shutil.copytree(sound, tmp_path / "f")
    manifest = manifest_of(folder)
    manifest["columns"] = [COLUMN | change]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    refuse(tool, folder, tmp_path, "corrupt|manifest", code=CORRUPT)


@pytest.mark.wheel_takes(6)
@pytest.mark.parametrize("change", [
    {"version": 6}, {"version": 0}, {"version": "2"}, {"version": -1}, {"format": "x"},
    {"columns": {}}, {"columns": [1]}, {"skipped": None}, {"skipped": [{"name": "x"}]},
    {"skipped": [{"name": "x", "type": "y", "reason": 1}]}, {"metadata": "x"}, {"metadata": [1]},
])
def test_hostile_manifests(tmp_path: Path, sound: Path, tool: Tool,  # noqa: F811
                           change: dict[str, Any]) -> None:
    folder = shutil.copytree(sound, tmp_path / "f")
    (folder / "manifest.json").write_text(json.dumps(manifest_of(folder) | change))
    refuse(tool, folder, tmp_path, "manifest.json", code=CORRUPT)


@pytest.mark.wheel_takes(4)
@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"format": "\xff"}',
                                  b"[" * 100_000, b'{"format": "numpact-table"}'])
def test_no_manifests(tmp_path: Path, sound: Path, tool: Tool, text: bytes) -> None:  # noqa: F811
    folder = shutil.copytree(sound, tmp_path / "f")
    (folder / "manifest.json").write_bytes(text)
    refuse(tool, folder, tmp_path, "manifest.json", code=CORRUPT)


def test_nulls_in_fields_that_have_none(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    """Arrow's files may contradict their schema; it comes back as it was, but not as Parquet."""
    schema = pa.schema([pa.field("a", pa.int64(), nullable=False)])
    table = pa.Table.from_arrays([pa.array([1, None, 3])], schema=schema)
    with pa.ipc.new_file(tmp_path / "t.arrow", schema) as writer:
        writer.write_table(table)
    tool.run("compress", tmp_path / "t.arrow", "-o", tmp_path / "f")
    assert read_back(tool, tmp_path).equals(table)
    ran = tool.run("decompress", tmp_path / "f", "-o", tmp_path / "no.parquet", code=None)
    assert ran.code in (FAILURE, CORRUPT) and not (tmp_path / "no.parquet").exists()
