# SPDX-License-Identifier: Apache-2.0
"""Text and bytes in table folders: the same files by every writer, and appends of other forms."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pytest
from older_tables import texts_in_arrow
from programs import Tool, tool  # noqa: F401

import numpact

pytestmark = pytest.mark.usefixtures("arrow")

TEXTS = [pa.string(), pa.large_string(), pa.string_view()]
BYTES = [pa.binary(), pa.large_binary(), pa.binary_view()]


def write(table: pa.Table, path: Path) -> Path:
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    return path


def values(kind: pa.DataType, rows: int, different: int) -> pa.Array:
    rng = random.Random(rows * different)
    texts = [None if rng.random() < 0.1 else f"text {rng.randrange(different)}"
             for _ in range(rows)]
    return pa.array(texts, pa.large_string()).cast(kind)


def type_in(path: Path) -> pa.DataType:
    with pa.ipc.open_file(path) as file:
        return file.schema.field(0).type


@pytest.mark.parametrize("kind", [pa.string(), pa.large_binary()], ids=str)
@pytest.mark.parametrize(
    ("rows", "different"),
    [(0, 1), (8, 1), (8, 3), (300, 1 << 40), (70_000, 60), (140_000, 20_000), (140_000, 1 << 40)],
)
def test_command_and_python_write_the_same(
    tool: Tool, tmp_path: Path, kind: pa.DataType, rows: int, different: int
) -> None:
    table = pa.table({"s": values(kind, rows, different), "n": range(rows)})
    numpact.write_table(table, tmp_path / "python")
    path = write(table, tmp_path / "t.arrow")
    tool.run("compress", "-q", path, "-o", tmp_path / "command")
    files = [tmp_path / writer / "s.values" for writer in ("python", "command")]
    if files[0].exists():
        assert files[0].read_bytes() == files[1].read_bytes()
        assert numpact.read_table(tmp_path / "command").to_arrow().equals(table.combine_chunks())
        return
    assert not files[1].exists()
    files = [tmp_path / writer / "s.arrow" for writer in ("python", "command")]
    assert type_in(files[0]) == type_in(files[1])
    sizes = [file.stat().st_size for file in files]
    assert abs(sizes[0] - sizes[1]) <= sizes[0] // 500
    for writer in ("python", "command"):
        assert numpact.read_table(tmp_path / writer).to_arrow().equals(table.combine_chunks())


@pytest.mark.wheel_takes(2)
def test_an_append_to_texts_in_arrow(tool: Tool, tmp_path: Path) -> None:
    table = pa.table({"s": values(pa.string(), 70_000, 50)})
    with texts_in_arrow():
        numpact.write_table(table, tmp_path / "t")
    more = pa.table({"s": pa.array(["new", None, "text 7", *["text 8"] * 300])})
    path = write(more, tmp_path / "m.arrow")
    tool.run("compress", "-q", path, "--append", "-o", tmp_path / "t")
    assert {type_in(file) for file in (tmp_path / "t").glob("*.arrow")} == {pa.string()}
    tool.run("decompress", tmp_path / "t", "-o", tmp_path / "back.arrow")
    assert pa.ipc.open_file(tmp_path / "back.arrow").read_all() == pa.concat_tables([table, more])


def test_an_append_adds_to_repeated_text(tool: Tool, tmp_path: Path) -> None:
    table = pa.table({"s": values(pa.string(), 70_000, 50)})
    numpact.write_table(table, tmp_path / "t")
    more = pa.table({"s": pa.array(["new", None, "text 7"])})
    path = write(more, tmp_path / "m.arrow")
    tool.run("compress", "-q", path, "--append", "-o", tmp_path / "t")
    (tmp_path / "m.csv").write_text("s\nnewer\ntext 7\n")
    tool.run("compress", "-q", tmp_path / "m.csv", "--append", "-o", tmp_path / "t")
    assert not (tmp_path / "t/s.values").exists()
    assert len(list((tmp_path / "t").glob("s.*.values"))) == 1
    tool.run("verify", tmp_path / "t")
    tool.run("decompress", tmp_path / "t", "-o", tmp_path / "back.arrow")
    last = pa.table({"s": pa.array(["newer", "text 7"])})
    back = pa.ipc.open_file(tmp_path / "back.arrow").read_all()
    assert back["s"].to_pylist() == pa.concat_tables([table, more, last])["s"].to_pylist()
    ran = tool.run("decompress", tmp_path / "t", "--where", "s like 'new%'")
    assert ran.text.split() == ["s", "new", "newer"]
    assert "has texts" in tool.refused(
        "decompress", "--salvage", "--column", "s", tmp_path / "t", code=2
    )


@pytest.mark.parametrize("new", [*TEXTS, *BYTES], ids=str)
@pytest.mark.parametrize("old", [*TEXTS, *BYTES], ids=str)
def test_forms_of_text_can_be_appended(
    tool: Tool, tmp_path: Path, old: pa.DataType, new: pa.DataType
) -> None:
    def table(texts: list[Any], kind: pa.DataType) -> pa.Table:
        plain = pa.array(texts, pa.large_string())
        return pa.table({"s": plain.cast(pa.large_binary()).cast(kind) if kind in BYTES
                         else plain.cast(kind)})

    more = table(["yy", "ä", None], new)
    for writer in ("python", "command"):
        numpact.write_table(table(["x", None], old), tmp_path / writer)
    path = write(more, tmp_path / "m.arrow")
    arguments = ("compress", "-q", path, "--append", "-o", tmp_path / "command")
    if (old in TEXTS) != (new in TEXTS):
        assert f"column 's': values of type {new}, the folder has {old}" in tool.refused(*arguments)
        with pytest.raises(numpact.TypeMismatchError, match="column 's'"):
            numpact.append_table(more, tmp_path / "python")
        return
    tool.run(*arguments)
    numpact.append_table(more, tmp_path / "python")
    expected = table(["x", None, "yy", "ä", None], old)
    for writer in ("python", "command"):
        assert numpact.read_table(tmp_path / writer).to_arrow().equals(expected)


def dictionary(values: list[str | None], indices: list[int]) -> pa.Table:
    array = pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), pa.array(values))
    return pa.table({"a": array})


def test_errors_of_an_append_name_table_and_column(tool: Tool, tmp_path: Path) -> None:
    # Arrow does not join dictionaries with a null among their values.
    with texts_in_arrow():
        numpact.write_table(dictionary(["one", None, "two"], [0, 1, 2]), tmp_path / "t")
    path = write(dictionary([None, "three"], [0, 1]), tmp_path / "m.arrow")
    line = tool.refused("compress", "-q", path, "--append", "-o", tmp_path / "t")
    assert line.startswith(f"{path}: column 'a', appended to {tmp_path / 't'}: ")
    assert ".tmp" not in line
    with pytest.raises(numpact.TypeMismatchError, match=r"^column 'a': ") as error:
        numpact.append_table(dictionary([None, "three"], [0, 1]), tmp_path / "t")
    assert ".tmp" not in str(error.value)
