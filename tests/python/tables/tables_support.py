# SPDX-License-Identifier: Apache-2.0
"""Tables with columns of every kind, and what the tests of tables share."""

from __future__ import annotations

import decimal
import functools
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import numpact

NUMBERS = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f2", "f4", "f8"]
TIMES = [
    pa.date32(),
    pa.date64(),
    pa.time32("s"),
    pa.time32("ms"),
    pa.time64("us"),
    pa.time64("ns"),
    *(pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")),
    pa.timestamp("us", "Europe/Berlin"),
    pa.duration("s"),
    pa.duration("ns"),
]


@functools.cache
def filter_oracle() -> Any:
    """The exact arithmetic of tests/fixtures/filters."""
    import filter_fixture

    return filter_fixture.oracle()


def numbers(type: str, rows: int, seed: int = 1) -> np.ndarray:
    """Numbers of a type such as "i4", its bounds, and for floats NaN, infinities and -0."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(type if type.startswith("f") else type[0] + str(int(type[1:]) // 8))
    if dtype.kind == "f":
        made = np.round(rng.normal(0, 50, rows), 1).astype(dtype)
        special = np.array([np.nan, np.inf, -np.inf, -0.0, 0.1, np.finfo(dtype).max], dtype)
    else:
        info = np.iinfo(dtype)
        made = rng.integers(max(info.min, -50), min(info.max, 50), rows).astype(dtype)
        special = np.array([info.min, info.max, 0], dtype)
    made[: len(special)] = special[:rows]
    return made


def column(type: pa.DataType, values: np.ndarray, nulls: np.ndarray | None = None) -> pa.Array:
    """An array of a type, whose stored numbers are given."""
    if pa.types.is_boolean(type):
        return pa.array(values.astype(bool), mask=nulls)
    width = type.bit_width // 8
    plain = pa.array(values.astype(f"i{width}"), mask=nulls)
    return plain.view(type)


def every_kind(rows: int, seed: int = 1, nulls: float = 0.2) -> pa.Table:
    """A table with a column of each kind, with nulls and without."""
    rng = np.random.default_rng(seed)
    py = random.Random(seed)
    fields: list[pa.Field] = []
    arrays: list[pa.Array] = []

    def add(name: str, array: pa.Array, **options: Any) -> None:
        fields.append(pa.field(name, array.type, **options))
        arrays.append(array)

    def mask() -> np.ndarray:
        return rng.random(rows) < nulls

    for type in NUMBERS:
        add(type, pa.array(numbers(type, rows, seed)), metadata={"unit": b"\xff\x00"})
        add(f"{type}?", pa.array(numbers(type, rows, seed + 1), mask=mask()))
    add("bool", column(pa.bool_(), rng.integers(0, 2, rows)), nullable=False)
    add("bool?", column(pa.bool_(), rng.integers(0, 2, rows), mask()))
    for type in TIMES:
        low = 0 if pa.types.is_time(type) else -40_000
        stored = rng.integers(low, 40_000, rows)
        stored = stored * 86_400_000 if pa.types.is_date64(type) else stored
        add(str(type), column(type, stored), nullable=False)
        add(f"{type}?", column(type, stored, mask()))
    texts = [py.choice([None, "", "a", "ü/x", "b" * 40]) for _ in range(rows)]
    add("text", pa.array(texts, pa.string()))
    add("large text", pa.array(texts, pa.large_string()))
    add("view", pa.array(texts, pa.string_view()))
    add("bytes", pa.array([None if t is None else t.encode() for t in texts], pa.binary()))
    cents = [py.choice([None, decimal.Decimal(py.randrange(-999, 999)) / 100]) for _ in texts]
    add("decimal", pa.array(cents, pa.decimal128(12, 2)))
    add("list", pa.array([None if t is None else [1, None] for t in texts], pa.list_(pa.int64())))
    add("struct", pa.array([{"a": i, "b": t} for i, t in enumerate(texts)],
                           pa.struct([("a", pa.int64()), ("b", pa.string())])))  # fmt: skip
    add("dictionary", pa.array(texts, pa.string()).dictionary_encode())
    add("null", pa.nulls(rows))
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields, {"made by": "a test"}))


def same(one: pa.Table, other: pa.Table) -> None:
    """Raises unless the tables have one schema, and equal bits in all rows that are not null."""
    assert one.schema.equals(other.schema, check_metadata=True), (one.schema, other.schema)
    assert one.num_rows == other.num_rows
    for name, a, b in zip(one.schema.names, one.columns, other.columns, strict=True):
        if pa.types.is_floating(a.type):
            bits = f"u{a.type.bit_width // 8}"
            assert a.is_null().equals(b.is_null()), name
            x, y = (c.drop_null().combine_chunks().to_numpy(False).view(bits) for c in (a, b))
            assert np.array_equal(x, y), name
        else:
            assert a.to_pylist() == b.to_pylist(), name


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def small_chunks(table: pa.Table, folder: Path, rows: int) -> None:
    """Writes a table whose Pco files have chunks of that many numbers, with trailers."""
    numpact.write_table(table, folder)
    for path in folder.glob("*.pco"):
        if not path.name.endswith(".nulls.pco"):
            numbers = numpact.decompress(path.read_bytes())
            if numbers.size:
                data = numpact.compress(numbers, paging=rows, trailer=True)
                path.write_bytes(data)
