# SPDX-License-Identifier: Apache-2.0
"""``compress --append`` of tables to folders: all columns or none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc
import pytest
from cli_program import CORRUPT, FAILURE, PROGRAM, USAGE
from folder import manifest_of
from programs import Door, door  # noqa: F401

pytestmark = pytest.mark.usefixtures("arrow")


def table_of(first: int, rows: int, nulls: bool = True) -> pa.Table:
    at = range(first, first + rows)
    return pa.table({
        "s": pa.array([None if i % 5 == 0 and nulls else f"s{i % 9}" for i in at]),
        "i": pa.array([None if i % 4 == 0 and nulls else i for i in at], pa.int64()),
        "t": pa.array(list(at), pa.timestamp("ms", "UTC")),
        "code": pa.array([f"c{i % 3}" for i in at]).dictionary_encode(),
    })


def write(table: pa.Table, path: Path) -> Path:
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    return path


def read_folder(door: Door, folder: Path) -> pa.Table:
    target = folder.parent / "back.arrow"
    door.run("decompress", folder, "-f", "-o", target)
    return pa.ipc.open_file(target).read_all()


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("nulls", [(False, True), (True, False)])
def test_append_adds_all_rows(door: Door, tmp_path: Path, nulls: tuple[bool, bool]) -> None:
    parts = [table_of(0, 3000, nulls[0]), table_of(3000, 70_000, nulls[1])]
    parts.append(parts[0].slice(0, 0))
    door.run("compress", write(parts[0], tmp_path / "a.arrow"), "-o", tmp_path / "f",
             "--restart", "1K")
    for name, part in zip("bc", parts[1:], strict=True):
        ran = door.run("compress", write(part, tmp_path / f"{name}.arrow"), "--append", "-o",
                       tmp_path / "f")
        assert ran.err == f"numpact: {tmp_path / 'f'}: {part.num_rows} rows appended to 4 columns\n"
    back = read_folder(door, tmp_path / "f")
    wanted = pa.concat_tables(parts)
    assert back["code"].cast(pa.string()).equals(wanted["code"].cast(pa.string()))
    assert back.drop_columns(["code"]).equals(wanted.drop_columns(["code"]))
    assert door.run("verify", tmp_path / "f").text.count("trailer") >= 2
    assert "every 1024" in door.run("inspect", tmp_path / "f/t.pco").text
    assert sorted(path.name for path in tmp_path.iterdir()) == \
        ["a.arrow", "b.arrow", "back.arrow", "c.arrow", "f"]


def test_mismatches_change_nothing(door: Door, tmp_path: Path) -> None:
    door.run("compress", write(table_of(0, 10), tmp_path / "a.arrow"), "-o", tmp_path / "f")
    before = snapshot(tmp_path / "f")
    base = table_of(10, 10)

    def refused(table: pa.Table) -> str:
        line = door.refused("compress", write(table, tmp_path / "x.arrow"), "--append", "-o",
                            tmp_path / "f", code=FAILURE)
        assert snapshot(tmp_path / "f") == before
        return line

    assert "the table has no column 'code'" in refused(base.drop_columns(["code"]))
    assert "the folder has no column 'more'" in refused(base.append_column("more", [[1] * 10]))
    line = refused(base.rename_columns(["s", "j", "t", "code"]))
    assert "column 'j' of the table is in the place of 'i'" in line
    if door.program != PROGRAM:
        return  # the rest does not depend on how tables are read, and the package starts slowly
    line = refused(base.set_column(2, "t", base["t"].cast(pa.timestamp("us", "UTC"))))
    assert "column 't' is timestamp[us, UTC], the folder has timestamp[ms, UTC]" in line
    line = refused(base.set_column(1, "i", base["i"].cast(pa.int32())))
    assert "column 'i' is i32, the folder has i64" in line
    line = refused(base.set_column(0, "s", base["s"].cast(pa.large_string())))
    assert "column 's' is large_string, the folder has string" in line
    line = refused(base.set_column(0, "s", pa.array(range(10))))
    assert "column 's' is i64, the folder has string" in line


def test_columns_that_exclude_nulls_take_none(door: Door, tmp_path: Path) -> None:
    strict = pa.schema([pa.field("i", pa.int64(), False), pa.field("s", pa.string(), False)])
    door.run("compress", write(pa.table([[1], ["x"]], schema=strict), tmp_path / "a.arrow"),
             "-o", tmp_path / "f")
    before = snapshot(tmp_path / "f")
    for table in (pa.table({"i": pa.array([None], pa.int64()), "s": ["y"]}),
                  pa.table({"i": [2], "s": pa.array([None], pa.string())})):
        line = door.refused("compress", write(table, tmp_path / "x.arrow"), "--append", "-o",
                            tmp_path / "f", code=FAILURE)
        assert "has nulls, which the folder's column excludes" in line
        assert snapshot(tmp_path / "f") == before
    door.run("compress", write(pa.table({"i": [2], "s": ["y"]}), tmp_path / "x.arrow"), "--append",
             "-o", tmp_path / "f")
    assert read_folder(door, tmp_path / "f").equals(pa.table([[1, 2], ["x", "y"]], schema=strict))


def test_enums_of_polars_keep_their_categories(door: Door, tmp_path: Path) -> None:
    def enum(values: list[str], categories: str) -> pa.Table:
        type = pa.dictionary(pa.int32(), pa.large_string())
        field = pa.field("e", type, metadata={"_PL_ENUM_VALUES": categories})
        return pa.table([pa.array(values, type)], schema=pa.schema([field]))

    door.run("compress", write(enum(["a", "b"], "1;a1;b"), tmp_path / "a.arrow"), "-o",
             tmp_path / "f")
    before = snapshot(tmp_path / "f")
    line = door.refused("compress", write(enum(["z"], "1;z1;b"), tmp_path / "x.arrow"), "--append",
                        "-o", tmp_path / "f", code=FAILURE)
    assert "its values are of an Enum of polars with other categories" in line
    assert snapshot(tmp_path / "f") == before
    door.run("compress", write(enum(["b"], "1;a1;b"), tmp_path / "x.arrow"), "--append", "-o",
             tmp_path / "f")
    assert read_folder(door, tmp_path / "f")["e"].to_pylist() == ["a", "b", "b"]


def test_places(door: Door, tmp_path: Path) -> None:
    path = write(table_of(0, 10), tmp_path / "a.arrow")
    line = door.refused("compress", path, "--append", "-o", tmp_path / "none", code=FAILURE)
    assert "No such file" in line
    (tmp_path / "x.pco").write_bytes(b"")
    line = door.refused("compress", path, "--append", "-o", tmp_path / "x.pco", code=FAILURE)
    assert "is not a folder" in line
    door.run("compress", path, "-o", tmp_path / "f")
    assert "--nulls" in door.refused("compress", path, "--append", "--nulls", "drop", "-o",
                                     tmp_path / "f", code=USAGE)
    (tmp_path / "link").symlink_to("f")
    door.run("compress", path, "--append", "-o", tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and read_folder(door, tmp_path / "f").num_rows == 20
    (tmp_path / "f/i.pco").write_bytes((tmp_path / "f/t.pco").read_bytes())
    before = snapshot(tmp_path / "f")
    door.refused("compress", path, "--append", "-o", tmp_path / "f", code=CORRUPT)
    assert snapshot(tmp_path / "f") == before


def test_csv_takes_the_types_of_the_folder(door: Door, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,name\n1.5,a\n2.5,b\n")
    (tmp_path / "b.csv").write_text("x,name\n3,c\n4,d\n")
    door.run("compress", tmp_path / "a.csv", "-o", tmp_path / "f")
    door.run("compress", tmp_path / "b.csv", "--append", "-o", tmp_path / "f")
    assert door.run("decompress", tmp_path / "f").text == \
        "x,name\n1.5,a\n2.5,b\n3.0,c\n4.0,d\n"
    (tmp_path / "c.csv").write_text("x,name\n16777217.5,c\n1e400,d\n")
    door.run("compress", tmp_path / "c.csv", "--append", "-o", tmp_path / "f", code=FAILURE)


def test_skipped_columns_stay_skipped(door: Door, tmp_path: Path) -> None:
    path = write(table_of(0, 10), tmp_path / "a.arrow")
    door.run("compress", path, "-o", tmp_path / "f", "--others", "drop")
    door.run("compress", path, "--append", "-o", tmp_path / "f", "--others", "drop")
    manifest = manifest_of(tmp_path / "f")
    assert [one["count"] for one in manifest["columns"]] == [14, 20]
    assert [one["name"] for one in manifest["skipped"]] == ["s", "code"]


def test_concurrent_appends_lose_nothing(tmp_path: Path) -> None:
    door = Door(PROGRAM)
    door.run("compress", write(table_of(0, 10), tmp_path / "a.arrow"), "-o", tmp_path / "f")
    parts = [write(table_of(100 * k, 100), tmp_path / f"{k}.arrow") for k in range(1, 7)]
    running = [subprocess.Popen([PROGRAM, "compress", "-q", str(path), "--append", "-o",
                                 str(tmp_path / "f")]) for path in parts]
    assert [one.wait(60) for one in running] == [0] * len(parts)
    assert sorted(read_folder(door, tmp_path / "f")["t"].cast(pa.int64()).to_pylist()) == \
        [*range(10), *range(100, 700)]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_lock_timeout(tmp_path: Path) -> None:
    import fcntl

    door = Door(PROGRAM)
    path = write(table_of(0, 10), tmp_path / "a.arrow")
    door.run("compress", path, "-o", tmp_path / "f")
    with (tmp_path / "f/manifest.json").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for arguments in (["--append"], ["-f"]):
            line = door.refused("compress", path, *arguments, "--lock-timeout", "0.1", "-q", "-o",
                                tmp_path / "f", code=FAILURE)
            assert "is being written by another process" in line
    door.run("compress", path, "-f", "-o", tmp_path / "f")
