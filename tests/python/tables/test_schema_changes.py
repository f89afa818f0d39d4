# SPDX-License-Identifier: Apache-2.0
"""Appends of rows whose columns differ from those of the folder, against pyarrow's promotion."""

from __future__ import annotations

import datetime
import decimal
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from tables_support import files_in, same

import numpact


def extended(path: Path, *tables: pa.Table, **options: Any) -> pa.Table:
    """What a folder holds after a table was written and others were appended."""
    numpact.write_table(tables[0], path)
    for table in tables[1:]:
        numpact.append_table(table, path, schema="extend", **options)
    return numpact.read_table(path).to_arrow()


def promoted(*tables: pa.Table) -> pa.Table:
    return pa.concat_tables(tables, promote_options="permissive")


def test_columns_come_and_go(tmp_path: Path) -> None:
    tables = [
        pa.table({"a": [1, 2], "s": ["x", None]}),
        pa.table({"a": [3], "b": pa.array([0.5], pa.float32())}),  # b is new, s is absent
        pa.table({"s": ["y"], "a": [None]}, schema=pa.schema([("s", pa.string()), ("a", "int64")])),
        pa.table({"t": ["new"], "d": pa.array([7], pa.timestamp("ms", "UTC"))}),
        pa.table({"l": [[1, 2], None], "b": pa.array([1, 2], pa.float32())}),
    ]
    same(extended(tmp_path / "t", *tables), promoted(*tables))
    assert len(list(tmp_path.iterdir())) == 1


def test_streams_have_nulls_for_absent_columns(tmp_path: Path) -> None:
    first = pa.table({"a": range(5), "s": list("abcde")})
    more = pa.table({"b": range(1000), "t": [str(i) for i in range(1000)]})
    numpact.write_table(first, tmp_path / "t")
    batches = more.to_reader(max_chunksize=300)
    numpact.append_table(batches, tmp_path / "t", schema="extend", threads=2)
    same(numpact.read_table(tmp_path / "t").to_arrow(), promoted(first, more))


NARROW_AND_WIDE = [
    ("int8", "int64"), ("int16", "int32"), ("uint8", "uint32"), ("uint8", "int16"),
    ("uint32", "int64"), ("uint8", "float32"), ("int16", "float32"), ("int32", "float64"),
    ("uint32", "float64"), ("float16", "float64"), ("float32", "float64"), ("float16", "float32"),
]  # fmt: skip


@pytest.mark.parametrize("narrow, wide", NARROW_AND_WIDE)
@pytest.mark.parametrize("is_first_wide", [False, True])
def test_numbers_become_wider(tmp_path: Path, narrow: str, wide: str, is_first_wide: bool) -> None:
    made = []
    for name in (wide, narrow) if is_first_wide else (narrow, wide):
        dtype = np.dtype(name)
        limits: Any = np.iinfo(dtype) if dtype.kind in "iu" else np.finfo(dtype)
        values = np.array([limits.min, 1, 0, limits.max], dtype)
        made.append(pa.table({"x": pa.array(values, mask=np.array([0, 1, 0, 0], bool))}))
    found = extended(tmp_path / "t", *made)
    assert found.schema.field("x").type == pa.table({"x": np.zeros(1, wide)})["x"].type
    expected = [value for table in made for value in table["x"].to_pylist()]
    assert found["x"].to_pylist() == expected


@pytest.mark.parametrize(
    "one, other, common",
    [
        (pa.timestamp("s"), pa.timestamp("ns"), pa.timestamp("ns")),
        (pa.timestamp("us", "UTC"), pa.timestamp("ms", "UTC"), pa.timestamp("us", "UTC")),
        (pa.time32("s"), pa.time64("us"), pa.time64("us")),
        (pa.duration("s"), pa.duration("ms"), pa.duration("ms")),
        (pa.date32(), pa.date64(), pa.date64()),
        (pa.decimal128(5, 2), pa.decimal128(9, 4), pa.decimal128(9, 4)),
        (pa.decimal128(7, 1), pa.decimal128(5, 4), pa.decimal128(10, 4)),
        (pa.decimal64(9, 2), pa.decimal128(9, 4), pa.decimal128(11, 4)),
        (pa.decimal128(38, 0), pa.decimal128(30, 29), pa.decimal256(67, 29)),
        (pa.dictionary(pa.int8(), pa.string()), pa.string(), pa.string()),
        (pa.dictionary(pa.int8(), pa.string()), pa.large_string(), pa.large_string()),
        (pa.list_(pa.int8()), pa.list_(pa.int32()), pa.list_(pa.int32())),
        (pa.null(), pa.int32(), pa.int32()),
        (pa.null(), pa.string(), pa.string()),
        (pa.string(), pa.large_string(), None),
        (pa.large_binary(), pa.binary(), None),
    ],
)
@pytest.mark.parametrize("is_swapped", [False, True])
def test_types_become_wider(
    tmp_path: Path,
    one: pa.DataType,
    other: pa.DataType,
    common: pa.DataType | None,
    is_swapped: bool,
) -> None:
    types = (other, one) if is_swapped else (one, other)
    tables = [pa.table({"k": range(3), "x": pa.array(values_of(type), type)}) for type in types]
    found = extended(tmp_path / "t", *tables)
    if common is None or pa.types.is_dictionary(types[0]):
        common = types[0]  # the folder's form of text stays, and texts become categories
    assert found.schema.field("x").type == common
    expected = pa.chunked_array([table["x"].combine_chunks().cast(common) for table in tables])
    assert found["x"].to_pylist() == expected.to_pylist()
    # Once more, with another append of each type.
    for table in tables:
        numpact.append_table(table, tmp_path / "t", schema="extend")
    found = numpact.read_table(tmp_path / "t").to_arrow()
    assert found.schema.field("x").type == common
    assert found["x"].to_pylist() == expected.to_pylist() * 2


def values_of(type: pa.DataType) -> list[Any]:
    if pa.types.is_null(type):
        return [None] * 3
    if pa.types.is_decimal(type):
        return [decimal.Decimal("1.0"), None, decimal.Decimal("-3")]
    if pa.types.is_date(type):
        return [datetime.date(1969, 12, 31), None, datetime.date(2500, 1, 1)]
    if pa.types.is_time(type):
        return [datetime.time(0, 0, 1), None, datetime.time(23, 59, 59)]
    if pa.types.is_duration(type):
        return [datetime.timedelta(seconds=1), None, datetime.timedelta(days=-3)]
    if pa.types.is_timestamp(type):
        return [datetime.datetime(1969, 12, 31), None, datetime.datetime(2200, 1, 1)]
    if pa.types.is_integer(type):
        return [1, None, -3]
    if pa.types.is_list(type):
        return [[1], None, [2, 3]]
    is_bytes = pa.types.is_binary(type) or pa.types.is_large_binary(type)
    return [b"x", None, b"yy"] if is_bytes else ["x", None, "yy"]


@pytest.mark.parametrize(
    "one, other",
    [
        (pa.int64(), pa.float64()),
        (pa.uint64(), pa.int64()),
        (pa.int64(), pa.string()),
        (pa.string(), pa.int64()),
        (pa.bool_(), pa.int8()),
        (pa.timestamp("s"), pa.timestamp("s", "UTC")),
        (pa.timestamp("s"), pa.int64()),
        (pa.string(), pa.binary()),
        (pa.decimal256(76, 0), pa.decimal256(2, 1)),
        (pa.decimal128(10, 9), pa.decimal128(38, 0)),
        (pa.decimal128(18, 9), pa.decimal128(18, 0)),
        (pa.decimal128(9, 2), pa.int64()),
        (pa.list_(pa.string()), pa.list_(pa.int8())),
    ],
)
def test_types_without_a_common_one(tmp_path: Path, one: pa.DataType, other: pa.DataType) -> None:
    numpact.write_table(pa.table({"x": pa.nulls(2, one)}), tmp_path / "t")
    before = files_in(tmp_path / "t")
    for schema in ("same", "extend"):
        with pytest.raises(numpact.TypeMismatchError, match="column 'x': values of type") as raised:
            numpact.append_table(pa.table({"x": pa.nulls(1, other)}), tmp_path / "t", schema=schema)
        assert "schema 'extend'" not in str(raised.value)
    assert files_in(tmp_path / "t") == before


def test_the_default_says_what_would_be_needed(tmp_path: Path) -> None:
    table = pa.table(
        {
            "i": pa.array([1], pa.int32()),
            "d": pa.array([decimal.Decimal("1.5")], pa.decimal128(5, 1)),
            "n": pa.nulls(1),
        }
    )
    numpact.write_table(table, tmp_path / "t")
    before = files_in(tmp_path / "t")
    wrong = [
        ({"i": pa.array([1], pa.int64())}, "i32 (schema 'extend' writes the column anew as i64)"),
        ({"i": pa.array([1], pa.int8())}, "i8, the folder has i32 (schema 'extend' converts the"),
        ({"d": pa.array([1], pa.decimal128(9, 3))}, "writes the column anew as decimal128(9, 3))"),
        ({"d": pa.array([1], pa.decimal128(3, 1))}, "(schema 'extend' converts the rows)"),
        ({"n": [1]}, "the folder has null (schema 'extend' changes its type)"),
        ({"x": [1]}, "does not have the columns ['x'] (schema 'extend' adds them)"),
        ({"i": None}, "columns are missing: ['i'] (schema 'extend' makes them null)"),
    ]
    for changes, message in wrong:
        columns = {name: table[name] for name in table.column_names} | changes
        columns = {name: values for name, values in columns.items() if values is not None}
        with pytest.raises(numpact.TypeMismatchError, match=re.escape(message)):
            numpact.append_table(pa.table(columns), tmp_path / "t")
    with pytest.raises(numpact.InvalidArgumentError, match="schema must be one of"):
        numpact.append_table(table, tmp_path / "t", schema="wide")  # type: ignore[arg-type]
    assert files_in(tmp_path / "t") == before


def test_a_time_that_does_not_fit_changes_nothing(tmp_path: Path) -> None:
    far = pa.table({"t": pa.array([0, 10**10], pa.timestamp("s")), "s": ["a", "b"]})
    near = pa.table({"t": pa.array([5], pa.timestamp("ns")), "s": ["c"]})
    for name, first, second in (("old", far, near), ("new", near, far)):
        numpact.write_table(first, tmp_path / name)
        before = files_in(tmp_path / name)
        with pytest.raises(
            numpact.TypeMismatchError, match=r"'t'.*10000000000 does not fit"
        ) as bad:
            numpact.append_table(second, tmp_path / name, schema="extend")
        assert "timestamp[ns]" in str(bad.value)
        assert files_in(tmp_path / name) == before
        same(numpact.read_table(tmp_path / name).to_arrow(), first)


def test_columns_that_exclude_nulls(tmp_path: Path) -> None:
    strict = pa.schema([pa.field("n", pa.int8(), False), pa.field("s", pa.string(), False)])
    numpact.write_table(pa.table([[1], ["x"]], schema=strict), tmp_path / "t")
    before = files_in(tmp_path / "t")
    with pytest.raises(numpact.InvalidArgumentError, match="'n' is missing, and its field"):
        numpact.append_table({"s": ["y"]}, tmp_path / "t", schema="extend")
    only = pa.table({"n": pa.array([1], pa.int8())})
    with pytest.raises(numpact.InvalidArgumentError, match="'s': 1 nulls"):
        numpact.append_table(only, tmp_path / "t", schema="extend")
    assert files_in(tmp_path / "t") == before
    # A new column that excludes them has null rows before.
    fields = [*strict, pa.field("m", pa.int8(), False), pa.field("u", pa.string(), False)]
    more = pa.table([[2], ["y"], [3], ["z"]], schema=pa.schema(fields))
    numpact.append_table(more, tmp_path / "t", schema="extend")
    found = numpact.read_table(tmp_path / "t").to_arrow()
    assert [field.nullable for field in found.schema] == [False, False, True, True]
    assert found.to_pydict() == {"n": [1, 2], "s": ["x", "y"], "m": [None, 3], "u": [None, "z"]}


def test_columns_that_were_left_out_come_back(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="left out"):
        numpact.write_table({"a": [1], "s": ["x"]}, tmp_path / "t", others="drop")
    table = pa.table({"a": [2], "s": ["y"]})
    numpact.append_table(table, tmp_path / "t", others="drop", schema="extend")
    assert numpact.read_table(tmp_path / "t").column_names == ["a"]
    numpact.append_table(table, tmp_path / "t", schema="extend")
    found = numpact.read_table(tmp_path / "t").to_arrow()
    assert found.to_pydict() == {"a": [1, 2, 2], "s": [None, None, "y"]}
    assert json.loads((tmp_path / "t/manifest.json").read_text())["skipped"] == []


def test_rows_are_not_needed_for_new_columns(tmp_path: Path) -> None:
    numpact.write_table({"a": range(100_000), "s": ["x"] * 100_000}, tmp_path / "t")
    before = files_in(tmp_path / "t")
    schema = pa.schema([("b", pa.float64()), ("u", pa.string())])
    numpact.append_table(schema.empty_table(), tmp_path / "t", schema="extend")
    after = files_in(tmp_path / "t")
    assert {name: after[name] for name in before if name != "manifest.json"} == {
        name: content for name, content in before.items() if name != "manifest.json"
    }
    found = numpact.read_table(tmp_path / "t").to_arrow()
    assert found.column_names == ["a", "s", "b", "u"]
    assert found["b"].null_count == found["u"].null_count == 100_000
    # The nulls of numbers take one run.
    [entry] = [e for e in json.loads(after["manifest.json"])["columns"] if e["name"] == "b"]
    part = entry.get("parts", [entry])[0]
    assert len(after[part["file"]]) + len(after[part["nulls"]["file"]]) < 200


def test_readers_keep_their_table(tmp_path: Path) -> None:
    first = pa.table({"a": pa.array([1, 2], pa.int8()), "s": ["x", "y"]})
    numpact.write_table(first, tmp_path / "t")
    reader = numpact.open_table(tmp_path / "t")
    more = pa.table({"a": pa.array([2**40]), "b": [1.5]})
    numpact.append_table(more, tmp_path / "t", schema="extend")
    same(reader.read().to_arrow(), first)
    same(numpact.read_table(tmp_path / "t").to_arrow(), promoted(first, more))


@pytest.mark.parametrize(
    "where, expected",
    [
        ("a > 5", [70_000]),
        ("b is null", None),
        ("b = 0.5", [1.0]),
        ("s is null", None),
        ("s = 'x' and a >= 0", None),
    ],
)
def test_filters_of_changed_tables(tmp_path: Path, where: str, expected: Any) -> None:
    import pyarrow.compute as pc

    tables = [
        pa.table({"a": pa.array([1, 2, None] * 25_000, pa.int8()), "s": ["x"] * 75_000}),
        pa.table({"a": pa.array([70_000, -1], pa.int32()), "b": [0.5, None]}),
        pa.table({"b": pa.array([0.5, 3], pa.float32()), "s": ["x", "z"]}),
    ]
    extended(tmp_path / "t", *tables)
    all_rows = promoted(*tables)
    conditions = {
        "a > 5": pc.field("a") > 5,
        "b is null": pc.field("b").is_null(),
        "b = 0.5": pc.field("b") == 0.5,
        "s is null": pc.field("s").is_null(),
        "s = 'x' and a >= 0": (pc.field("s") == "x") & (pc.field("a") >= 0),
    }
    found = numpact.read_table(tmp_path / "t", where=where).to_arrow()
    same(found, all_rows.filter(conditions[where]))
    polars = numpact.scan_table(tmp_path / "t").filter(pl.col("a") > 5).collect()
    assert polars["a"].to_list() == [70_000]
    same(numpact.read_table(tmp_path / "t", rows=slice(74_999, 75_003)).to_arrow(),
         all_rows.slice(74_999, 4))  # fmt: skip


def test_compaction_of_changed_tables(tmp_path: Path) -> None:
    tables = [
        pa.table({"a": pa.array(range(100), pa.int8()), "s": ["x"] * 100}),
        pa.table({"b": range(70_000), "d": ["text"] * 70_000}),
        pa.table({"a": range(70_000), "b": range(70_000)}),
    ]
    extended(tmp_path / "t", *tables, level=1)
    numpact.compact_table(tmp_path / "t", threads=2)
    same(numpact.read_table(tmp_path / "t").to_arrow(), promoted(*tables))
    manifest = json.loads((tmp_path / "t/manifest.json").read_text())
    assert all("parts" not in entry for entry in manifest["columns"])
    assert "others" not in manifest
