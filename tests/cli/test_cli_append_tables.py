# SPDX-License-Identifier: Apache-2.0
"""``compress --append`` of tables to folders: all columns or none."""

from __future__ import annotations

import fcntl
import signal
import subprocess
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from cli_program import CORRUPT, FAILURE, ON_WINE, PROGRAM, USAGE
from folder import manifest_of
from programs import Tool, tool  # noqa: F401

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


def read_folder(tool: Tool, folder: Path) -> pa.Table:
    target = folder.parent / "back.arrow"
    tool.run("decompress", folder, "-f", "-o", target)
    return pa.ipc.open_file(target).read_all()


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_names_of_items_do_not_matter(tool: Tool, tmp_path: Path) -> None:
    """Arrow calls the items of lists "item", Parquet "element"."""
    lists = {
        "f4": pa.list_(pa.float32(), 2),
        "f8": pa.list_(pa.float64(), 2),
        "nested": pa.list_(pa.list_(pa.int32())),
        "text": pa.large_list(pa.string()),
    }
    rows = [[[1, 2], [3, 4]], [[1, 2], [3, 4]], [[[1]], []], [["a"], []]]
    columns = zip(rows, lists.values(), strict=True)
    made = pa.table([pa.array(*column) for column in columns], names=list(lists))
    parquet, arrow = tmp_path / "in.parquet", write(made, tmp_path / "in.arrow")
    pq.write_table(made, parquet)
    for first, then in ((parquet, arrow), (arrow, parquet)):
        folder = tmp_path / f"t{first.suffix}"
        tool.run("compress", "-q", first, "-o", folder)
        tool.run("compress", "-q", then, "--append", "-o", folder)
        assert read_folder(tool, folder).to_pylist() == made.to_pylist() * 2
        tool.run("verify", folder)
    other = pa.table({"x": pa.array([{"item": 1}])})
    tool.run("compress", "-q", write(other, tmp_path / "x.arrow"), "-o", tmp_path / "x")
    other = pa.table({"x": pa.array([{"element": 1}])})
    again = write(other, tmp_path / "y.arrow")
    why = tool.refused("compress", again, "--append", "-o", tmp_path / "x", code=FAILURE)
    assert "values of type struct<element: int64>, the folder has struct<item: int64>" in why


@pytest.mark.parametrize("nulls", [(False, True), (True, False)])
def test_append_adds_all_rows(tool: Tool, tmp_path: Path, nulls: tuple[bool, bool]) -> None:
    parts = [table_of(0, 3000, nulls[0]), table_of(3000, 70_000, nulls[1])]
    parts.append(parts[0].slice(0, 0))
    tool.run("compress", write(parts[0], tmp_path / "a.arrow"), "-o", tmp_path / "f",
             "--restart", "1K")
    for name, part in zip("bc", parts[1:], strict=True):
        ran = tool.run("compress", write(part, tmp_path / f"{name}.arrow"), "--append", "-o",
                       tmp_path / "f")
        said = f"{part.num_rows:,} rows appended to 4 columns"
        assert ran.err == f"numpact: {tmp_path / 'f'}: {said}\n"
    back = read_folder(tool, tmp_path / "f")
    expected = pa.concat_tables(parts)
    assert back["code"].cast(pa.string()).equals(expected["code"].cast(pa.string()))
    assert back.drop_columns(["code"]).equals(expected.drop_columns(["code"]))
    assert tool.run("verify", tmp_path / "f").text.count("trailer") >= 2
    (column,) = (one for one in manifest_of(tmp_path / "f")["columns"] if one["name"] == "t")
    assert "every 1024" in tool.run("inspect", tmp_path / "f" / column["file"]).text
    assert sorted(path.name for path in tmp_path.iterdir()) == \
        ["a.arrow", "b.arrow", "back.arrow", "c.arrow", "f"]


def test_mismatches_change_nothing(tool: Tool, tmp_path: Path) -> None:
    tool.run("compress", write(table_of(0, 10), tmp_path / "a.arrow"), "-o", tmp_path / "f")
    before = snapshot(tmp_path / "f")
    base = table_of(10, 10)

    def refused(table: pa.Table) -> str:
        line = tool.refused("compress", write(table, tmp_path / "x.arrow"), "--append", "-o",
                            tmp_path / "f", code=FAILURE)
        assert snapshot(tmp_path / "f") == before
        return line

    line = refused(base.drop_columns(["code"]))
    assert "columns are missing: ['code'] (schema 'extend' makes them null)" in line
    line = refused(base.append_column("more", [[1] * 10]))
    assert "the folder does not have the columns ['more'] (schema 'extend' adds them)" in line
    if tool.program != PROGRAM:
        return  # the rest does not depend on how tables are read, and the package starts slowly
    line = refused(base.set_column(2, "t", base["t"].cast(pa.timestamp("us", "UTC"))))
    assert "'t': values of type timestamp[us, UTC], the folder has timestamp[ms, UTC] (sch" in line
    line = refused(base.set_column(1, "i", base["i"].cast(pa.int32())))
    assert "column 'i': values of type i32, the folder has i64 (schema 'extend' conv" in line
    line = refused(base.set_column(0, "s", base["s"].cast(pa.binary())))
    assert "column 's': values of type binary, the folder has string" in line
    line = refused(base.set_column(0, "s", pa.array(range(10))))
    assert "column 's': values of type i64, the folder has string" in line


def test_columns_that_exclude_nulls_take_none(tool: Tool, tmp_path: Path) -> None:
    strict = pa.schema([pa.field("i", pa.int64(), False), pa.field("s", pa.string(), False)])
    tool.run("compress", write(pa.table([[1], ["x"]], schema=strict), tmp_path / "a.arrow"),
             "-o", tmp_path / "f")
    before = snapshot(tmp_path / "f")
    for table in (pa.table({"i": pa.array([None], pa.int64()), "s": ["y"]}),
                  pa.table({"i": [2], "s": pa.array([None], pa.string())})):
        line = tool.refused("compress", write(table, tmp_path / "x.arrow"), "--append", "-o",
                            tmp_path / "f", code=FAILURE)
        assert "has nulls, which the folder's column excludes" in line
        assert snapshot(tmp_path / "f") == before
    tool.run("compress", write(pa.table({"i": [2], "s": ["y"]}), tmp_path / "x.arrow"), "--append",
             "-o", tmp_path / "f")
    assert read_folder(tool, tmp_path / "f").equals(pa.table([[1, 2], ["x", "y"]], schema=strict))


def test_enums_of_polars_keep_their_categories(tool: Tool, tmp_path: Path) -> None:
    def enum(values: list[str], categories: str) -> pa.Table:
        type = pa.dictionary(pa.int32(), pa.large_string())
        field = pa.field("e", type, metadata={"_PL_ENUM_VALUES": categories})
        return pa.table([pa.array(values, type)], schema=pa.schema([field]))

    tool.run("compress", write(enum(["a", "b"], "1;a1;b"), tmp_path / "a.arrow"), "-o",
             tmp_path / "f")
    before = snapshot(tmp_path / "f")
    line = tool.refused("compress", write(enum(["z"], "1;z1;b"), tmp_path / "x.arrow"), "--append",
                        "-o", tmp_path / "f", code=FAILURE)
    assert "its values are of an Enum of polars with other categories" in line
    assert snapshot(tmp_path / "f") == before
    tool.run("compress", write(enum(["b"], "1;a1;b"), tmp_path / "x.arrow"), "--append", "-o",
             tmp_path / "f")
    assert read_folder(tool, tmp_path / "f")["e"].to_pylist() == ["a", "b", "b"]


def test_places(tool: Tool, tmp_path: Path) -> None:
    path = write(table_of(0, 10), tmp_path / "a.arrow")
    line = tool.refused("compress", path, "--append", "-o", tmp_path / "none", code=FAILURE)
    assert "No such file" in line
    (tmp_path / "x.pco").write_bytes(b"")
    line = tool.refused("compress", path, "--append", "-o", tmp_path / "x.pco", code=FAILURE)
    assert "is not a folder" in line
    tool.run("compress", path, "-o", tmp_path / "f")
    assert "--nulls" in tool.refused("compress", path, "--append", "--nulls", "drop", "-o",
                                     tmp_path / "f", code=USAGE)
    (tmp_path / "link").symlink_to("f")
    tool.run("compress", path, "--append", "-o", tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and read_folder(tool, tmp_path / "f").num_rows == 20
    files = {one["name"]: one["file"] for one in manifest_of(tmp_path / "f")["columns"]}
    (tmp_path / "f" / files["i"]).write_bytes((tmp_path / "f" / files["t"]).read_bytes())
    before = snapshot(tmp_path / "f")
    tool.refused("compress", path, "--append", "-o", tmp_path / "f", code=CORRUPT)
    assert snapshot(tmp_path / "f") == before


def test_csv_takes_the_types_of_the_folder(tool: Tool, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,name\n1.5,a\n2.5,b\n")
    (tmp_path / "b.csv").write_text("x,name\n3,c\n4,d\n")
    tool.run("compress", tmp_path / "a.csv", "-o", tmp_path / "f")
    tool.run("compress", tmp_path / "b.csv", "--append", "-o", tmp_path / "f")
    assert tool.run("decompress", tmp_path / "f").text == \
        "x,name\n1.5,a\n2.5,b\n3.0,c\n4.0,d\n"
    (tmp_path / "c.csv").write_text("x,name\n16777217.5,c\n1e400,d\n")
    tool.run("compress", tmp_path / "c.csv", "--append", "-o", tmp_path / "f", code=FAILURE)


def test_skipped_columns_stay_skipped(tool: Tool, tmp_path: Path) -> None:
    path = write(table_of(0, 10), tmp_path / "a.arrow")
    tool.run("compress", path, "-o", tmp_path / "f", "--others", "drop")
    tool.run("compress", path, "--append", "-o", tmp_path / "f", "--others", "drop")
    manifest = manifest_of(tmp_path / "f")
    assert [one["count"] for one in manifest["columns"]] == [14, 20]
    assert [one["name"] for one in manifest["skipped"]] == ["s", "code"]


def test_concurrent_appends_lose_nothing(tmp_path: Path) -> None:
    tool = Tool(PROGRAM)
    tool.run("compress", write(table_of(0, 10), tmp_path / "a.arrow"), "-o", tmp_path / "f")
    parts = [write(table_of(100 * k, 100), tmp_path / f"{k}.arrow") for k in range(1, 7)]
    running = [subprocess.Popen([PROGRAM, "compress", "-q", str(path), "--append", "-o",
                                 str(tmp_path / "f")]) for path in parts]
    assert [one.wait(60) for one in running] == [0] * len(parts)
    assert sorted(read_folder(tool, tmp_path / "f")["t"].cast(pa.int64()).to_pylist()) == \
        [*range(10), *range(100, 700)]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_lock_timeout(tmp_path: Path) -> None:
    tool = Tool(PROGRAM)
    path = write(table_of(0, 10), tmp_path / "a.arrow")
    tool.run("compress", path, "-o", tmp_path / "f")
    with (tmp_path / "f/manifest.json").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for arguments in (["--append"], ["-f"]):
            line = tool.refused("compress", path, *arguments, "--lock-timeout", "0.1", "-q", "-o",
                                tmp_path / "f", code=FAILURE)
            assert "is being written by another process" in line
    tool.run("compress", path, "-f", "-o", tmp_path / "f")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_the_wait_and_leave_nothing(tmp_path: Path, number: int) -> None:
    tool = Tool(PROGRAM)
    path = write(table_of(0, 10), tmp_path / "a.arrow")
    tool.run("compress", path, "-o", tmp_path / "f")
    before = snapshot(tmp_path / "f")
    with (tmp_path / "f/manifest.json").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        here = signal.signal(number, signal.SIG_DFL)
        running = [subprocess.Popen([PROGRAM, "compress", "-q", path, *more, "-o", tmp_path / "f"])
                   for more in (["--append"], ["-f"])]
        signal.signal(number, here)
        deadline = time.monotonic() + 300
        while not list(tmp_path.glob(".f*/*.pco")) and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.2)
        for process in running:
            assert process.poll() is None
            process.send_signal(number)
            assert process.wait(10) == -number
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.arrow", "f"]
    assert snapshot(tmp_path / "f") == before


def append_csv(tool: Tool, path: Path, text: str, *options: str) -> str:
    (path / "next.csv").write_text(text)
    return tool.run("compress", path / "next.csv", "--append", "-o", path / "f", *options).err


def refused_csv(tool: Tool, path: Path, text: str, *options: str) -> str:
    before = snapshot(path / "f")
    (path / "next.csv").write_text(text)
    line = tool.refused("compress", path / "next.csv", "--append", "-o", path / "f", *options,
                        code=FAILURE)
    assert snapshot(path / "f") == before
    return line


def test_concurrent_appends_of_text_lose_nothing(tmp_path: Path) -> None:
    tool = Tool(PROGRAM)
    (tmp_path / "0.csv").write_text("n\n0\n")
    tool.run("compress", tmp_path / "0.csv", "-o", tmp_path / "f")
    for k in range(1, 7):
        rows = "".join(f"{100 * k + i}\n" for i in range(100))
        (tmp_path / f"{k}.csv").write_text(f"n\n{rows}")
    running = [subprocess.Popen([PROGRAM, "compress", "-q", str(tmp_path / f"{k}.csv"), "--append",
                                 "-o", str(tmp_path / "f")], stderr=subprocess.PIPE)
               for k in range(1, 7)]
    assert [(one.communicate(timeout=600)[1], one.returncode) for one in running] == [(b"", 0)] * 6
    back = tool.run("decompress", tmp_path / "f", "--to", "csv").text.split()
    assert sorted(map(int, back[1:])) == [0, *range(100, 700)]
    assert sorted(path.name for path in tmp_path.iterdir()) == \
        [*(f"{k}.csv" for k in range(7)), "f"]


def test_readers_keep_the_files_that_an_append_replaces(tmp_path: Path) -> None:
    """Wine renames a folder whose files are open, but removes them only when they are closed."""
    tool = Tool(PROGRAM)
    rows = [str(i * i % 1_000_003) for i in range(200_000)]
    (tmp_path / "a.csv").write_text("\n".join(["n", *rows]))
    tool.run("compress", tmp_path / "a.csv", "-o", tmp_path / "f")
    with subprocess.Popen([PROGRAM, "decompress", str(tmp_path / "f"), "--to", "csv"],
                          stdout=subprocess.PIPE) as reader:
        shown = reader.stdout.read(1)  # it has the files open
        err = append_csv(tool, tmp_path, "n\n7\n")
        left = [path for path in tmp_path.iterdir() if path.name.startswith(".")]
        shown += reader.stdout.read()
    assert (reader.returncode, shown.decode().split()) == (0, ["n", *rows])
    said = [f"{tmp_path / 'f'}: 1 rows appended to 1 column"]
    if ON_WINE:
        kept = "Z:" + str(tmp_path).replace("/", "\\") + "/" + left[0].name
        said.insert(0, f"{tmp_path / 'f'}: other programs have the old files open; they stay in "
                       f"{kept}")
    assert sorted(err.splitlines()) == sorted(f"numpact: {line}" for line in said)
    assert len(left) == (1 if ON_WINE else 0)
    assert tool.run("decompress", tmp_path / "f", "--to", "csv").text.split() == ["n", *rows, "7"]


HEADER = "n,x,ok,day,at,zip,when\n"
NIGHT = HEADER + "1,0.5,true,2024-02-29,2024-02-29T12:00:00.250Z,01a,12:30\n"


def test_append_and_overwrite_leave_nothing_beside_the_folder(tool: Tool, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n,x\n1,0.5\n2,-1.25\n")
    tool.run("compress", tmp_path / "a.csv", "-o", tmp_path / "f")
    err = append_csv(tool, tmp_path, "n,x\n3,7.5\n4,9.75\n")
    assert err == f"numpact: {tmp_path / 'f'}: 2 rows appended to 2 columns\n"
    assert sorted(path.name for path in (tmp_path / "f").iterdir()) == sorted(
        ["manifest.json", *(one["file"] for one in manifest_of(tmp_path / "f")["columns"])])
    assert tool.run("decompress", tmp_path / "f", "--to", "csv").out.split() == [
        b"n,x", b"1,0.5", b"2,-1.25", b"3,7.5", b"4,9.75"]
    err = tool.run("compress", tmp_path / "a.csv", "-f", "-q", "-o", tmp_path / "f").err
    assert err == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "f", "next.csv"]


def test_csv_without_values_appends_nulls_of_the_folder(tool: Tool, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(NIGHT)
    tool.run("compress", tmp_path / "a.csv", "-o", tmp_path / "f")
    types = read_folder(tool, tmp_path / "f").schema
    assert "1 rows appended to 7 columns" in append_csv(tool, tmp_path, HEADER + ",,,,,,\n")
    assert "0 rows appended to 7 columns" in append_csv(tool, tmp_path, HEADER)
    append_csv(tool, tmp_path, NIGHT)
    back = read_folder(tool, tmp_path / "f")
    assert back.schema.equals(types)
    first, nulls, last = back.to_pylist()
    assert first == last and first["zip"] == "01a" and set(nulls.values()) == {None}


def test_csv_keeps_digits_of_text_as_they_are_written(tool: Tool, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("zip,n\n01a,1\n")
    tool.run("compress", tmp_path / "a.csv", "-o", tmp_path / "f")
    # Nothing is noted: the folder states that they are text.
    err = append_csv(tool, tmp_path, 'zip,n\n007,2\n+1.50,3\ntrue,4\n"",5\n2024-01-01,6\n,7\n')
    assert err == f"numpact: {tmp_path / 'f'}: 6 rows appended to 2 columns\n"
    back = read_folder(tool, tmp_path / "f")
    assert back["zip"].to_pylist() == ["01a", "007", "+1.50", "true", "", "2024-01-01", None]
    assert back["n"].to_pylist() == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("values, message", [
    ("n=x", "column 'n': line 2: 'x' is not of type i64; the folder has i64"),
    ("n=1.5", "column 'n': line 2: '1.5' does not fit i64; the folder has i64"),
    ("x=9007199254740993", "column 'x': line 2: '9007199254740993' has more digits than f64 keeps"),
    ("x=0.12345678901234567890", "has more digits than f64 keeps; the folder has f64"),
    ("x=1e400", "is out of the range of f64"),
    ("ok=1", "column 'ok': line 2: '1' is not of type bool; the folder has bool"),
    ("day=2024-02-29 12:00", "column 'day': line 2: '2024-02-29 12:00' is finer than date32"),
    ("day=5", "column 'day': line 2: '5' is not of type date32"),
    ("at=2024-02-29T12:00:00.2501Z", "is finer than timestamp[ms, UTC]"),
    ("at=2024-02-29T12:00:00", "line 2: '2024-02-29T12:00:00' has no time zone"),
    ("when=12:30:00.5", "line 2: '12:30:00.5' is finer than time32[s]"),
])
def test_csv_that_does_not_fit_the_folder(tmp_path: Path, values: str, message: str) -> None:
    tool = Tool(PROGRAM)
    (tmp_path / "a.csv").write_text(NIGHT)
    tool.run("compress", tmp_path / "a.csv", "-o", tmp_path / "f")
    name, _, value = values.partition("=")
    names = HEADER.strip().split(",")
    row = ",".join(value if other == name else "" for other in names)
    line = refused_csv(tool, tmp_path, HEADER + row + "\n")
    assert message in line and f"column '{name}'" in line


def test_csv_takes_coarser_texts_and_other_number_types(tmp_path: Path) -> None:
    tool = Tool(PROGRAM)
    table = pa.table({"f": pa.array([0.5], pa.float32()), "i": pa.array([1], pa.int16()),
                      "at": pa.array([0], pa.timestamp("us")), "day": pa.array([0], pa.date64()),
                      "in": pa.array([0], pa.timestamp("ms", "Europe/Berlin"))})
    tool.run("compress", write(table, tmp_path / "a.arrow"), "-o", tmp_path / "f")
    append_csv(tool, tmp_path, "f,i,at,day,in\n"
                               "0.1,-7,1970-01-02,1970-01-03,1970-01-01T01:00+01:00\n"
                               "3,8,1970-01-01 00:00:01,,1970-01-01T00:00:02Z\n")
    back = read_folder(tool, tmp_path / "f")
    assert back.schema.types == table.schema.types
    expected = {"f": pa.array([0.5, 0.1, 3], pa.float32()), "i": pa.array([1, -7, 8], pa.int16()),
              "at": pa.array([0, 86_400_000_000, 1_000_000], pa.timestamp("us")),
              "day": pa.array([0, 172_800_000, None], pa.int64()).cast(pa.date64()),
              "in": pa.array([0, 0, 2000], pa.timestamp("ms", "Europe/Berlin"))}
    assert back.equals(pa.table(expected))
    assert "does not fit i16" in refused_csv(tool, tmp_path, "f,i,at,day,in\n1,40000,,,\n")
    assert "has more digits than f32 keeps" in refused_csv(
        tool, tmp_path, "f,i,at,day,in\n0.123456789,1,,,\n")
    assert "rounded to f32" in append_csv(tool, tmp_path, "f,i,at,day,in\n0.123456789,1,,,\n",
                                          "--dtype", "f=f32")


def test_csv_and_other_columns_of_the_folder(tool: Tool, tmp_path: Path) -> None:
    table = pa.table({"code": pa.array(["a"]).dictionary_encode(),
                      "large": pa.array(["x"], pa.large_string()),
                      "price": pa.array([1], pa.decimal128(9, 2)),
                      "took": pa.array([5], pa.duration("s"))})
    tool.run("compress", write(table, tmp_path / "a.arrow"), "-o", tmp_path / "f")
    append_csv(tool, tmp_path, "code,large,price,took\n1,2,,\na,y,,\n")
    back = read_folder(tool, tmp_path / "f")
    assert back.schema.types == table.schema.types
    assert back["code"].to_pylist() == ["a", "1", "a"]
    assert back["large"].to_pylist() == ["x", "2", "y"]
    assert back["price"].null_count == back["took"].null_count == 2
    line = refused_csv(tool, tmp_path, "code,large,price,took\na,y,1.5,\n")
    assert "column 'price': line 2: '1.5' is not of type decimal128(9, 2)" in line
    line = refused_csv(tool, tmp_path, "code,large,price,took\na,y,,7\n")
    assert "column 'took': line 2: '7' is not of type duration[s]" in line


def test_text_that_was_left_out_stays_out_when_it_has_digits(tmp_path: Path) -> None:
    tool = Tool(PROGRAM)
    (tmp_path / "a.csv").write_text("zip,n\n01a,1\n")
    tool.run("compress", tmp_path / "a.csv", "-o", tmp_path / "f", "--others", "drop")
    err = append_csv(tool, tmp_path, "zip,n\n12,2\n", "--others", "drop")
    assert "column 'zip' is left out" in err
    assert read_folder(tool, tmp_path / "f").to_pydict() == {"n": [1, 2]}


def test_a_dictionary_outgrows_its_indices(tool: Tool, tmp_path: Path) -> None:
    type = pa.dictionary(pa.int8(), pa.string())
    days = [[f"{day}.{i}" for i in range(100)] for day in range(3)]
    for day, values in enumerate(days):
        path = write(pa.table({"c": pa.array(values).dictionary_encode().cast(type)}),
                     tmp_path / f"{day}.arrow")
        tool.run("compress", path, *(["--append"] if day else []), "-o", tmp_path / "f")
    column = read_folder(tool, tmp_path / "f")["c"]
    assert column.type == pa.dictionary(pa.int16(), pa.string())
    assert column.to_pylist() == sum(days, [])
    assert "indices=int16" in manifest_of(tmp_path / "f")["columns"][0]["text_type"]
    tool.run("verify", tmp_path / "f")


@pytest.mark.parametrize("others", [[], ["--others", "drop"]])
def test_columns_without_a_type_append_nulls(tool: Tool, tmp_path: Path, others: list[str]) -> None:
    table = table_of(0, 10)
    table = table.select(["i", "t"]) if others else table
    tool.run("compress", write(table, tmp_path / "a.arrow"), "-o", tmp_path / "f", *others)
    nulls = pa.table({name: pa.nulls(70_000) for name in table.column_names})
    tool.run("compress", write(nulls, tmp_path / "b.arrow"), "--append", "-o", tmp_path / "f",
             *others)
    back = read_folder(tool, tmp_path / "f")
    assert back.schema.equals(table.schema)
    assert back.slice(0, 10).to_pylist() == table.to_pylist()
    assert all(column.slice(10).null_count == 70_000 for column in back.columns)
    assert not [name for name in snapshot(tmp_path / "f") if name.endswith(".new")]
    tool.run("compress", write(table, tmp_path / "a.arrow"), "--append", "-o", tmp_path / "f",
             *others)
    assert read_folder(tool, tmp_path / "f").slice(70_010).to_pylist() == table.to_pylist()


def test_values_for_a_column_without_a_type(tmp_path: Path) -> None:
    tool = Tool(PROGRAM)
    tool.run("compress", write(pa.table({"n": pa.nulls(2)}), tmp_path / "a.arrow"), "-o",
             tmp_path / "f")
    line = tool.refused("compress", write(pa.table({"n": [1]}), tmp_path / "b.arrow"), "--append",
                        "-o", tmp_path / "f", code=FAILURE)
    assert "column 'n': values of type i64, the folder has null" in line
