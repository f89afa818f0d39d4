# SPDX-License-Identifier: Apache-2.0
"""``--max-output`` and ``--max-memory`` where tables have columns that Arrow decodes, by both
commands."""

from __future__ import annotations

from pathlib import Path

import numpact
import pyarrow as pa
import pytest
from cli_program import DONE, LIMIT, PROGRAM
from programs import Tool, tool  # noqa: F401
from table_bombs import DECODED, LONG, ROWS, SPREAD, folder_of

MIB = 1 << 20
# A batch that is refused takes nothing; without --max-memory a column may take 16 MiB.
MARGIN = 40 * MIB
TEXT = ["string", "large_string", "string_view", "decimal", "dictionary"]  # what CSV can show


LIMITS = [
    ("--max-output", "4M"),
    ("--max-memory", "4M"),
    ("--max-output", "4M", "--max-memory", "10M"),
]


def commands(folder: Path, out: Path, kind: str) -> list[list[object]]:
    arrow = ["decompress", folder, "-f", "-o", out, "--to", "arrow"]
    made: list[list[object]] = [
        ["verify", folder],
        arrow,
        [*arrow, "--range", "0:1"],
        [*arrow, "--where", "n >= 0"],
    ]
    if kind in TEXT:
        made += [
            ["decompress", folder, "--to", "csv", "-f", "-o", out],
            ["decompress", folder, "-f", "-o", out, "--to", "parquet"],
            ["head", folder],
            ["decompress", folder, "--column", "s"],
            ["decompress", folder, "--where", "s = 'x'" if kind != "decimal" else "s = 5"],
        ]
    return made


@pytest.mark.parametrize("kind", DECODED)
def test_columns_of_arrow_are_refused_before_they_are_decoded(
    kind: str, tmp_path: Path, tool: Tool
) -> None:  # noqa: F811
    if tool.program != PROGRAM and kind not in ("string", "list", "dictionary"):
        pytest.skip("it starts slowly, and the code is that of test_table_limits.py")
    folder, out = folder_of(tmp_path / "t", DECODED[kind]()), tmp_path / "o"
    small = folder_of(tmp_path / "small", DECODED[kind]()[:0])
    code, said, least = tool.peak_of("decompress", small, "--to", "arrow", "-o", tmp_path / "s")
    assert code == DONE, said
    for at, words in enumerate(commands(folder, out, kind)):
        limits = LIMITS[at % len(LIMITS)]
        code, said, peak = tool.peak_of(*words, *limits)
        is_little = limits[0] == "--max-memory" or bool({"--range", "head", "s = 5"} & set(words))
        if kind == "decimal" and is_little and code == DONE:
            out.unlink(missing_ok=True)  # few rows, or decoded in parts that take less
            continue
        assert code == LIMIT, (words, limits, said)
        # Python writes files of Arrow for the wheel's command, which names the file that it writes.
        is_written_by_python = tool.program != PROGRAM and out in words
        assert "limit exceeded: its values take" in said or "with its values" in said, said
        assert is_written_by_python or "s.arrow: column 's': limit exceeded: " in said, said
        assert f"raise {limits[0]}" in said or f"raise {limits[-2]}" in said
        assert said.count("\n") == 1
        assert peak - least < MARGIN, (words, limits, peak - least)
        assert not out.exists()


@pytest.mark.parametrize("is_coded", [False, True])
def test_values_that_become_text_count_as_often_as_they_are(
    is_coded: bool, tmp_path: Path, tool: Tool
) -> None:  # noqa: F811
    kind = "dictionary of long text" if is_coded else "views of one text"
    folder = folder_of(tmp_path / "t", SPREAD[kind](), is_coded)
    plain = folder_of(tmp_path / "d", SPREAD["dictionary of long text"]())
    for source in (folder, plain):
        for limits in [("--max-output", "1M"), ("--max-memory", "4M")]:
            for words in (["--to", "csv"], ["--column", "s"], ["--where", "s = 'x'"]):
                words = ["decompress", source, *words, "-f", "-o", tmp_path / "o.csv", *limits]
                assert "'s': limit exceeded" in tool.refused(*words, code=LIMIT)
    size = ROWS * (len(LONG) + 1)
    for format in ("csv", "arrow"):
        words = ["decompress", folder, "--to", format, "-f", "-o", tmp_path / "o"]
        tool.run(*words, "--max-output", size + ROWS * 17 + 9)
        tool.refused(*words, "--max-output", size - 1, code=LIMIT)


def test_output_is_counted_in_all_formats(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    """Texts of several batches and numbers, whole and in part."""
    rows = 3 * ROWS
    table = {
        "n": list(range(rows)),
        "s": [f"text number {i}" for i in range(rows)],
        "d": pa.array(["yes", "no"] * (rows // 2)).dictionary_encode(),
    }
    numpact.write_table(table, tmp_path / "t")
    texts = sum(map(len, table["s"]))
    for format in ("csv", "arrow", "parquet"):
        words = ["decompress", tmp_path / "t", "--to", format, "-f", "-o", tmp_path / "o"]
        # Numbers, texts, 4 bytes of an offset or an index, and what few nulls take.
        tool.run(*words, "--max-output", rows * (8 + 4 + 4) + texts + 100)
        line = tool.refused(*words, "--max-output", rows * 8 + texts - 1, code=LIMIT)
        assert "--max-output" in line
        few = [*words, "--range", "70000:10"]
        tool.run(*few, "--max-output", "1K")
        tool.refused(*few, "--max-output", "100", code=LIMIT)
        found = [*words, "--where", "n >= 70000 and n < 70010"]
        tool.run(*found, "--max-output", "1K")
        tool.refused(*found, "--max-output", "100", code=LIMIT)
    tool.run("verify", tmp_path / "t", "--max-output", "8M", "--max-memory", "8M")
    tool.run("head", tmp_path / "t", "--max-output", "1K", code=DONE)
    tool.refused("head", tmp_path / "t", "--max-output", "100", code=LIMIT)
