# SPDX-License-Identifier: Apache-2.0
"""Decimals of up to 18 digits, which are stored as numbers."""

from __future__ import annotations

import json
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tables_support import small_chunks

import numpact

TYPES = [
    pa.decimal32(1, 0), pa.decimal32(9, 4), pa.decimal64(18, 0), pa.decimal64(10, 10),
    pa.decimal128(1, 1), pa.decimal128(18, 2), pa.decimal128(18, 18), pa.decimal256(18, 9),
]  # fmt: skip


def values_of(type: Any, count: int = 500) -> list[Decimal | None]:
    chance = random.Random(type.precision * 20 + type.scale)
    top = 10**type.precision - 1
    ends = [top, -top, 0, 1, -1]
    whole = ends + [chance.randint(-top, top) for _ in range(count - len(ends))]
    return [None if i % 9 == 7 else Decimal(x).scaleb(-type.scale) for i, x in enumerate(whole)]


def column_of(folder: Path) -> dict[str, Any]:
    column: dict[str, Any] = json.loads((folder / "manifest.json").read_text())["columns"][0]
    return column


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_round_trip(tmp_path: Path, type: Any) -> None:
    table = pa.table({"d": pa.array(values_of(type), type)})
    sliced = pa.table({"d": pa.chunked_array([table["d"].slice(3, 100).combine_chunks(),
                                              table["d"].slice(11).combine_chunks()])})  # fmt: skip
    for at, one in enumerate(
        (table, sliced, table.slice(0, 0), pa.table({"d": pa.nulls(3, type)}))
    ):
        folder = tmp_path / str(at)
        numpact.write_table(one, folder)
        column = column_of(folder)
        assert column["logical_type"] == "decimal"
        assert column["number_type"] == "i64"
        assert [column[key] for key in ("precision", "scale", "bits")] == [
            type.precision, type.scale, type.bit_width,
        ]  # fmt: skip
        found = numpact.read_table(folder).to_arrow()
        assert found.schema == one.schema
        found["d"].validate(full=True)
        assert found["d"].to_pylist() == one["d"].to_pylist()


@pytest.mark.parametrize("type", TYPES[3:], ids=str)
def test_filters_are_exact(tmp_path: Path, type: Any) -> None:
    values = values_of(type)
    small_chunks(pa.table({"d": pa.array(values, type)}), tmp_path / "t", 7)
    opened = numpact.open_table(tmp_path / "t")
    tiny = Decimal(1).scaleb(-type.scale - 1)  # one more digit than the column has
    for base in values[:6]:
        if base is None:
            continue
        for value in (base, base + tiny, base - tiny):
            for op, compare in (("<", pc.less), (">=", pc.greater_equal), ("=", pc.equal)):
                wide = pa.array(values, pa.decimal256(40, type.scale + 1))
                expected = compare(wide, pa.scalar(value, wide.type)).fill_null(False)
                where: Any
                for where in (f"d {op} {value:f}", [("d", op, value)]):
                    numbers = opened.row_numbers(where)
                    assert numbers.tolist() == pc.indices_nonzero(expected).to_pylist(), where


def test_more_digits_stay_in_arrow(tmp_path: Path) -> None:
    for type in (pa.decimal128(19, 2), pa.decimal128(38, 0), pa.decimal128(5, -2)):
        folder = tmp_path / str(type)
        table = pa.table({"d": pa.array([None, Decimal(100)], type)})
        numpact.write_table(table, folder)
        assert json.loads((folder / "manifest.json").read_text())["others"][0]["type"] == str(type)
        assert numpact.read_table(folder).to_arrow().equals(table)


def test_appends_of_other_digits(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    first = pa.table({"d": pa.array([Decimal("1.25"), None], pa.decimal128(5, 2))})
    second = pa.table({"d": pa.array([Decimal("-70000.5"), None], pa.decimal64(6, 1))})
    numpact.write_table(first, folder)
    with pytest.raises(numpact.TypeMismatchError, match="writes the column anew as decimal128"):
        numpact.append_table(second, folder)
    numpact.append_table(second, folder, schema="extend")
    found = numpact.read_table(folder).to_arrow()
    assert found.schema.field("d").type == pa.decimal128(7, 2)
    assert found["d"].to_pylist() == [Decimal("1.25"), None, Decimal("-70000.50"), None]
    long = pa.table({"d": pa.array([Decimal(1)], pa.decimal128(38, 2))})
    for schema in ("same", "extend"):
        with pytest.raises(numpact.TypeMismatchError, match="of over 18 digits are not stored"):
            numpact.append_table(long, folder, schema=schema)  # type: ignore[arg-type]


def test_files_of_arrow_take_decimals(tmp_path: Path) -> None:
    """As tables have them that older versions wrote."""
    folder = tmp_path / "t"
    whole = pa.table({"d": pa.array([Decimal("1.5")], pa.decimal128(25, 2))})
    numpact.write_table(whole, folder)
    short = pa.table({"d": pa.array([Decimal("2.5"), None], pa.decimal128(9, 1))})
    with pytest.raises(numpact.TypeMismatchError, match="schema 'extend' converts the rows"):
        numpact.append_table(short, folder)
    numpact.append_table(short, folder, schema="extend")
    found = numpact.read_table(folder).to_arrow()
    assert found.schema == whole.schema
    assert found["d"].to_pylist() == [Decimal("1.50"), Decimal("2.50"), None]


def long_decimals(is_null: bool) -> pa.Array:
    """A value of 2^64 + 1 in a type of 18 digits, as unchecked programs make it."""
    words = np.array([5, 0, 1, 1, -7 & (2**64 - 1), 2**64 - 1], np.uint64)
    bits = pa.py_buffer(bytes([0b101])) if is_null else None
    return pa.Array.from_buffers(pa.decimal128(18, 0), 3, [bits, pa.py_buffer(words)])


def test_more_digits_than_the_type_has(tmp_path: Path) -> None:
    with pytest.raises(numpact.InvalidArgumentError, match="has more digits: that of row 1"):
        numpact.write_table(pa.table({"d": long_decimals(False)}), tmp_path / "t")
    assert not (tmp_path / "t").exists()
    numpact.write_table(pa.table({"d": long_decimals(True)}), tmp_path / "t")
    assert numpact.read_table(tmp_path / "t")["d"].to_pylist() == [5, None, -7]


def test_damaged_digits(tmp_path: Path) -> None:
    """Numbers that 32 bits of Arrow cannot hold are an error, not other numbers."""
    folder = tmp_path / "t"
    numpact.write_table(pa.table({"d": pa.array([Decimal(1)], pa.decimal128(9, 0))}), folder)
    (folder / "d.pco").write_bytes(numpact.compress([2**40]))
    text = (folder / "manifest.json").read_text().replace('"bits": 128', '"bits": 32')
    (folder / "manifest.json").write_text(text)
    with pytest.raises(numpact.CorruptError, match="too many digits"):
        numpact.read_table(folder)


def test_limits_count_what_arrow_holds(tmp_path: Path) -> None:
    rows = 1000
    numbers = [Decimal(i) for i in range(rows)]
    numpact.write_table(pa.table({"d": pa.array(numbers, pa.decimal128(9, 0))}), tmp_path / "t")
    assert len(numpact.read_table(tmp_path / "t", max_output=16 * rows)) == rows
    with pytest.raises(numpact.LimitExceededError):
        numpact.read_table(tmp_path / "t", max_output=16 * rows - 1)


def test_polars(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    table = pa.table({"d": pa.array(values_of(pa.decimal128(12, 2)), pa.decimal128(12, 2))})
    small_chunks(table, tmp_path / "t", 50)
    scan, frame = numpact.scan_table(tmp_path / "t"), pl.from_arrow(table)
    for value in (Decimal("0.01"), 0, 1.5):
        for test in (pl.col("d") > value, pl.col("d") == value, pl.col("d").is_null()):
            assert scan.filter(test).collect().equals(frame.filter(test))


@pytest.mark.parametrize("backend", ["numpy", "pyarrow"])
def test_dask(tmp_path: Path, backend: Any) -> None:
    pytest.importorskip("dask.dataframe")
    import numpact.dask

    types = [pa.decimal128(9, 2), pa.decimal128(7, 4), pa.decimal128(30, 1)]
    for at, type in enumerate(types):
        values = [Decimal("1.5"), None, Decimal(at)]
        table = pa.table({"d": pa.array(values, type), "e": pa.array(values[::-1], type)})
        numpact.write_table(table, tmp_path / f"t/part-{at}")
    frame = numpact.dask.from_pco_table(tmp_path / "t", dtype_backend=backend)
    computed = frame["d"].compute()
    found = [None if is_null else x for x, is_null in zip(computed, computed.isna(), strict=True)]
    expected = [Decimal("1.5"), None, 0, Decimal("1.5"), None, 1, Decimal("1.5"), None, 2]
    if backend == "numpy":  # with Dask's strings of Arrow, objects are texts
        found = [None if x is None else Decimal(x) for x in found]
    assert found == expected
    kept = numpact.dask.from_pco_table(
        tmp_path / "t", columns=["d"], filters="d > 1.4999", dtype_backend=backend
    )
    assert list(map(Decimal, kept["d"].compute())) == [Decimal("1.5")] * 3 + [2]
    pair = numpact.dask.from_pco_table(tmp_path / "t/part-0", filters="d < e")
    assert list(map(Decimal, pair["d"].compute())) == [0]
