# SPDX-License-Identifier: Apache-2.0
"""Types of Parquet and Arrow files at their edges: INT96, extension types, dictionaries, units."""

from __future__ import annotations

import datetime as dt
import decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest
from cli_program import CORRUPT, FAILURE, PROGRAM, USAGE
from folder import entries_of, manifest_of
from programs import Tool, tool  # noqa: F401
from table_files import Celsius, is_numeric, read

pytestmark = pytest.mark.usefixtures("arrow")

JULIAN_1970 = 2_440_588


def write(table: pa.Table, path: Path) -> Path:
    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    return path


def there(tool: Tool, path: Path) -> Path:  # noqa: F811
    folder = path.with_suffix(".folder")
    tool.run("compress", path, "-f", "-o", folder)
    return folder


def and_back(tool: Tool, folder: Path, ending: str) -> pa.Table:  # noqa: F811
    back = folder.with_name(f"back{ending}")
    tool.run("decompress", folder, "-f", "-o", back)
    return read(back)


def there_and_back(tool: Tool, path: Path, ending: str = ".arrow") -> pa.Table:  # noqa: F811
    return and_back(tool, there(tool, path), ending)


# ---- INT96 ----

def int96(days: int, nanos: int) -> bytes:
    return nanos.to_bytes(8, "little") + (JULIAN_1970 + days).to_bytes(4, "little")


def int96_file(path: Path, moments: list[tuple[int, int] | None]) -> Path:
    """Days since 1970 and nanoseconds of the day, as Parquet's old timestamps of 96 bits.

    pyarrow writes what 64 bits hold; the bytes of the values are put in afterwards.
    """
    stand_in = [None if moment is None else i * 1000 + 7 for i, moment in enumerate(moments)]
    table = pa.table({"s": pa.array([{"x": 1, "y": 2}] * len(moments)),
                      "t": pa.array(stand_in, pa.timestamp("ns")),
                      "k": list(range(len(moments)))})
    pa.parquet.write_table(table, path, use_deprecated_int96_timestamps=True, compression="none",
                           use_dictionary=False, write_statistics=False)
    data = path.read_bytes()
    for value, moment in zip(stand_in, moments, strict=True):
        if moment is not None:
            assert data.count(int96(0, value)) == 1
            data = data.replace(int96(0, value), int96(*moment))
    path.write_bytes(data)
    return path


@pytest.mark.wheel_takes(4)
@pytest.mark.parametrize("moments, unit", [
    ([(0, 0), None, (-1, 86_399_999_999_999)], "ns"),
    ([(19_000, 123_456_789), (-106_751, 0), (106_751, 1)], "ns"),
    ([(19_000, 123_456_000), (-135_140, 0), None], "us"),
    ([(2_932_896, 86_399_999_999_000), (-719_162, 0)], "us"),
    ([(106_751, 85_636_854_775_807)], "ns"),
    ([(-106_752, 763_145_224_192)], "ns"),
    ([(-106_752, 763_145_224_000)], "us"),
])
def test_int96_that_a_unit_holds(tmp_path: Path, tool: Tool, moments: list,  # noqa: F811
                                 unit: str) -> None:
    path = int96_file(tmp_path / "t.parquet", moments)
    back = there_and_back(tool, path)
    assert back.schema.field("t").type == pa.timestamp(unit)
    per_unit = {"ns": 1, "us": 1000}[unit]
    expected = [None if m is None else (m[0] * 86_400 * 10**9 + m[1]) // per_unit for m in moments]
    assert back["t"].cast(pa.int64()).to_pylist() == expected
    assert back["k"].to_pylist() == list(range(len(moments)))


@pytest.mark.wheel_takes(3)
@pytest.mark.parametrize("moments, says", [
    ([(0, 0), None, (2_932_896, 1)], "row 2"),
    ([(200_000, 0), (0, 1)], "row 0"),
    ([(-106_752, 763_145_224_191)], "row 0"),
    ([(106_751, 85_636_854_775_808)], "row 0"),
])
def test_int96_that_no_unit_holds(tmp_path: Path, tool: Tool, moments: list,  # noqa: F811
                                  says: str) -> None:
    path = int96_file(tmp_path / "t.parquet", moments)
    for arguments in [["compress", path, "--column", "t", "--nulls", "drop", "-o", "-"],
                      ["compress", path, "-o", tmp_path / "no"]]:
        ran = tool.run(*arguments, code=FAILURE)
        line = ran.err.splitlines()[-1]
        assert "column 't'" in line and says in line and "INT96" in line and ran.out == b""
    assert not (tmp_path / "no").exists()
    row = int(says[4:])
    day = dt.date(1970, 1, 1) + dt.timedelta(moments[row][0])
    assert day.isoformat() in line


def test_other_columns_than_int96(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    """A column whose name is the path of an INT96 within a structure is not taken for one."""
    times = pa.array([1, 2], pa.timestamp("ns"))
    table = pa.table({"a": pa.StructArray.from_arrays([times], names=["b"]),
                      "a.b": pa.array([2**62, 5], pa.timestamp("us"))})
    path = tmp_path / "t.parquet"
    writer_schema = pa.schema([table.schema.field(0), pa.field("a.b", pa.int64())])
    plain = pa.table([table["a"], table["a.b"].cast(pa.int64())], schema=writer_schema)
    pa.parquet.write_table(plain, path, use_deprecated_int96_timestamps=True)
    assert there_and_back(tool, path)["a.b"].to_pylist() == [2**62, 5]


# ---- extension types ----

EXTENSIONS = [
    pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0, None], pa.int8())),
    pa.ExtensionArray.from_storage(pa.opaque(pa.int64(), "money", "bank"), pa.array([1, None, 3])),
    pa.ExtensionArray.from_storage(Celsius(), pa.array([1.5, None, -2.5], pa.float32())),
    pa.ExtensionArray.from_storage(Celsius(pa.timestamp("ms", "UTC"), b"\xff\0zone"),
                                   pa.array([1, None, 3], pa.timestamp("ms", "UTC"))),
]


@pytest.mark.wheel_takes(2)
@pytest.mark.parametrize("source", ["t.parquet", "t.arrow"])
def test_extension_types_are_kept(tmp_path: Path, tool: Tool, source: str) -> None:  # noqa: F811
    table = pa.table({f"c{i}": array for i, array in enumerate(EXTENSIONS)})
    path = write(table, tmp_path / source)
    table = read(path)
    folder = there(tool, path)
    for ending in [".arrow", ".parquet"]:
        back = and_back(tool, folder, ending)
        assert back.schema.types == table.schema.types and back.equals(table)
    names = [dict(map(tuple, one["metadata"])).get("ARROW:extension:name")
             for one in manifest_of(tmp_path / "t.folder")["columns"]]
    assert names == ["arrow.bool8", "arrow.opaque", "test.celsius", "test.celsius"]
    ran = tool.run("compress", path, "--column", "c2", "--nulls", "drop", "-o", tmp_path / "c.pco")
    assert "column 'c2': the extension type test.celsius is not kept" in ran.err


def test_registered_extension_types_come_back(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    """As one knows them whose Arrow has the type."""
    pa.register_extension_type(Celsius())
    try:
        table = pa.table({"c": EXTENSIONS[2], "d": EXTENSIONS[3]})
        for source in ["t.parquet", "t.arrow"]:
            back = there_and_back(tool, write(table, tmp_path / source))
            assert isinstance(back.schema.field("c").type, Celsius) and back.equals(table)
    finally:
        pa.unregister_extension_type("test.celsius")


def test_periods_of_pandas(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    """pandas writes periods as an extension of int64, with the frequency in the parameters."""
    metadata = {b"ARROW:extension:name": b"pandas.period",
                b"ARROW:extension:metadata": b'{"freq": "M"}'}
    schema = pa.schema([pa.field("p", pa.int64(), metadata=metadata)])
    table = pa.Table.from_arrays([pa.array([600, None, 602])], schema=schema)
    for source in ["t.parquet", "t.arrow"]:
        back = there_and_back(tool, write(table, tmp_path / source))
        assert dict(back.schema.field("p").metadata or metadata) | metadata == \
            dict(back.schema.field("p").metadata or metadata)
        stored = back["p"].combine_chunks()
        stored = stored.storage if isinstance(stored, pa.ExtensionArray) else stored
        assert stored.to_pylist() == [600, None, 602]


# ---- what Parquet cannot hold ----

@pytest.mark.wheel_takes(4)
@pytest.mark.parametrize("column, row, says", [
    (pa.array([0, 2**63 - 1], pa.timestamp("s")), 1, "milliseconds"),
    (pa.array([-(2**63) // 1000 - 1], pa.timestamp("s", "UTC")), 0, "milliseconds"),
    (pa.array([None, 0, 86_400_001], pa.date64()), 2, "whole day"),
    (pa.array([1], pa.date64()), 0, "whole day"),
    (pa.array([0, 2**31 - 1], pa.time32("s")), 1, "milliseconds"),
])
def test_what_parquet_cannot_hold(tmp_path: Path, tool: Tool, column: pa.Array,  # noqa: F811
                                  row: int, says: str) -> None:
    table = pa.table({"k": list(range(len(column))), "x": column})
    path = write(table, tmp_path / "t.arrow")
    assert there_and_back(tool, path).equals(table)
    line = tool.refused("decompress", tmp_path / "t.folder", "-o", tmp_path / "no.parquet")
    assert "column 'x'" in line and f"row {row}:" in line and says in line
    assert not (tmp_path / "no.parquet").exists()


def test_what_parquet_converts(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    bound = (2**63 - 1) // 1000
    table = pa.table({"s": pa.array([-bound, bound, None], pa.timestamp("s")),
                      "d": pa.array([0, -86_400_000, None], pa.date64()),
                      "t": pa.array([0, 86_399, None], pa.time32("s"))})
    back = there_and_back(tool, write(table, tmp_path / "t.arrow"), ".parquet")
    for name in table.column_names:
        assert back[name].cast(table.schema.field(name).type).equals(table[name]), name


# ---- values that point outside of their arrays ----

TEXTS = pa.array(["abc", "de", "f"])
LISTS = pa.array([[1, 2], [3, 4], [5, 6]], pa.list_(pa.int32()))
CODED = pa.DictionaryArray.from_arrays(pa.array([7, 7, 5], pa.int32()), pa.array(list("abcdefgh")))
VIEWS = pa.array(["a view of more than 12 bytes"], pa.string_view())


@pytest.mark.wheel_takes(2)
@pytest.mark.parametrize("array, numbers, damaged", [
    (TEXTS, [0, 3, 5, 6], [0, 5, 3, 6]),
    (TEXTS, [0, 3, 5, 6], [0, 3, 1 << 30, 6]),
    (TEXTS, [0x64636261], [0x64ff6261]),
    (LISTS, [0, 2, 4, 6], [-2, 0, 2, 4]),
    (LISTS, [0, 2, 4, 6], [8, 10, 12, 14]),
    (CODED, [7, 7, 5], [7, 8, 5]),
    (CODED, [7, 7, 5], [7, -1, 5]),
    (VIEWS, [28, 0x69762061, 0, 0], [28, 0x69762061, 9, 0]),
    (VIEWS, [28, 0x69762061, 0, 0], [28, 0x69762061, 0, 1 << 20]),
])  # fmt: skip
def test_values_outside_of_an_array(tmp_path: Path, tool: Tool, array: pa.Array,  # noqa: F811
                                    numbers: list[int], damaged: list[int]) -> None:
    path = write(pa.table({"c": array}), tmp_path / "t.arrow")
    content = path.read_bytes()
    before, after = (b"".join(n.to_bytes(4, "little", signed=n < 0) for n in one)
                     for one in (numbers, damaged))  # fmt: skip
    assert content.count(before) == 1
    path.write_bytes(content.replace(before, after))
    command = ["cvc", "pack"] if array is LISTS else ["compress"]
    said = tool.refused(*command, path, "-o", tmp_path / "out", code=CORRUPT)
    assert "column 'c'" in said


# ---- columns that are left out ----

OTHERS = {
    "text": pa.array(["a", None]), "words": pa.array(["a", "b"]).dictionary_encode(),
    "codes": pa.array([5, 5]).dictionary_encode(), "nothing": pa.nulls(2),
    "price": pa.array([decimal.Decimal("1.5")] * 2, pa.decimal128(20, 1)),
    "pairs": pa.array([{"x": 1, "y.z": "a"}] * 2),
    "rows": pa.array([[1], []]), "four": pa.array([[1.0], [2.0]], pa.list_(pa.float32(), 1)),
    "map": pa.array([[("a", 1)], []], pa.map_(pa.string(), pa.int64())),
    "deep": pa.array([[{"p": [{"q": 1}]}], None]), "raw": pa.array([b"", b"x"]),
}


@pytest.mark.wheel_takes(2)
@pytest.mark.parametrize("source", ["t.parquet", "t.arrow"])
def test_left_out_by_name_and_reason(tmp_path: Path, tool: Tool, source: str) -> None:  # noqa: F811
    path = write(pa.table({**OTHERS, "k": [1, 2]}), tmp_path / source)
    table = read(path)  # Parquet's dictionaries of numbers are numbers
    ran = tool.run("compress", path, "--others", "drop", "-o", tmp_path / "f")
    skipped = {one["name"]: one for one in manifest_of(tmp_path / "f")["skipped"]}
    assert list(skipped) == [name for name in OTHERS
                             if not is_numeric(table.schema.field(name).type)]
    assert len(skipped) >= len(OTHERS) - 1
    # Columns of other values are read the same way for all types: the package takes some.
    named = list(skipped) if tool.program == PROGRAM else ["text", "pairs", "raw"]
    for name, one in skipped.items():
        type = str(table.schema.field(name).type)
        assert one["type"] == type
        assert f"values of type {type} cannot be compressed" in one["reason"]
        assert f"column '{name}' is left out: {one['reason']}" in ran.err
        if name not in named:
            continue
        line = tool.refused("compress", path, "--column", name, "-o", "-")
        assert f"column '{name}'" in line and type in line
    for leaf in ["'pairs.x'", "'pairs.y.z'"]:
        assert leaf in skipped["pairs"]["reason"]
    assert ".p." in skipped["deep"]["reason"] and ".q" in skipped["deep"]["reason"]
    assert entries_of(tmp_path / "f")[-1].rows == [1, 2]


def test_repeated_names(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    nested = pa.array([{"a": 7}, {"a": 8}])
    table = pa.table([nested, pa.array([1, 2]), pa.array(["x", "y"]), pa.array([0.5, 1.5])],
                     names=["a", "a", "b", "a"])
    for source in ["t.parquet", "t.arrow"]:
        path = write(table, tmp_path / source)
        verbs = [["compress", "-o", "-"], ["bench"], ["explain"]]
        # The program says this of names that it has: for the package's, once for each source.
        for verb in verbs if tool.program == PROGRAM else verbs[:1]:
            line = tool.refused(verb[0], path, "--column", "a", *verb[1:], code=USAGE)
            assert "3 columns are named 'a'" in line and "index" in line
        for index, expected in [("1", "1\n2\n"), ("3", "0.5\n1.5\n")]:
            packed = tool.run("compress", path, "--column", index, "-o", "-").out
            assert tool.run("decompress", "-", stdin=packed).text == expected
        line = tool.refused("compress", path, "--column", "0", "-o", "-", code=FAILURE)
        assert "struct" in line


@pytest.mark.wheel_takes(2)
@pytest.mark.parametrize("source", ["t.parquet", "t.arrow"])
def test_no_rows_and_all_nulls(tmp_path: Path, tool: Tool, source: str) -> None:  # noqa: F811
    types = [pa.int64(), pa.bool_(), pa.float16(), pa.timestamp("us", "UTC"), pa.date32()]
    for rows in [0, 3]:
        table = pa.table([pa.nulls(rows, type) for type in types], names=list("abcde"))
        path = write(table, tmp_path / source)
        folder = there(tool, path)
        for ending in [".arrow", ".parquet"]:
            assert and_back(tool, folder, ending).equals(read(path))


def test_one_column_of_times_becomes_numbers(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    """With --dtype of its stored type too, and with no other."""
    table = pa.table({"t": pa.array([1, 2], pa.timestamp("us", "UTC")), "f": [1.5, 2.0]})
    path = write(table, tmp_path / "t.arrow")
    packed = tool.run("compress", path, "--column", "t", "-o", "-").out
    assert tool.run("decompress", "-", stdin=packed).text == "1\n2\n"
    line = tool.refused("compress", path, "--column", "f", "--dtype", "i32", "-o", "-")
    assert "1.5" in line and "column 'f'" in line


def test_cut_files(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    rng = np.random.default_rng(1)
    table = pa.table({"a": rng.integers(0, 2**60, 5000)})
    for source in ["t.parquet", "t.arrow"]:
        path = write(table, tmp_path / source)
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2])
        ran = tool.run("compress", path, "-o", tmp_path / "no", code=CORRUPT)
        assert str(path) in ran.err and not (tmp_path / "no").exists()


def test_integers_of_128_bits_are_named(tool: Tool, tmp_path: Path) -> None:  # noqa: F811
    pl = pytest.importorskip("polars")
    wide = pl.Series([2**70], dtype=pl.Int128)
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [1], "big": wide, "s": pl.struct(wide.alias("x"), eager=True)}
                 ).write_parquet(path)  # fmt: skip
    ran = tool.run("compress", path, "-o", tmp_path / "no", code=FAILURE)
    if tool.program == PROGRAM:
        assert "integers of 128 bits" in ran.err and "('big', 's.x'): cast them" in ran.err
    else:  # the package reads by pyarrow, which does not even give the schema of such a file
        assert "more than 64 bits" in ran.err
    assert not (tmp_path / "no").exists()


# ---- statistics of Parquet ----

def with_statistics(path: Path) -> set[str]:
    """The columns of a Parquet file that have a minimum and a maximum in each row group."""
    metadata = pa.parquet.ParquetFile(path).metadata
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    columns = [group.column(i) for group in groups for i in range(group.num_columns)]
    without = {c.path_in_schema for c in columns if not (c.statistics and c.statistics.has_min_max)}
    return {column.path_in_schema for column in columns} - without


def test_columns_with_nan_have_no_minimum(tool: Tool, tmp_path: Path) -> None:  # noqa: F811
    nan = float("nan")
    with_nan = {f"nan{bits}": np.array([1, nan, 3], f"f{bits // 8}") for bits in (16, 32, 64)}
    without = {f"float{bits}": np.array([1, 2, 3], f"f{bits // 8}") for bits in (16, 32, 64)}
    table = pa.table(
        {"whole": [1, 2, 3], **with_nan, **without, "null": [1.0, None, 2.0],
         "lists": [[1.0, nan], None, []], "structs": [{"x": 1.0, "n": 2}] * 3}
    )  # fmt: skip
    folder = there(tool, write(table, tmp_path / "t.arrow"))
    back = tmp_path / "back.parquet"
    tool.run("decompress", folder, "-o", back)
    assert with_statistics(back) == {"whole", *without, "null", "structs.n"}
    assert pa.parquet.read_table(back)["nan64"].to_pylist()[::2] == [1, 3]


def test_nan_behind_many_rows(tool: Tool, tmp_path: Path) -> None:  # noqa: F811
    """The minimum is written before the last rows are known: no float column has one."""
    count = (1 << 20) + 5
    late = np.arange(count, dtype=np.float64)
    late[-1] = np.nan
    table = pa.table({"whole": np.arange(count), "late": late})
    folder = there(tool, write(table, tmp_path / "t.arrow"))
    back = tmp_path / "back.parquet"
    tool.run("decompress", folder, "-o", back)
    assert with_statistics(back) == {"whole"}
    duckdb = pytest.importorskip("duckdb")
    query = f"select count(*) from '{back}' where late > {count}"
    assert duckdb.sql(query).fetchall() == [(1,)]
