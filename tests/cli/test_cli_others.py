# SPDX-License-Identifier: Apache-2.0
"""Tables whose columns Pco cannot hold, whole: compress --others, decompress, verify, head."""

from __future__ import annotations

import decimal
import functools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc
import pyarrow.parquet
import pytest
from cli_program import CORRUPT, DONE, FAILURE, USAGE, run
from folder import manifest_of
from older_tables import as_version_3
from programs import Tool, tool  # noqa: F401

pytestmark = pytest.mark.usefixtures("arrow")

ROWS = 70_000  # more than one batch of an Arrow file


@functools.cache
def mixed_table(rows: int = ROWS) -> pa.Table:
    words = [None if i % 7 == 0 else f"w{i % 100}" for i in range(rows)]
    return pa.table({
        "text": pa.array(words),
        "i": pa.array([None if i % 11 == 0 else i for i in range(rows)], pa.int64()),
        "code": pa.array(words).dictionary_encode(),
        "price": pa.array([decimal.Decimal(i) / 4 for i in range(rows)], pa.decimal128(20, 2)),
        "x": pa.array(np.arange(rows) / 8),
        "list": pa.array([[i, i + 1] if i % 3 else [] for i in range(rows)], pa.list_(pa.int32())),
        "blob": pa.array([bytes([i % 256]) for i in range(rows)], pa.large_binary()),
    }).replace_schema_metadata({"k": "v"})


def write(table: pa.Table, path: Path) -> Path:
    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path, row_group_size=30_000)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=100_000)
    return path


def read(path: Path) -> pa.Table:
    if path.suffix == ".parquet":
        return pa.parquet.read_table(path)
    opened = pa.ipc.open_file(path) if path.suffix == ".arrow" else pa.ipc.open_stream(path)
    return opened.read_all()


def plain(table: pa.Table) -> pa.Table:
    """Without dictionaries, which may list the same words in another order."""
    for index, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            values = table.column(index).cast(field.type.value_type)
            table = table.set_column(index, field.name, values)
    return table


def test_summary_of_a_table_without_numbers(tmp_path: Path) -> None:
    names = [f"t{i}" for i in range(11)]
    table = pa.table([pa.array(["a", "b"])] * 11, names=names)
    ran = run("compress", write(table, tmp_path / "t.parquet"), "-o", tmp_path / "f")
    assert re.search(r": f: 11 other columns in [\d,]+ bytes "
                     r"\(t0, t1, t2, t3, t4, t5, t6, t7 and 3 more\)$",
                     ran.err.replace(f"{tmp_path}/", ""), re.MULTILINE)


@pytest.mark.wheel_takes(2)
@pytest.mark.parametrize("source", ["t.parquet", "t.arrow"])
def test_table_comes_back_whole(tool: Tool, tmp_path: Path, source: str) -> None:
    table = mixed_table()
    path = write(table, tmp_path / source)
    table = read(path)
    ran = tool.run("compress", path, "-o", tmp_path / "f")
    assert re.search(r"; 5 other columns in [\d,]+ bytes \(text, code, price, list, blob\)$",
                     ran.err, re.MULTILINE)
    assert "left out" not in ran.err
    manifest = manifest_of(tmp_path / "f")
    assert manifest["version"] == 4 and manifest["skipped"] == []
    assert [(one["name"], one["position"], one["rows"]) for one in manifest["others"]] == \
        [("price", 3, ROWS), ("list", 5, ROWS)]
    assert [one["name"] for one in manifest["columns"] if one["logical_type"] == "text"] == \
        ["text", "code", "blob"]
    for target in ["b.arrow", "b.parquet", "b.arrows"]:
        tool.run("decompress", tmp_path / "f", "-o", tmp_path / target)
        back = read(tmp_path / target)
        assert back.column_names == table.column_names
        assert plain(back).equals(plain(table)), target
        if target != "b.parquet":
            assert back.schema.equals(table.schema, check_metadata=True)
    batches = pa.ipc.open_file(tmp_path / "f/list.arrow")
    assert [batches.get_batch(i).num_rows for i in range(batches.num_record_batches)] == \
        [65_536, ROWS - 65_536]


def test_range_columns_and_filter(tool: Tool, tmp_path: Path) -> None:
    table = mixed_table()
    tool.run("compress", write(table, tmp_path / "t.arrow"), "-o", tmp_path / "f")
    tool.run("decompress", tmp_path / "f", "--columns", "list,x,text", "--range", "65530:20",
             "-o", tmp_path / "b.arrow")
    assert read(tmp_path / "b.arrow").to_pydict() == \
        table.slice(65530, 20).select(["list", "x", "text"]).to_pydict()
    tool.run("decompress", tmp_path / "f", "--where",
             "text = 'w5' and i >= 1000 and price < 16500.5 and x != 4375.625",
             "-o", tmp_path / "w.arrow")
    F = pc.field
    expected = table.filter((F("text") == "w5") & (F("i") >= 1000) & (F("x") != 4375.625) &
                          (F("price") < decimal.Decimal("16500.5")))
    assert expected.num_rows > 100
    assert plain(read(tmp_path / "w.arrow")).equals(plain(expected))
    ran = tool.run("decompress", tmp_path / "f", "--columns", "i,code", "--where",
                   "code in ('w3', 'w4') and text is not null", "--range", "100:300")
    rows = [f"{'' if row['i'] is None else row['i']},{row['text']}"
            for row in table.slice(100, 300).to_pylist() if row["text"] in ("w3", "w4")]
    assert ran.text.splitlines() == ["i,code", *rows]
    line = tool.refused("decompress", tmp_path / "f", "--columns", "x", "--where", "text > 5",
                        code=USAGE)
    assert "column 'text' is of type text, which the number 5 cannot be compared with" in line


def test_policies(tool: Tool, tmp_path: Path) -> None:
    path = write(mixed_table(100), tmp_path / "t.parquet")
    line = tool.refused("compress", path, "-o", tmp_path / "e", "--others", "error", code=FAILURE)
    assert "'text' (values of type string cannot be compressed), 'code'" in line
    assert not (tmp_path / "e").exists()
    ran = tool.run("compress", path, "-o", tmp_path / "d", "--others", "drop", "-q")
    assert ran.err.count("is left out: values of type") == 5
    assert manifest_of(tmp_path / "d")["version"] == 2
    assert [one["name"] for one in manifest_of(tmp_path / "d")["skipped"]] == \
        ["text", "code", "price", "list", "blob"]
    ran = tool.run("compress", path, "-o", tmp_path / "s", "-q", "--skip", "blob")
    assert ran.err == ""
    assert "applies to a whole table" in tool.refused(
        "compress", path, "--column", "x", "--others", "keep", code=USAGE)
    assert "neither" not in tool.refused("compress", path, "--others", "x", code=USAGE)
    ran = tool.run("decompress", tmp_path / "s", "-q")
    assert ran.err.count("is left out") == 1 and "list<" in ran.err
    line = tool.refused("decompress", tmp_path / "s", "--columns", "x,list", code=FAILURE)
    assert "csv cannot hold values of type" in line
    assert "npy cannot hold values of type string" in tool.refused(
        "decompress", tmp_path / "s", "--column", "text", "--to", "npy", code=FAILURE)


CSV = '''id,name,day
1,"a, ""b""",2024-01-01
2,,2024-01-02
3,"",2024-01-03
4,007,2024-01-04
5," x
y",
'''


@pytest.mark.parametrize("piped", [False, True])
def test_text_of_csv(tool: Tool, tmp_path: Path, piped: bool) -> None:
    (tmp_path / "t.csv").write_text(CSV)
    source = ["-", "--from", "csv"] if piped else [tmp_path / "t.csv"]
    tool.run("compress", *source, "-o", tmp_path / "f", stdin=CSV.encode() if piped else b"")
    tool.run("decompress", tmp_path / "f", "-o", tmp_path / "b.arrow")
    assert read(tmp_path / "b.arrow")["name"].to_pylist() == ['a, "b"', None, "", "007", " x\ny"]
    assert tool.run("decompress", tmp_path / "f").text == CSV
    tool.run("compress", *source, "-o", tmp_path / "d", "--others", "drop",
             stdin=CSV.encode() if piped else b"")
    assert tool.run("decompress", tmp_path / "d", "--columns", "id").text == "id\n1\n2\n3\n4\n5\n"


@pytest.mark.parametrize("texts", [
    [None, "x", None], [None], [None, None], [None, ""], ["", None], ["x", None, ""],
])  # fmt: skip
@pytest.mark.parametrize("source", ["csv", "arrow", "dictionary"])
def test_texts_of_which_the_first_is_null(
    tool: Tool, tmp_path: Path, texts: list[str | None], source: str
) -> None:
    texts = [*texts, "end"]  # a column without text is one of numbers
    fields = [texts[i].join('""') if texts[i] is not None else "" for i in range(len(texts))]
    csv = "i,s\n" + "".join(f"{i},{field}\n" for i, field in enumerate(fields))
    (tmp_path / "t.csv").write_text(csv)
    table = pa.table({"i": range(len(texts)), "s": pa.array(texts)})
    if source == "dictionary":
        table = table.set_column(1, "s", table["s"].dictionary_encode())
    write(table, tmp_path / "t.arrow")
    tool.run("compress", tmp_path / f"t.{'csv' if source == 'csv' else 'arrow'}", "-o",
             tmp_path / "f")
    tool.run("decompress", tmp_path / "f", "-o", tmp_path / "back.arrow")
    assert read(tmp_path / "back.arrow")["s"].to_pylist() == texts
    assert tool.run("decompress", tmp_path / "f", "--to", "csv").text == csv.replace(
        '"x"', "x").replace('"end"', "end")  # fmt: skip
    for test in ("is null", "is not null"):
        found = tool.run("decompress", tmp_path / "f", "--columns", "i", "--where", f"s {test}",
                         "--to", "csv").text
        assert [int(line) for line in found.split()[1:]] == [
            i for i, text in enumerate(texts) if (text is None) == (test == "is null")
        ]


def test_batches_of_which_the_first_text_is_null(tool: Tool, tmp_path: Path) -> None:
    rows = 3 * 65_536
    lines = [str(i) + ("," if i % 65_536 == 0 else ",x") for i in range(rows)]
    (tmp_path / "t.csv").write_text("i,s\n" + "\n".join(lines) + "\n")
    tool.run("compress", tmp_path / "t.csv", "-o", tmp_path / "f", "--level", "0")
    tool.run("decompress", tmp_path / "f", "-o", tmp_path / "back.arrow")
    assert read(tmp_path / "back.arrow")["s"].null_count == 3
    found = tool.run("decompress", tmp_path / "f", "--columns", "i", "--where", "s is null",
                     "--to", "csv").text
    assert found.split() == ["i", "0", "65536", "131072"]


def test_csv_without_a_header_or_utf8(tool: Tool, tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("\n\n1,a\n2,b\n")
    tool.run("compress", tmp_path / "n.csv", "--no-header", "-o", tmp_path / "n")
    assert tool.run("decompress", tmp_path / "n").text == "f0,f1\n1,a\n2,b\n"
    (tmp_path / "l.csv").write_bytes(b"a,b\n1,x\n2,caf\xe9\n")
    ran = tool.run("compress", tmp_path / "l.csv", "-o", tmp_path / "l", "-q")
    assert "column 'b' is left out: text that is not UTF-8, line 3" in ran.err
    line = tool.refused("compress", tmp_path / "l.csv", "-o", tmp_path / "k", "--others", "keep",
                        code=FAILURE)
    assert "column 'b': cannot be kept: text that is not UTF-8" in line


def test_table_of_text_only(tool: Tool, tmp_path: Path) -> None:
    table = pa.table({"a": ["x", None, ""], "b": ["1", "2", "3"]})
    tool.run("compress", write(table, tmp_path / "t.arrow"), "-o", tmp_path / "f")
    tool.run("decompress", tmp_path / "f", "-o", tmp_path / "b.arrow")
    assert read(tmp_path / "b.arrow").equals(table)
    assert tool.run("decompress", tmp_path / "f", "--column", "a").text == "x\n\n\n"
    assert tool.run("decompress", tmp_path / "f").text == 'a,b\nx,1\n,2\n"",3\n'
    assert tool.run("decompress", tmp_path / "f", "--where", "b > '1'").text == 'a,b\n,2\n"",3\n'


def test_no_rows(tool: Tool, tmp_path: Path) -> None:
    table = mixed_table(100).slice(0, 0)
    tool.run("compress", write(table, tmp_path / "t.arrow"), "-o", tmp_path / "f")
    tool.run("decompress", tmp_path / "f", "-o", tmp_path / "b.arrow")
    back = read(tmp_path / "b.arrow")
    assert back.num_rows == 0 and back.schema.equals(table.schema, check_metadata=True)
    assert tool.run("decompress", tmp_path / "f", "--columns", "x,text").text == "x,text\n"
    tool.run("head", tmp_path / "f", "--columns", "x,text")


def test_verify_and_inspect(tool: Tool, tmp_path: Path) -> None:
    tool.run("compress", write(mixed_table(500), tmp_path / "t.arrow"), "-o", tmp_path / "f")
    ran = tool.run("verify", tmp_path / "f")
    assert ran.text.count(": OK, ") == 12  # and three files of nulls, and two of texts
    assert "text.values: OK, 100 texts of type string" in ran.text
    assert "blob.arrow: OK, 500 rows of type large_binary" in ran.text
    listing = tool.run("inspect", tmp_path / "f").text
    assert "kept      price (decimal128(20, 2)), 500 rows" in listing
    assert re.search(r"text +100 texts +u8", listing)
    assert len(json.loads(tool.run("inspect", tmp_path / "f", "--json").out)["others"]) == 3
    ran = tool.run("explain", tmp_path / "f")
    assert "column 'blob' is not explained" in ran.err
    for name in ("blob.arrow", "text.values"):
        sound = (tmp_path / "f" / name).read_bytes()
        data = bytearray(sound)
        data[len(data) // 3 : len(data) // 3 + 40] = bytes(40)
        (tmp_path / "f" / name).write_bytes(data)
        assert name in tool.run("verify", tmp_path / "f", code=CORRUPT).err
        found = json.loads(tool.run("verify", tmp_path / "f", "--json", code=CORRUPT).out)
        assert [one["column"] for one in found if not one["ok"]] == [name.partition(".")[0]]
        (tmp_path / "f" / name).write_bytes(sound)


def change(folder: Path, **changes: Any) -> None:
    """Changes the first of the other columns in the manifest."""
    manifest = manifest_of(folder)
    for name in ("file", "rows"):
        if name in changes:
            manifest["others"][0]["parts"][0][name] = changes[name]
    changes.pop("file", None)
    manifest["others"][0].update(changes)
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.wheel_takes(9)
@pytest.mark.parametrize(("changes", "message"), [
    ({"position": 9}, "position 9"), ({"position": 2}, "position"), ({"position": -1}, "count"),
    ({"rows": 4}, "rows"), ({"file": "../x.arrow"}, "leads out"), ({"file": ""}, "leads out"),
    ({"name": 1}, "not text"), ({"type": None}, "not text"), ({"rows": "5"}, "not a count"),
])
def test_hostile_manifests(tool: Tool, tmp_path: Path, changes: dict[str, Any],
                           message: str) -> None:
    table = pa.table({"a": list("vwxyz"), "n": range(5), "b": list("vwxyz")})
    tool.run("compress", write(table, tmp_path / "t.arrow"), "-o", tmp_path / "f")
    change(tmp_path / "f", **changes)
    assert message in tool.refused("decompress", tmp_path / "f", code=CORRUPT)


def test_hostile_files(tool: Tool, tmp_path: Path) -> None:
    table = pa.table({"a": list("vwxyz"), "n": range(5)})
    tool.run("compress", write(table, tmp_path / "t.arrow"), "-o", tmp_path / "f")
    as_version_3(tmp_path / "f")  # else the checksums contradict first
    file = tmp_path / "f/a.arrow"
    good = file.read_bytes()
    two_fields = tmp_path / "two.arrow"
    write(pa.table({"a": ["x"] * 5, "b": ["x"] * 5}), two_fields)
    fewer = write(pa.table({"a": ["x"] * 4}), tmp_path / "fewer.arrow")
    many = tmp_path / "many.arrow"
    with pa.ipc.new_file(many, table.select(["a"]).schema) as writer:
        writer.write_table(table.select(["a"]), max_chunksize=1)
    for content in [b"", b"x", good[:-20], good[:100], two_fields.read_bytes(),
                    fewer.read_bytes(), many.read_bytes()]:
        file.write_bytes(content)
        for arguments in (["verify", tmp_path / "f"],
                          ["decompress", tmp_path / "f", "-o", tmp_path / "o.arrow"]):
            ran = tool.run(*arguments, code=CORRUPT)
            assert "a.arrow" in ran.err or "column 'a'" in ran.err or "o.arrow" in ran.err
            assert not (tmp_path / "o.arrow").exists()
    file.unlink()
    (tmp_path / "outside.arrow").write_bytes(good)
    file.symlink_to("../outside.arrow")
    assert "leads out of the folder" in tool.run("decompress", tmp_path / "f", code=CORRUPT).err
    file.unlink()
    (tmp_path / "f/inside.arrow").write_bytes(good)
    file.symlink_to("inside.arrow")
    tool.run("decompress", tmp_path / "f", code=DONE)


def test_csv_says_why_a_column_is_text(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,four\n")
    ran = run("compress", tmp_path / "t.csv", "-o", tmp_path / "t")
    assert "column 'b' is kept as text, line 3: 'four' is not a number" in ran.err
    assert run("compress", tmp_path / "t.csv", "-qf", "-o", tmp_path / "t").err == ""
