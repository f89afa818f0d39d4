# SPDX-License-Identifier: Apache-2.0
"""tests/fixtures/filters through ``--where``."""

from __future__ import annotations

from pathlib import Path

import filter_fixture
import pytest
from cli_program import PROGRAM
from programs import Tool, tool  # noqa: F401 - a fixture

pa = pytest.importorskip("pyarrow")

LINES = filter_fixture.lines()
USAGE = 2


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filters")
    with pa.ipc.new_file(folder / "t.arrow", filter_fixture.table().schema) as writer:
        writer.write_table(filter_fixture.table())
    Tool(PROGRAM).run("compress", folder / "t.arrow", "-o", folder / "t", "--page-size", 3)
    return folder / "t"


def found(tool: Tool, table: Path, filter: str) -> list[int] | None:
    ran = tool.run("decompress", table, "--columns", "row", f"--where={filter}", "--to", "text",
                   code=None)  # fmt: skip
    if ran.code == 0:
        return [int(row) for row in ran.out.split()]
    assert ran.err.count("\n") == 1, ran.err
    return None


def refused(tool: Tool, table: Path, filter: str) -> str:
    return tool.refused("decompress", table, "--columns", "row", f"--where={filter}", code=USAGE)


def test_lines(tool: Tool, table: Path) -> None:
    """The library runs all of them; each run of the command takes some hundredths of a second."""
    step = 7 if tool.program == PROGRAM else 97
    wrong = []
    for line in LINES[::step]:
        rows = found(tool, table, line.filter)
        if rows != line.rows:
            wrong.append((line, rows))
    assert not wrong


@pytest.mark.parametrize(
    "filter, words",
    [
        ("i32 <> 5", "write != for '<>'"),
        ("i32 = 5 || i32 = 6", "write 'or' for '||'"),
        ("(i32 = 5 or i32 = 6", "'and', 'or' or ')' is expected at character 20, not the end"),
        ("text like '%a'", "like '%a' is not known: only a '%' at the end, as in 'abc%'"),
        ("i32 like 'a%'", "column 'i32' is of type i32, and 'like' compares text"),
        ("i32 < i64", "column 'i32' is of type i32, column 'i64' of type i64: only columns of the"),
        ("text = kind", "column 'text' is of type string: only columns of numbers"),
        ("at_s > '2024-01-01T00:00+02'", "column 'at_s' has no time zone, '2024-01-01T00:00+02'"),
        ("utc > '2024-01-01T00:00+24:00'", "is of type timestamp[us, UTC], which the text"),
        ("span_s > nan", "is of type duration[s], which the number nan cannot be compared with"),
        ("list = 5", "column 'list' is of a type whose values are not compared"),
    ],
)
def test_messages(tool: Tool, table: Path, filter: str, words: str) -> None:
    line = refused(tool, table, filter)
    assert line.startswith("--where: ")
    assert words in line


def test_messages_show_a_few_of_many_values(tool: Tool, table: Path) -> None:
    values = ",".join(map(str, range(20_000)))  # an argument has at most 128 KiB
    for filter in (f"i32 in ({values}", f"text in ({values})", f"day = '{'7' * 99_999}'"):
        assert len(refused(tool, table, filter)) < 500


def test_thousands_of_values(tool: Tool, tmp_path: Path) -> None:
    """Rows times values would be billions of comparisons."""
    count = 300_000
    whole = pa.array([i % 50_000 for i in range(count)])
    table = pa.table({
        "row": pa.array(range(count), pa.int32()),
        "i": whole,
        "f": whole.cast(pa.float64()),
        "d": whole.cast(pa.decimal128(19, 0)),
        "s": whole.cast(pa.string()),
    })  # fmt: skip
    with pa.ipc.new_file(tmp_path / "t.arrow", table.schema) as writer:
        writer.write_table(table)
    tool.run("compress", tmp_path / "t.arrow", "-o", tmp_path / "t", "--level", 0)
    picked = range(0, 40_000, 4)
    numbers = ",".join(map(str, picked))
    texts = ",".join(f"'{x}'" for x in picked)
    for column, values in (("i", numbers), ("f", numbers), ("d", numbers), ("s", texts)):
        ran = tool.run("decompress", tmp_path / "t", "--columns", "row", "--to", "text",
                       f"--where={column} in ({values}) and row < 50000")  # fmt: skip
        assert list(map(int, ran.out.split())) == list(picked), column
