# SPDX-License-Identifier: Apache-2.0
"""Random tables of all Arrow types, and the files that hold them."""

from __future__ import annotations

import decimal
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet

NAMES = ["a", "a", "b", "b.c", "b.list.element", "x/y", "../z", "", "0", "3", "é", "A", "two words",
         "f.key_value.key", "element", "list", "name\nline", "nul\0", "c.d.e", "\"q\"", "="]
ENDINGS = [".parquet", ".parquet", ".arrow", ".arrows", ".feather"]
ZONES = [None, None, "UTC", "Europe/Paris", "+05:30"]
UNITS = ["s", "ms", "us", "ns"]
DAY_MS = 86_400_000


class Celsius(pa.ExtensionType):
    """An extension type that the command does not know."""

    def __init__(self, storage: pa.DataType = pa.float32(), parameters: bytes = b"{}") -> None:
        self._parameters = parameters
        super().__init__(storage, "test.celsius")

    def __arrow_ext_serialize__(self) -> bytes:
        return self._parameters

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: pa.DataType, parameters: bytes) -> Celsius:
        return cls(storage, parameters)


@dataclass
class Case:
    table: pa.Table
    ending: str
    seed: int

    def write(self, folder: Path, stem: str) -> Path:
        path = folder / (stem + self.ending)
        write(random.Random(self.seed), self.table, path)
        return path


# ---- types ----

def number_type(rng: random.Random) -> pa.DataType:
    return rng.choice([
        pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(),
        pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.bool_(), pa.date32(), pa.date64(),
        pa.time32(rng.choice(["s", "ms"])), pa.time64(rng.choice(["us", "ns"])),
        pa.timestamp(rng.choice(UNITS), rng.choice(ZONES)), pa.duration(rng.choice(UNITS))])


def extension_type(rng: random.Random) -> pa.DataType:
    return rng.choice([pa.bool8(), pa.opaque(pa.int64(), "money", "bank"), Celsius(),
                       Celsius(pa.timestamp("ms", "UTC"), b"\xff\0zone"),
                       Celsius(pa.uint16(), b"")])


def other_type(rng: random.Random, parquet: bool, depth: int) -> pa.DataType:
    """A type of no numbers, nested up to ``depth``."""
    flat = [pa.string(), pa.large_string(), pa.binary(), pa.binary(3), pa.decimal128(19, 2),
            pa.decimal256(40, 5), pa.null(), pa.dictionary(pa.int32(), pa.string()),
            pa.dictionary(pa.int8(), pa.int64())]
    if not parquet:
        flat += [pa.month_day_nano_interval(), pa.uuid(), pa.json_(), pa.string_view(),
                 pa.run_end_encoded(pa.int32(), pa.int64())]
    if depth == 0 or rng.random() < 0.3:
        return rng.choice(flat)

    def inner() -> pa.DataType:
        if rng.random() < 0.5:
            return number_type(rng)
        inside = other_type(rng, True, depth - 1)
        # Parquet's reader cannot make dictionaries of numbers within lists.
        return pa.string() if pa.types.is_dictionary(inside) else inside

    names = rng.sample([name for name in NAMES if name not in ("", "nul\0")], 3)
    types = {name: inner() for name in names}
    fields = [pa.field(name, type, pa.types.is_null(type) or rng.random() < 0.8)
              for name, type in types.items()]
    return rng.choice([
        lambda: pa.struct(fields), lambda: pa.struct(fields[:1]), lambda: pa.list_(inner()),
        lambda: pa.large_list(inner()), lambda: pa.list_(inner(), rng.randint(1, 3)),
        lambda: pa.map_(pa.string(), inner())])()


# ---- values ----

def _int_bounds(type: pa.DataType) -> tuple[int, int]:
    if pa.types.is_date32(type):
        return -700_000, 700_000
    if pa.types.is_time(type):
        per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[type.unit]
        return 0, 86_400 * per_second - 1
    if pa.types.is_timestamp(type) or pa.types.is_duration(type):
        bound = 2**63 // 1000 if type.unit == "s" else 2**63
        return -bound + 1, bound - 1
    bits = type.bit_width
    if str(type).startswith("u"):
        return 0, 2**bits - 1
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1


def numbers(rng: random.Random, type: pa.DataType, rows: int, nulls: float) -> pa.Array:
    """An array of a type that has numbers, of any bits that it may have."""
    valid = np.array([rng.random() >= nulls for _ in range(rows)], bool)
    nothing = valid.all()
    validity = None if nothing else pa.array(valid).buffers()[1]
    if isinstance(type, pa.BaseExtensionType):
        storage = numbers(rng, type.storage_type, rows, nulls)
        return pa.ExtensionArray.from_storage(type, storage)
    if pa.types.is_boolean(type):
        return pa.array([rng.random() < 0.5 for _ in range(rows)], mask=None if nothing else ~valid)
    size = type.bit_width // 8
    if pa.types.is_floating(type):
        data = rng.randbytes(rows * size)
    else:
        low, high = _int_bounds(type)
        narrow = rng.random() < 0.5
        if pa.types.is_date64(type):
            low, high = -700_000, 700_000
        values = [rng.randint(max(low, -9), min(high, 99)) if narrow else rng.randint(low, high)
                  for _ in range(rows)]
        if pa.types.is_date64(type):
            values = [value * DAY_MS for value in values]
        kind = "u" if low >= 0 and str(type).startswith("u") else "i"
        data = np.array(values, f"{kind}{size}").tobytes()
    return pa.Array.from_buffers(type, rows, [validity, pa.py_buffer(data)])


def _value(rng: random.Random, type: pa.DataType, nulls: float, nullable: bool = True) -> Any:
    if pa.types.is_null(type) or (nullable and rng.random() < nulls):
        return None
    if pa.types.is_dictionary(type):
        return _value(rng, type.value_type, 0)
    if pa.types.is_run_end_encoded(type):
        return rng.randint(0, 2)
    if pa.types.is_struct(type):
        return {field.name: _value(rng, field.type, nulls, field.nullable) for field in type}
    if pa.types.is_map(type):
        return [(str(i), _value(rng, type.item_type, nulls)) for i in range(rng.randint(0, 2))]
    if pa.types.is_nested(type):
        count = getattr(type, "list_size", rng.randint(0, 3))
        return [_value(rng, type.value_type, nulls) for _ in range(count)]
    if pa.types.is_decimal(type):
        return decimal.Decimal(rng.randint(-999, 999)).scaleb(-2)
    if pa.types.is_interval(type):
        return pa.MonthDayNano([1, rng.randint(0, 9), 3])
    if pa.types.is_fixed_size_binary(type):
        return rng.randbytes(type.byte_width)
    if pa.types.is_binary(type):
        return rng.randbytes(rng.randint(0, 4))
    if pa.types.is_boolean(type):
        return rng.random() < 0.5
    if pa.types.is_floating(type):
        return np.float16(rng.randint(-9, 9)) if type == pa.float16() else rng.gauss(0, 1)
    if pa.types.is_integer(type):
        return rng.randint(0, 100)
    if pa.types.is_temporal(type):
        return rng.randint(0, 20_000) * (DAY_MS if pa.types.is_date64(type) else 1)
    return rng.choice(["", "x", "été", "long text"])


def values(rng: random.Random, type: pa.DataType, rows: int, nulls: float) -> pa.Array:
    """An array of a type of no numbers."""
    if isinstance(type, pa.BaseExtensionType):
        storage = type.storage_type
        made = [rng.randbytes(16) if pa.types.is_fixed_size_binary(storage) else '{"a": 1}'
                for _ in range(rows)]
        return pa.ExtensionArray.from_storage(type, pa.array(made, storage))
    return pa.array([_value(rng, type, nulls) for _ in range(rows)], type)


# ---- tables ----

def _metadata(rng: random.Random) -> dict[bytes, bytes] | None:
    if rng.random() < 0.7:
        return None
    return {b"unit": rng.choice([b"m/s", b"", "é".encode(), b"\xff\xfe\0"]),
            rng.choice([b"key", b"\x80"]): b"1"}


def is_numeric(type: pa.DataType) -> bool:
    while isinstance(type, pa.BaseExtensionType):
        type = type.storage_type
    if pa.types.is_decimal(type):
        return type.precision <= 18
    return pa.types.is_primitive(type) and not pa.types.is_interval(type)


def make(seed: int) -> Case:
    rng = random.Random(seed)
    ending = rng.choice(ENDINGS)
    parquet = ending == ".parquet"
    rows = rng.choice([0, 1, 7, 50, 300])
    fields, arrays = [], []
    for _ in range(rng.choice([1, 2, 4, 7])):
        choice = rng.random()
        nullable = rng.random() < 0.7
        nulls = rng.choice([0, 0.1, 0.5, 1.0]) if nullable else 0.0
        if choice < 0.45:
            type = number_type(rng)
        elif choice < 0.55:
            type = extension_type(rng)
        else:
            type = other_type(rng, parquet, 3)
        if is_numeric(type):
            arrays.append(numbers(rng, type, rows, nulls))
        else:
            nullable = True
            arrays.append(values(rng, type, rows, nulls))
        fields.append(pa.field(rng.choice(NAMES), type, nullable, _metadata(rng)))
    schema = pa.schema(fields, _metadata(rng))
    return Case(pa.Table.from_arrays(arrays, schema=schema), ending, seed)


def write(rng: random.Random, table: pa.Table, path: Path) -> None:
    """A file of that ending, in pieces of random length and with random options."""
    block = rng.choice([1000, max(1, len(table) // 2), 64])
    packing = rng.choice([None, "zstd", "lz4"])
    if path.suffix == ".parquet":
        pa.parquet.write_table(
            table, path, row_group_size=block, data_page_version=rng.choice(["1.0", "2.0"]),
            use_dictionary=rng.random() < 0.5, store_schema=rng.random() < 0.7,
            compression=packing or "none", write_statistics=rng.random() < 0.5,
            data_page_size=rng.choice([64, 1 << 20]))
        return
    if path.suffix == ".feather":
        pa.feather.write_feather(table, path, compression=packing or "uncompressed",
                                 chunksize=block)
        return
    options = pa.ipc.IpcWriteOptions(compression=packing, unify_dictionaries=True)
    kind = pa.ipc.new_file if path.suffix == ".arrow" else pa.ipc.new_stream
    with kind(path, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=block)


def read(path: Path) -> pa.Table:
    """The table as pyarrow reads it; names may repeat."""
    if path.suffix == ".parquet":
        return pa.parquet.ParquetFile(path).read()
    opened = pa.ipc.open_stream if path.suffix == ".arrows" else pa.ipc.open_file
    with opened(path) as reader:
        return reader.read_all()
