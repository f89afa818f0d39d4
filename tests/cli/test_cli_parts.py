# SPDX-License-Identifier: Apache-2.0
"""Tables whose columns have several parts, in both commands."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest
from cli_program import CORRUPT, DONE, FAILURE
from programs import Tool, tool  # noqa: F401

ROWS = 66_100  # the last part has two batches
ENDS = (3, 500, 65_000, ROWS)


def table_of(with_text: bool) -> pa.Table:
    columns = {
        "n": pa.array(range(ROWS)),
        "x": pa.array(
            [None if 400 < i < 600 or i % 9 == 0 else i % 50 for i in range(ROWS)], pa.int32()
        ),
        "t": pa.array([i * 1000 for i in range(ROWS)], pa.timestamp("ms", "UTC")),
    }
    if with_text:
        columns["s"] = pa.array([None if i % 11 == 3 else f"w{i % 20_000}" for i in range(ROWS)])
        columns["u"] = pa.array([f"{i * 7919 % 1000003}" for i in range(ROWS)])
        columns["l"] = pa.array(
            [[i, 1] if i % 2 else [] for i in range(ROWS)], pa.list_(pa.int64())
        )
    return pa.table(columns)


def sums(path: Path) -> dict[str, int]:
    data = path.read_bytes()
    return {"bytes": len(data), "crc32": zlib.crc32(data)}


def make(tool: Tool, tmp_path: Path, table: pa.Table, ends: tuple[int, ...] = ENDS) -> Path:
    """Writes each part as a table of its own, and joins their manifests."""
    folder = tmp_path / "t"
    folder.mkdir()
    manifest: dict[str, Any] = {}
    begin = 0
    for number, end in enumerate(ends):
        source = tmp_path / f"{number}.arrow"
        with pa.ipc.new_file(source, table.schema) as writer:
            writer.write_table(table[begin:end])
        made = tmp_path / f"p{number}"
        tool.run("compress", "-q", source, "-o", made)
        part = json.loads((made / "manifest.json").read_text())
        for path in made.iterdir():
            stem, _, ending = path.name.partition(".")
            if path.name != "manifest.json":
                path.rename(folder / f"{stem}.p{number}-00000000.{ending}")
        manifest = manifest or {**part, "version": 4}
        columns = zip(manifest["columns"], part["columns"], strict=True)
        for column, entry in columns:
            parts = column.setdefault("parts", [])
            file = f"{column['name']}.p{number}-00000000"
            parts.append(
                {"file": f"{file}.pco", "count": entry["count"], **sums(folder / f"{file}.pco")}
            )
            if "nulls" in entry:
                nulls = f"{file}.nulls.pco"
                parts[-1]["nulls"] = {
                    "file": nulls,
                    "count": entry["nulls"]["count"],
                    **sums(folder / nulls),
                }
        others = zip(manifest.get("others", []), part.get("others", []), strict=True)
        for other, entry in others:
            (only,) = entry["parts"]
            only["file"] = f"{other['name']}.p{number}-00000000.arrow"
            other["parts"] = [*other["parts"], only] if number else [only]
            other["rows"] = end
        begin = end
    for column in manifest["columns"]:
        for name in ("file", "count", "nulls"):
            column.pop(name, None)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 4
    path.write_bytes(data)


def cells(text: str) -> list[str]:
    return text.strip().split("\n")[1:]


def test_numbers(tool: Tool, tmp_path: Path) -> None:
    table = table_of(False)
    folder = make(tool, tmp_path, table)
    values = ["" if x is None else str(x) for x in table["x"].to_pylist()]
    assert cells(tool.run("decompress", folder, "--columns", "n,x").text) == [
        f"{n},{x}" for n, x in enumerate(values)
    ]
    assert cells(tool.run("decompress", folder, "--columns", "n", "--range", "2:600").text) == [
        str(i) for i in range(2, 602)
    ]
    assert tool.run(
        "decompress", folder, "--column", "x", "--nulls", "drop", "--to", "text"
    ).text.split() == [x for x in values if x]
    found = tool.run("decompress", folder, "--columns", "n", "--where", "n > 64990 and x = 7").text
    assert cells(found) == [str(i) for i in range(64_991, ROWS) if values[i] == "7"]
    assert (
        tool.run(
            "decompress", folder, "--columns", "n", "--where", "x is null", "--range", "499:2"
        ).text
        == "n\n499\n500\n"
    )
    assert cells(tool.run("head", folder, "-n", "5").text)[0].split()[0] == "0"
    out = tmp_path / "n.npy"
    tool.run("decompress", folder, "--column", "n", "-o", out)
    assert out.stat().st_size == 128 + 8 * ROWS
    tool.run("decompress", folder, "--columns", "n,x", "--nulls", "drop", code=FAILURE)
    report = json.loads(tool.run("inspect", "--json", folder).text)
    assert report["columns"][0]["contents"]["count"] == ROWS
    tool.run("inspect", folder)
    tool.run("explain", folder, "--column", "n")
    assert tool.run("verify", folder).text.count("OK") == 3 * 4 + 4


def test_salvage(tool: Tool, tmp_path: Path) -> None:
    table = table_of(False).select(["n"])
    folder = make(tool, tmp_path, table)
    text = tool.run("decompress", folder, "--column", "n", "--salvage").text
    assert text.split() == [str(i) for i in range(ROWS)]


def test_what_is_refused(tool: Tool, tmp_path: Path) -> None:
    folder = make(tool, tmp_path, table_of(False))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert "checksums the manifest has" in tool.run("index", folder, code=FAILURE).err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def write(table: pa.Table, path: Path) -> Path:
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    return path


def read(tool: Tool, folder: Path) -> pa.Table:
    out = folder.parent / "back.arrow"
    tool.run("decompress", folder, "-f", "-o", out)
    return pa.ipc.open_file(out).read_all()


def parts_of(folder: Path) -> dict[str, list[str]]:
    manifest = json.loads((folder / "manifest.json").read_text())
    return {
        column["name"]: [part["file"] for part in column.get("parts", [column])]
        for column in manifest["columns"] + manifest.get("others", [])
    }


@pytest.mark.usefixtures("arrow")
@pytest.mark.wheel_takes(1)
def test_appends_to_parts(tool: Tool, tmp_path: Path) -> None:
    """Large parts stay as they are, also in the folder; small ones at the end are joined."""
    table = table_of(True).append_column("code", table_of(True)["s"].dictionary_encode())
    folder = make(tool, tmp_path, table.drop_columns(["code"]), (66_000, 66_090, ROWS))
    table = table.drop_columns(["code"])
    kept = {names[0]: (folder / names[0]).stat() for names in parts_of(folder).values()}
    more = write(table.slice(0, 50), tmp_path / "more.arrow")
    for _ in range(2):
        ran = tool.run("compress", more, "--append", "-o", folder)
        assert "50 rows appended to 6 columns" in ran.err
    expected = pa.concat_tables([table, table.slice(0, 50), table.slice(0, 50)])
    assert read(tool, folder).equals(expected)
    for name, files in parts_of(folder).items():
        assert len(files) == 2 and files[1].startswith(f"{name}.p4-")
    for name, before in kept.items():
        after = (folder / name).stat()
        assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    nulls = [name.replace(".pco", ".nulls.pco") for name in parts_of(folder)["x"]]
    listed = [file for files in parts_of(folder).values() for file in files]
    assert sorted(p.name for p in folder.iterdir()) == sorted([*listed, *nulls, "manifest.json"])
    tool.run("verify", folder)


@pytest.mark.usefixtures("arrow")
def test_appends_to_large_parts_copy_nothing(tool: Tool, tmp_path: Path) -> None:
    table = table_of(True)
    table = table.append_column("code", table["s"].dictionary_encode())
    folder = tmp_path / "t"
    tool.run("compress", "-q", write(table, tmp_path / "a.arrow"), "-o", folder)
    other = table.slice(5, 3).set_column(3, "s", table["s"].slice(5, 3).cast(pa.large_string()))
    tool.run("compress", "-q", write(other, tmp_path / "b.arrow"), "--append", "-o", folder)
    assert read(tool, folder).drop_columns(["code"]).equals(
        pa.concat_tables([table, table.slice(5, 3)]).drop_columns(["code"])
    )
    counts = {name: len(files) for name, files in parts_of(folder).items()}
    assert counts == {"n": 2, "x": 2, "t": 2, "s": 2, "u": 2, "l": 2, "code": 2}
    tool.run("verify", folder)


@pytest.mark.usefixtures("arrow")
@pytest.mark.wheel_takes(1)
def test_damage_of_what_is_copied(tool: Tool, tmp_path: Path) -> None:
    """Also that of the file that says what the type of a column is."""
    table = table_of(True).select(["n", "s", "l"])
    folder = make(tool, tmp_path, table, (66_000, 66_090, ROWS))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    more = write(table.slice(0, 5), tmp_path / "more.arrow")
    for name, at in (("n.p1-00000000.pco", -20), ("s.p1-00000000.arrow", 600),
                     ("l.p2-00000000.arrow", 600), ("s.p0-00000000.arrow", 40)):
        flip(folder / name, at)
        ran = tool.run("compress", more, "--append", "-o", folder, code=CORRUPT)
        assert name in ran.err and f"column '{name[0]}'" in ran.err
        flip(folder / name, at)
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_new_table_replaces_parts(tool: Tool, tmp_path: Path) -> None:
    folder = make(tool, tmp_path, table_of(False))
    (folder / "n.p9-00000000.pco").write_text("of a writer that died")
    tool.run("compress", "-q", "-f", tmp_path / "0.arrow", "-o", folder)
    names = {"n.pco", "x.pco", "x.nulls.pco", "t.pco", "manifest.json"}
    assert {path.name for path in folder.iterdir()} == names
    (folder / "other.p9-00000000.pco").write_text("not of the table")
    ran = tool.run("compress", "-f", tmp_path / "0.arrow", "-o", folder, code=FAILURE)
    assert "'other.p9-00000000.pco', which is not part of the table" in ran.err


def test_damage(tool: Tool, tmp_path: Path) -> None:
    folder = make(tool, tmp_path, table_of(False))
    for name in ("n.p1-00000000.pco", "x.p1-00000000.nulls.pco", "t.p3-00000000.pco"):
        size = (folder / name).stat().st_size
        for at in (0, 9, size // 2, size - 1):
            flip(folder / name, at)
            assert name in tool.run("verify", folder, code=CORRUPT).err
            report = json.loads(tool.run("verify", "--json", folder, code=CORRUPT).text)
            assert [Path(one["path"]).name for one in report if not one["ok"]] == [name]
            if size < 65_536:
                column = name.partition(".")[0]
                ran = tool.run("decompress", folder, "--columns", column, code=CORRUPT)
                assert name in ran.err
            flip(folder / name, at)
    assert tool.run("verify", folder, code=DONE).err == ""


@pytest.mark.usefixtures("arrow")
def test_other_columns(tool: Tool, tmp_path: Path) -> None:
    table = table_of(True)
    folder = make(tool, tmp_path, table)
    for ending in ("arrow", "parquet"):
        out = tmp_path / f"all.{ending}"
        tool.run("decompress", folder, "-o", out)
        read = pa.ipc.open_file(out).read_all() if ending == "arrow" else pa.parquet.read_table(out)
        assert read.equals(table)
        tool.run("decompress", folder, "-f", "-o", out, "--where", "n > 400 and s = 'w7'")
        read = pa.ipc.open_file(out).read_all() if ending == "arrow" else pa.parquet.read_table(out)
        kept = [i for i, text in enumerate(table["s"].to_pylist()) if i > 400 and text == "w7"]
        assert read.equals(table.take(kept))
    texts = ["" if s is None else s for s in table["s"].to_pylist()]
    rows = [f"{s},{u}" for s, u in zip(texts, table["u"].to_pylist(), strict=True)]
    assert cells(tool.run("decompress", folder, "--columns", "s,u").text) == rows
    assert (
        cells(tool.run("decompress", folder, "--columns", "s,u", "--range", "450:64600").text)
        == rows[450:65_050]
    )
    tool.run("verify", folder)
    report = json.loads(tool.run("inspect", "--json", folder).text)
    assert [len(other["parts"]) for other in report["others"]] == [4, 4, 4]
    name = "s.p2-00000000.arrow"
    flip(folder / name, (folder / name).stat().st_size // 2)
    assert name in tool.run("verify", folder, code=CORRUPT).err
    assert "checksum" in tool.run("decompress", folder, "--columns", "s", code=CORRUPT).err
    flip(folder / name, (folder / name).stat().st_size // 2)
    # A part of another type.
    first = pa.table({"s": table["s"][:3].cast(pa.large_string())})
    with pa.ipc.new_file(tmp_path / "first.arrow", first.schema) as writer:
        writer.write_table(first)
    tool.run("compress", "-q", tmp_path / "first.arrow", "-o", tmp_path / "first")
    (other,) = json.loads((tmp_path / "first/manifest.json").read_text())["others"]
    (tmp_path / "first/s.arrow").rename(folder / "s.arrow")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["others"][0]["parts"][0] = other["parts"][0]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    out = tmp_path / "refused.arrow"
    ran = tool.run("decompress", folder, "--columns", "s", "-o", out, code=CORRUPT)
    assert "another type" in ran.err and not out.exists()
