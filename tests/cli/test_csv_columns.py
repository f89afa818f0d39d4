# SPDX-License-Identifier: Apache-2.0
"""CSV with lines of very many fields."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import peak_memory
import pytest
from cli_program import LIMIT, PROGRAM, refused, run

MIB = 1 << 20
# As in cli/pco/manifest.hpp.
MAX_COLUMNS = (1 << 22) // 7

linux = pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KiB on Linux")


def memory_of(*words: object) -> int:
    """The most that it held, in bytes."""
    with tempfile.NamedTemporaryFile("r") as report:
        command = peak_memory.measured(report.name, [PROGRAM, *map(str, words)])
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return int(report.read()) * 1024


@linux
@pytest.mark.parametrize("has_header", [False, True])
@pytest.mark.parametrize("row", ["1\n", "", "1,2\n" * 1000])
def test_a_field_of_the_first_line_takes_little_memory(row: str, has_header: bool,
                                                       tmp_path: Path) -> None:
    """A column without values takes some 300 bytes: 230 for its description, 64 for its name; one
    with the field of a first row, 380. What the line took while it was split is given back."""
    path = tmp_path / "w.csv"
    memory = {}
    for fields in (1, 1 << 17):
        path.write_text("," * fields + "\n" + row)
        words = ["compress", path, "-q", "-f", "-o", tmp_path / "o"]
        words += [] if has_header else ["--no-header"]
        words += ["--column", "0"] if row == "" else []
        memory[fields] = memory_of(*words)
    assert memory[1 << 17] - memory[1] < (1 << 17) * (340 if has_header else 400), memory


@linux
def test_rows_of_wide_tables_are_not_parsed_ahead(tmp_path: Path) -> None:
    """Each column of 20 numbers takes less than 2 KiB in all blocks and threads together."""
    path, fields = tmp_path / "w.csv", 1 << 15
    memory = {}
    for width in (2, fields):
        path.write_text((",".join(f"{i % 10}" for i in range(width)) + "\n") * 20)
        words = ["compress", path, "-q", "-f", "--no-header", "--column", "f1", "-j", "4"]
        memory[width] = memory_of(*words, "-o", tmp_path / "o.pco")
    assert memory[fields] - memory[2] < fields * 500, memory


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("words", [[], ["--column", "0"], ["--no-header"], ["--skip", "0"]],
                         ids=" ".join)
def test_more_columns_than_a_manifest_has_are_refused(words: list[str], suffix: str,
                                                      tmp_path: Path) -> None:
    path = tmp_path / f"w.csv{suffix}"
    for text in ("," * (5 * MIB), "a,b\n" if "--no-header" in words else "\n" + "x," * (3 * MIB)):
        if text == "a,b\n":
            continue
        path.write_bytes(gzip.compress(text.encode()) if suffix else text.encode())
        line = refused("compress", path, *words, "-o", tmp_path / "o", code=LIMIT)
        assert f"more than {MAX_COLUMNS} fields" in line and str(path) in line
        assert memory_of("compress", path, *words, "-o", tmp_path / "o") < 256 * MIB
        assert not (tmp_path / "o").exists()
    for command in (["head", path], ["explain", path]):
        assert "fields" in refused(*command, code=LIMIT)


def test_as_many_columns_as_a_manifest_has_are_read(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("," * (MAX_COLUMNS - 1) + "\n" + "1," * (MAX_COLUMNS - 1) + "7\n")
    run("compress", path, "--column", str(MAX_COLUMNS - 1), "-q", "-o", tmp_path / "o.pco")
    assert run("decompress", tmp_path / "o.pco").text == "7\n"
    path.write_text("," * MAX_COLUMNS + "\n")
    refused("compress", path, "--column", "0", "-o", tmp_path / "p.pco", code=LIMIT)


def test_wide_tables_are_read_as_narrow_ones(tmp_path: Path) -> None:
    """Fields that are added one by one: kinds of columns, nulls, quotes, texts, headers that
    repeat."""
    width = 4200  # over kMaxParsedWidth of csv_input.cpp
    kinds = ["1", "-2.5", "2024-05-06", "true", "", '"a ""quoted"" text"', "12:30", "x"]
    rows = [[kinds[(c + (r % 3 == 2)) % 8 if c % 5 else 4] if c % 8 else str(r)
             for c in range(width)] for r in range(40)]
    names = [f"c{c // 2}" for c in range(width)]
    wide, narrow = tmp_path / "wide.csv", tmp_path / "narrow.csv"
    wide.write_text("\n".join(",".join(row) for row in [names, *rows]) + "\n")
    picked = slice(0, 400)
    narrow.write_text("\n".join(",".join(row[picked]) for row in [names, *rows]) + "\n")
    for path, folder in ((wide, "wide"), (narrow, "narrow")):
        run("compress", path, "-q", "-o", tmp_path / folder)
    ours, theirs = (json.loads((tmp_path / folder / "manifest.json").read_text())
                    for folder in ("wide", "narrow"))
    few = theirs["columns"]
    assert [{**c, "file": ""} for c in ours["columns"][: len(few)]] == [
        {**c, "file": ""} for c in few]
    for column, other in zip(ours["columns"], few, strict=False):
        assert (tmp_path / "wide" / column["file"]).read_bytes() == (
            tmp_path / "narrow" / other["file"]).read_bytes()
    assert {c["logical_type"] for c in few} >= {"number", "text"}


def test_types_of_a_folder_hold_for_names_that_repeat(tmp_path: Path) -> None:
    """--append takes the types in the order of the columns of one name."""
    first, more = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("x,x,y\n1,1.5,2024-01-01\n")
    more.write_text("x,x,y\n2,2,2024-01-02\n")
    run("compress", first, "-q", "-o", tmp_path / "t")
    run("compress", more, "-q", "--append", "-o", tmp_path / "t")
    assert run("decompress", tmp_path / "t").text == (
        "x,x,y\n1,1.5,2024-01-01\n2,2.0,2024-01-02\n")
