# SPDX-License-Identifier: Apache-2.0
"""The command line on tables: Parquet, Arrow IPC, CSV, and folders of columns."""

from __future__ import annotations

import datetime as dt
import decimal
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest
from cli_program import CORRUPT, FAILURE, USAGE, any_bits, refused, run

pytestmark = pytest.mark.usefixtures("arrow")

ROWS = 1500


def whole_table() -> pa.Table:
    """A column of every type that can be stored."""
    columns = {name: pa.array(any_bits(name, ROWS))
               for name in ["u8", "i8", "u16", "i16", "f16", "u32", "i32", "f32", "u64", "i64",
                            "f64"]}
    ticks = np.arange(ROWS, dtype=np.int64) * 1_234_567 - 10**9
    columns["flag"] = pa.array(ticks % 3 == 0)
    columns["day"] = pa.array((ticks % 40_000).astype(np.int32), pa.date32())
    columns["day64"] = pa.array((ticks % 40_000) * 86_400_000, pa.date64())
    columns["clock"] = pa.array((ticks % 86_400).astype(np.int32), pa.time32("s"))
    columns["clock_ms"] = pa.array((ticks % 86_400_000).astype(np.int32), pa.time32("ms"))
    columns["clock_us"] = pa.array(ticks % 86_400_000_000, pa.time64("us"))
    columns["clock_ns"] = pa.array(ticks % 86_400_000_000_000, pa.time64("ns"))
    for unit in ["s", "ms", "us", "ns"]:
        columns[f"at {unit}"] = pa.array(ticks, pa.timestamp(unit))
        columns[f"zoned/{unit}"] = pa.array(ticks, pa.timestamp(unit, "Europe/Paris"))
        columns[f"for_{unit}"] = pa.array(ticks, pa.duration(unit))
    return pa.table(columns)


def write(table: pa.Table, path: Path) -> Path:
    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path, row_group_size=400)
    elif path.suffix == ".arrow":
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=400)
    elif path.suffix == ".feather":
        pa.feather.write_feather(table, path, compression="zstd", chunksize=400)
    elif path.suffix == ".arrows":
        with pa.ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=400)
    else:
        pa.csv.write_csv(table, path)
    return path


def read(path: Path) -> pa.Table:
    if path.suffix == ".parquet":
        return pa.parquet.read_table(path)
    if path.suffix == ".arrow":
        return pa.ipc.open_file(path).read_all()
    if path.suffix == ".arrows":
        return pa.ipc.open_stream(path).read_all()
    return pa.csv.read_csv(path)


def same_bits(got: pa.ChunkedArray, expected: pa.ChunkedArray) -> bool:
    def raw(array: pa.ChunkedArray) -> bytes:
        if pa.types.is_boolean(array.type):
            return array.to_numpy().tobytes()
        storage = {8: pa.uint8, 16: pa.uint16, 32: pa.uint32, 64: pa.uint64}[array.type.bit_width]
        return b"".join(chunk.view(storage()).to_numpy().tobytes() for chunk in array.chunks)
    return raw(got) == raw(expected)


@pytest.mark.parametrize("source", ["t.parquet", "t.arrow", "t.feather", "t.arrows"])
def test_folder_round_trip(tmp_path: Path, source: str) -> None:
    table = whole_table()
    path = write(table, tmp_path / source)
    table = pa.parquet.read_table(path) if source == "t.parquet" else table
    run("compress", path, "-o", tmp_path / "folder")
    assert all("/" not in name for name in table.column_names if name.startswith("f"))
    for target in ["back.arrow", "back.arrows", "back.parquet"]:
        run("decompress", tmp_path / "folder", "-o", tmp_path / target)
        back = read(tmp_path / target)
        assert back.column_names == table.column_names
        for name in table.column_names:
            expected = table.schema.field(name).type
            if target == "back.parquet" and expected in (pa.timestamp("s"), pa.date64(),
                                                       pa.timestamp("s", "Europe/Paris"),
                                                       pa.time32("s")):
                assert back[name].cast(expected).equals(table[name]), name
                continue
            assert back.schema.field(name).type == expected, name
            assert same_bits(back[name], table[name]), name
    listing = run("inspect", tmp_path / "folder").text
    assert "timestamp[ms, Europe/Paris]" in listing
    contents = json.loads(run("inspect", tmp_path / "folder", "--json").text)
    assert [column["contents"]["count"] for column in contents["columns"]] == \
        [ROWS] * table.num_columns
    assert run("verify", tmp_path / "folder").text.count("OK") == table.num_columns


def test_manifest(tmp_path: Path) -> None:
    table = pa.table({
        "when": pa.array([1, 2], pa.timestamp("us", "UTC")),
        "name": ["a", "b"],
        "price": pa.array([decimal.Decimal("1.5")] * 2, pa.decimal128(20, 1)),
        "x": pa.array([1.5, 2.5], pa.float32()),
    })
    run_ = run("compress", write(table, tmp_path / "t.parquet"), "--others", "drop")
    assert "column 'name' is left out" in run_.err and "column 'price' is left out" in run_.err
    manifest = json.loads((tmp_path / "t.parquet.pco" / "manifest.json").read_text())
    assert manifest["version"] == 2
    assert manifest["columns"] == [
        {"name": "when", "file": "when.pco", "logical_type": "timestamp", "unit": "us",
         "timezone": "UTC", "number_type": "i64", "count": 2},
        {"name": "x", "file": "x.pco", "logical_type": "number", "number_type": "f32", "count": 2},
    ]
    assert manifest["skipped"] == [
        {"name": "name", "type": "string",
         "reason": "values of type string cannot be compressed"},
        {"name": "price", "type": "decimal128(20, 1)",
         "reason": "values of type decimal128(20, 1) cannot be compressed"},
    ]
    line = refused("compress", tmp_path / "t.parquet", "--column", "name", code=FAILURE)
    assert line == f"{tmp_path / 't.parquet'}: column 'name': values of type string cannot be " \
        "compressed"


def test_odd_column_names(tmp_path: Path) -> None:
    names = ["../up", "", "a/b", "a b", "A B", "é", "x" * 300, ".", "..", "a\nb", "con\0", '"q",']
    table = pa.table([pa.array([i]) for i in range(len(names))], names=names)
    run("compress", write(table, tmp_path / "t.arrow"), "-o", tmp_path / "f")
    assert run("decompress", tmp_path / "f", "--column", "é").text == "5\n"
    assert run("decompress", tmp_path / "f", "--column", "../up").text == "0\n"
    run("decompress", tmp_path / "f", "-o", tmp_path / "b.arrow")
    assert read(tmp_path / "b.arrow").equals(table)
    run("decompress", tmp_path / "f", "-o", tmp_path / "b.csv")
    assert pa.csv.read_csv(tmp_path / "b.csv",
                           parse_options=pa.csv.ParseOptions(newlines_in_values=True)
                           ).column_names == names
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.arrow", "b.csv", "f", "t.arrow"]


def test_duplicate_names(tmp_path: Path) -> None:
    table = pa.table([pa.array([1, 2]), pa.array([0.5, 1.5])], names=["a", "a"])
    for source in ["t.arrow", "t.csv"]:
        path = write(table, tmp_path / source)
        assert "2 columns are named 'a'" in refused("compress", path, "--column", "a", code=USAGE)
        run("compress", path, "--column", "1", "-o", tmp_path / "c.pco", "-f")
        assert run("decompress", tmp_path / "c.pco").text == "0.5\n1.5\n"
        run("compress", path, "-o", tmp_path / "f", "-f")
        assert run("decompress", tmp_path / "f").text == "a,a\n1,0.5\n2,1.5\n"


@pytest.mark.parametrize("source", ["t.parquet", "t.arrow", "t.arrows", "t.csv"])
def test_one_column(tmp_path: Path, source: str) -> None:
    table = pa.table({"a": pa.array([3, 1, 2]), "b": pa.array([0.5, 1.5, 2.5]), "2": [7, 8, 9]})
    path = write(table, tmp_path / source)
    run("compress", path, "--column", "b")
    assert run("decompress", tmp_path / f"{source}.b.pco").text == "0.5\n1.5\n2.5\n"
    for column, expected in [("0", "3\n1\n2\n"), ("2", "7\n8\n9\n")]:  # a name goes before an index
        packed = run("compress", path, "--column", column, "-o", "-").out
        assert run("decompress", "-", stdin=packed).text == expected
    piped = run("compress", "-", "--from", path.suffix[1:], "--column", "a",
                stdin=path.read_bytes())
    assert run("decompress", "-", stdin=piped.out).text == "3\n1\n2\n"
    line = refused("compress", path, "--column", "zz", code=USAGE)
    assert line == f"{path}: no column 'zz'; there are 'a', 'b', '2'"


def test_formats_are_known_by_their_marks(tmp_path: Path) -> None:
    table = pa.table({"a": pa.array([3, 1, 2])})
    for source in ["t.parquet", "t.arrow", "t.arrows"]:
        data = write(table, tmp_path / source).read_bytes()
        packed = run("compress", "-", "--column", "a", stdin=data).out
        assert run("decompress", "-", stdin=packed).text == "3\n1\n2\n"


@pytest.mark.parametrize("source", ["t.parquet", "t.arrow", "t.arrows", "t.csv"])
def test_nulls(tmp_path: Path, source: str) -> None:
    values = [None if i % 3 == 0 else i for i in range(ROWS)]
    table = pa.table({"full": range(ROWS), "holes": values,
                      "flags": [None if i % 5 == 0 else i % 2 == 0 for i in range(ROWS)]})
    path = write(table, tmp_path / source)
    first = "on line 2" if source == "t.csv" else "in row 0"
    for arguments in [["--column", "holes"], ["--nulls", "error"]]:
        line = refused("compress", path, *arguments, "-o", tmp_path / "out", code=FAILURE)
        assert line == f"{path}: column 'holes': 500 nulls, the first {first} (a folder keeps " \
            "them: -o FOLDER; --nulls drop leaves them out)"
        assert [entry.name for entry in tmp_path.iterdir()] == [source]
    run("compress", path, "-o", tmp_path / "kept")
    run("decompress", tmp_path / "kept", "-o", tmp_path / "kept.arrow")
    assert read(tmp_path / "kept.arrow").to_pydict() == table.to_pydict()
    ran = run("compress", path, "--nulls", "drop", "-o", tmp_path / "out")
    assert "column 'holes': 500 nulls left out" in ran.err
    expected = "".join(f"{value}\n" for value in values if value is not None)
    assert run("decompress", tmp_path / "out", "--column", "holes").text == expected
    flags = run("decompress", tmp_path / "out", "--column", "flags", "--to", "csv").text
    assert flags.splitlines()[1:3] == ["false", "true"] and flags.count("\n") == 1201
    assert "columns differ in length" in refused("decompress", tmp_path / "out", code=FAILURE)


def test_rows_without_nulls_are_not_mixed(tmp_path: Path) -> None:
    """As many nulls in each column leave equal lengths, but other rows."""
    path = write(pa.table({"a": [1, None, 3], "b": [None, 5, 6]}), tmp_path / "t.arrow")
    run("compress", path, "-o", tmp_path / "kept")
    line = refused("decompress", tmp_path / "kept", "--nulls", "drop", code=FAILURE)
    assert "nulls were left out" in line
    assert run("decompress", tmp_path / "kept", "--nulls", "drop", "--column", "b").text == "5\n6\n"
    run("compress", path, "--nulls", "drop", "-o", tmp_path / "dropped")
    assert "nulls were left out" in refused("decompress", tmp_path / "dropped", code=FAILURE)


def test_csv_types(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("i,f,b,d,t,s\n1,nan,true,2020-02-29,2020-01-01 10:00:00,x\n"
                    "-2,2.5,false,1969-12-31,2020-01-01 10:00:01,y\n")
    run("compress", path, "--others", "drop", "-o", tmp_path / "f")
    assert run("decompress", tmp_path / "f").text == (
        "i,f,b,d,t\n1,nan,true,2020-02-29,2020-01-01 10:00:00\n"
        "-2,2.5,false,1969-12-31,2020-01-01 10:00:01\n")
    run("compress", path, "--column", "i", "--dtype", "i8", "-o", tmp_path / "i.pco")
    assert json.loads(run("inspect", tmp_path / "i.pco", "--json").text)["number_type"] == "i8"
    run("compress", path, "-f", "--others", "drop", "-o", tmp_path / "f", "--dtype", "f16")
    assert run("decompress", tmp_path / "f").text.splitlines()[1] == \
        "1.0,nan,true,2020-02-29,2020-01-01 10:00:00"
    assert "column 'i': line 3: '-2' does not fit u8" in refused("compress", path, "--column", "i",
                                                          "--dtype", "u8", code=FAILURE)


def test_csv_forms(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("a\tb\n1\t2\n3\t4\n")
    run("compress", tmp_path / "t.tsv", "-o", tmp_path / "f")
    run("decompress", tmp_path / "f", "-o", tmp_path / "b.tsv")
    assert (tmp_path / "b.tsv").read_text() == "a\tb\n1\t2\n3\t4\n"
    (tmp_path / "n.csv").write_text("1,2\n3,4\n")
    packed = run("compress", tmp_path / "n.csv", "--no-header", "--column", "1", "-o", "-").out
    assert run("decompress", "-", stdin=packed).text == "2\n4\n"


def test_csv_of_dates_and_times(tmp_path: Path) -> None:
    stamps = [0, 1, -1, 951_782_400_123_456, -62_135_596_800_000_000, 253_402_300_799_999_999]
    table = pa.table({
        "us": pa.array(stamps, pa.timestamp("us")),
        "utc": pa.array(stamps, pa.timestamp("us", "UTC")),
        "day": pa.array([stamp // 86_400_000_000 for stamp in stamps], pa.date32()),
        "clock": pa.array([dt.time(1, 2, 3, 4)] * len(stamps), pa.time64("us")),
    })
    run("compress", write(table, tmp_path / "t.arrow"), "-o", tmp_path / "f")
    rows = run("decompress", tmp_path / "f").text.splitlines()[1:]
    for row, stamp, day in zip(rows, table["us"].to_pylist(), table["day"].to_pylist()):
        text = stamp.strftime("%H:%M:%S.%f")
        assert row == f"{day.isoformat()} {text},{day.isoformat()} {text}Z," \
            f"{day.isoformat()},01:02:03.000004"


@pytest.mark.parametrize("name", ["../secret.pco", "/etc/passwd", "a/../b.pco", "", ".", "..",
                                  "a\\b.pco", "sub/a.pco"])
def test_manifest_that_leads_out(tmp_path: Path, name: str) -> None:
    np.save(tmp_path / "a.npy", np.arange(3))
    run("compress", tmp_path / "a.npy", "-o", tmp_path / "secret.pco")
    folder = tmp_path / "f"
    folder.mkdir()
    column = {"name": "a", "file": name, "logical_type": "number", "number_type": "i64", "count": 3}
    (folder / "manifest.json").write_text(json.dumps(
        {"format": "numpact-table", "version": 1, "columns": [column], "skipped": []}))
    for command in ["decompress", "verify", "inspect"]:
        assert "leads out of the folder" in refused(command, folder, code=CORRUPT)


def test_damaged_folder(tmp_path: Path) -> None:
    folder = tmp_path / "f"
    run("compress", write(pa.table({"a": [1, 2, 3], "b": [4, 5, 6]}), tmp_path / "t.arrow"),
        "-o", folder)
    text = (folder / "manifest.json").read_text()
    for old, new in [('"version": 2', '"version": 6'), ('"version": 2', '"version": 0'),
                     ("{", "["), ('"i64"', '"i65"'),
                     ('"count": 3', '"count": -3'), ('"number"', '"date32"'), ("numpact-table", ""),
                     ('"count": 3', '"count": 4'), ('"i64"', '"u64"'), ('"file"', '"fail"')]:
        (folder / "manifest.json").write_text(text.replace(old, new))
        refused("decompress", folder, code=CORRUPT)
        refused_lines = run("verify", folder, code=CORRUPT).err
        assert refused_lines.startswith(f"numpact: {folder}/")
    (folder / "manifest.json").write_text(text)
    (folder / "b.pco").unlink()
    assert "No such file" in refused("decompress", folder, code=FAILURE)
    (folder / "manifest.json").unlink()
    assert "manifest.json" in refused("decompress", folder, code=FAILURE)


def test_damaged_tables(tmp_path: Path) -> None:
    table = pa.table({"a": range(5000), "b": np.random.default_rng(1).normal(size=5000)})
    for source in ["t.parquet", "t.arrow", "t.arrows"]:
        data = write(table, tmp_path / source).read_bytes()
        for cut in [len(data) // 2, 20]:
            (tmp_path / source).write_bytes(data[:cut])
            refused("compress", tmp_path / source, "-o", tmp_path / "f", code=CORRUPT)
        for at in range(0, len(data), len(data) // 16):
            broken = bytearray(data)
            broken[at] ^= 0x55
            (tmp_path / source).write_bytes(broken)
            ran = run("compress", tmp_path / source, "-o", tmp_path / "g", "-f", "-q", code=None)
            assert ran.code in (0, FAILURE, CORRUPT)
    (tmp_path / "empty.csv").write_bytes(b"")
    refused("compress", tmp_path / "empty.csv", "-o", tmp_path / "h", code=CORRUPT)


def test_overwriting_folders(tmp_path: Path) -> None:
    path = write(pa.table({"a": [1]}), tmp_path / "t.arrow")
    run("compress", path, "-o", tmp_path / "f")
    assert "exists already" in refused("compress", path, "-o", tmp_path / "f", code=FAILURE)
    path = write(pa.table({"b": [2]}), tmp_path / "t.arrow")
    run("compress", path, "-o", f"{tmp_path / 'f'}/", "-f")
    assert sorted(file.name for file in (tmp_path / "f").iterdir()) == ["b.pco", "manifest.json"]
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("years of work")
    assert "not a folder of numpact" in refused("compress", path, "-o", other, "-f", code=FAILURE)
    assert (other / "thesis.txt").exists()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["f", "other", "t.arrow"]


def test_tables_need_a_folder_or_a_column(tmp_path: Path) -> None:
    path = write(pa.table({"a": [1], "s": ["x"]}), tmp_path / "t.arrow")
    assert "--column" in refused("compress", path, "-o", "-", code=USAGE)
    assert "--column" in refused("compress", "-", stdin=path.read_bytes(), code=USAGE)
    assert "No such file" in refused("compress", path, "--append", "-o", tmp_path / "f",
                                     code=FAILURE)
    run("compress", path, "-o", tmp_path / "f")
    for target in ["x.npy", "x.raw"]:
        ran = run("decompress", tmp_path / "f", "-q", "-o", tmp_path / target)
        assert "column 's' is left out" in ran.err
    only_text = write(pa.table({"s": ["x"]}), tmp_path / "s.arrow")
    ran = run("compress", only_text, "--others", "drop", "-o", tmp_path / "g",
              code=FAILURE)
    assert "no column can be compressed" in ran.err
    two = write(pa.table({"a": [1], "b": [2]}), tmp_path / "two.arrow")
    run("compress", two, "-o", tmp_path / "g")
    assert "one column" in refused("decompress", tmp_path / "g", "--to", "text", code=USAGE)
    assert "one column" in refused("decompress", tmp_path / "g", "--to", "npy", code=USAGE)


def test_modes_are_checked_before_writing(tmp_path: Path) -> None:
    path = write(pa.table({"a": [1], "x": [0.5]}), tmp_path / "t.arrow")
    line = refused("compress", path, "--mode", "int-mult=3", code=USAGE)
    assert line.startswith(f"{path}: column 'x': invalid argument")
    assert [file.name for file in tmp_path.iterdir()] == ["t.arrow"]


def test_single_files_become_tables(tmp_path: Path) -> None:
    np.save(tmp_path / "price.npy", np.array([1.5, 2.5], np.float32))
    run("compress", tmp_path / "price.npy")
    for target in ["a.parquet", "a.csv", "a.arrow", "a.arrows"]:
        run("decompress", tmp_path / "price.npy.pco", "-o", tmp_path / target)
        back = read(tmp_path / target)
        assert back.column_names == ["price"] and back["price"].to_pylist() == [1.5, 2.5]


def test_bench_goes_on_after_nulls(tmp_path: Path) -> None:
    path = write(pa.table({"a": [1, None], "b": [1, 2], "s": ["x", "y"]}), tmp_path / "t.parquet")
    ran = run("bench", path, "--rounds", 1, "--nulls", "error", code=FAILURE)
    assert "column 'a': 1 null, the first in row 1 " in ran.err
    assert ran.text.splitlines()[2].startswith("b ")
    ran = run("bench", path, "--rounds", 1)
    assert "column 'a': 1 nulls left out" in ran.err and "column 's' is left out" in ran.err
    assert [line.split()[0] for line in ran.text.splitlines()[2:4]] == ["a", "b"]
