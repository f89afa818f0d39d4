# SPDX-License-Identifier: Apache-2.0
"""Structures of Arrow's C interface that a broken producer could hand over."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import pytest

import numpact
from numpact import _core

P = ctypes.c_void_p
I64 = ctypes.c_int64


class Schema(ctypes.Structure):
    _fields_ = [
        ("format", P), ("name", P), ("metadata", P), ("flags", I64), ("n_children", I64),
        ("children", P), ("dictionary", P), ("release", P), ("private_data", P),
    ]  # fmt: skip


class Array(ctypes.Structure):
    _fields_ = [
        ("length", I64), ("null_count", I64), ("offset", I64), ("n_buffers", I64),
        ("n_children", I64), ("buffers", P), ("children", P), ("dictionary", P), ("release", P),
        ("private_data", P),
    ]  # fmt: skip


class Stream(ctypes.Structure):
    _fields_ = [
        ("get_schema", P), ("get_next", P), ("get_last_error", P), ("release", P),
        ("private_data", P),
    ]  # fmt: skip


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [P, ctypes.c_char_p, P]
Release = ctypes.CFUNCTYPE(None, P)


class Column:
    """A producer; `change` breaks what it hands over. Counts releases."""

    def __init__(self, change: Callable[[Column], None] = lambda _: None) -> None:
        self.released: list[str] = []
        self._keep: list[Any] = []
        self.schema = self._schema(b"l")
        self.values = (I64 * 70)(*range(70))
        self.bits = (ctypes.c_uint8 * 9)(*[0xFF] * 9)
        self.array = self._array([None, ctypes.addressof(self.values)], 70)
        change(self)

    def _held(self, thing: Any) -> int:
        self._keep.append(thing)
        return ctypes.addressof(thing)

    def _schema(self, format: bytes) -> Schema:
        text = ctypes.create_string_buffer(format)
        return Schema(format=self._held(text), release=self._release(Schema, "schema"))

    def _array(self, buffers: list[int | None], length: int) -> Array:
        pointers = (P * max(1, len(buffers)))(*buffers)
        return Array(
            length=length,
            n_buffers=len(buffers),
            buffers=self._held(pointers),
            release=self._release(Array, "array"),
        )

    def _release(self, kind: Any, name: str) -> int | None:
        def release(address: int) -> None:
            self.released.append(name)
            kind.from_address(address).release = None

        callback = Release(release)
        self._keep.append(callback)
        return ctypes.cast(callback, P).value

    def as_table(self, child: Array | None = None) -> None:
        """Makes it a struct of one column."""
        inner_schema, inner = self.schema, child or self.array
        inner_schema.release = inner.release = None  # the parent's to release
        self.schema = self._schema(b"+s")
        self.schema.n_children = 1
        self.schema.children = self._held((P * 1)(self._held(inner_schema)))
        self.array = self._array([None], inner.length)
        self.array.n_children = 1
        self.array.children = self._held((P * 1)(self._held(inner)))
        self.inner = inner

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return (
            _new(self._held(self.schema), b"arrow_schema", None),
            _new(self._held(self.array), b"arrow_array", None),
        )


def set_(**fields: int | None) -> Callable[[Column], None]:
    """Changes the array."""

    def change(column: Column) -> None:
        for name, value in fields.items():
            setattr(column.array, name, value)

    return change


def in_table(**fields: int | None) -> Callable[[Column], None]:
    def change(column: Column) -> None:
        column.as_table()
        set_(**fields)(column)

    return change


def in_child(**fields: int | None) -> Callable[[Column], None]:
    def change(column: Column) -> None:
        set_(**fields)(column)
        column.as_table()
        column.array.length = 70

    return change


def schema(**fields: int | None) -> Callable[[Column], None]:
    def change(column: Column) -> None:
        for name, value in fields.items():
            setattr(column.schema, name, value)

    return change


def table_schema(**fields: int | None) -> Callable[[Column], None]:
    def change(column: Column) -> None:
        column.as_table()
        schema(**fields)(column)

    return change


def buffers(*values: int | None, n: int = 2) -> Callable[[Column], None]:
    def change(column: Column) -> None:
        pointers = (P * 2)(*values)
        column.array.buffers = column._held(pointers)
        column.array.n_buffers = n

    return change


def test_a_sound_column() -> None:
    column = Column()
    assert numpact.decompress(numpact.compress(column)).tolist() == list(range(70))
    assert sorted(column.released) == ["array", "schema"]
    table = Column(Column.as_table)
    assert numpact.decompress(numpact.compress(table)).tolist() == list(range(70))
    assert sorted(table.released) == ["array", "schema"]


MAX_INT64 = 2**63 - 1


@pytest.mark.parametrize(
    "change",
    [
        set_(length=-1), set_(length=MAX_INT64), set_(length=2**60, offset=2**62),
        set_(offset=-1), set_(offset=MAX_INT64), set_(length=MAX_INT64, offset=MAX_INT64),
        set_(null_count=-2), set_(null_count=71), set_(null_count=1),
        set_(n_buffers=0), set_(n_buffers=1), set_(n_buffers=3), set_(n_buffers=-1),
        set_(buffers=None), set_(n_children=1), set_(n_children=-1), set_(dictionary=8),
        buffers(None, None),
        in_table(length=-1), in_table(length=71), in_table(offset=1), in_table(offset=MAX_INT64),
        in_table(n_children=0), in_table(n_children=2), in_table(children=None),
        in_table(n_buffers=0), in_table(n_buffers=2), in_table(buffers=None),
        in_table(null_count=1),
        in_child(length=-1), in_child(length=69), in_child(offset=-5), in_child(offset=MAX_INT64),
        in_child(n_buffers=1), in_child(buffers=None), in_child(null_count=5),
        schema(format=None),
        table_schema(children=None), table_schema(format=None),
    ],
)  # fmt: skip
def test_broken_structures(change: Callable[[Column], None]) -> None:
    for read in (numpact.compress, numpact.compress_arrow):
        column = Column(change)
        with pytest.raises(numpact.CorruptError, match="Arrow"):
            read(column)
        assert sorted(column.released) == ["array", "schema"]


def test_a_child_that_is_null() -> None:
    for which in ("schema", "array"):
        column = Column(Column.as_table)
        getattr(column, which).children = column._held((P * 1)(None))
        with pytest.raises(numpact.CorruptError, match="no child"):
            numpact.compress(column)


@pytest.mark.parametrize(
    "format", [b"", b"x", b"lx", b"ts", b"tsn", b"tsx:", b"tD", b"tDx", b"tDns", b"td", b"+s", b"+"]
)
def test_formats_that_there_are_not(format: bytes) -> None:
    def change(column: Column) -> None:
        column.schema.format = column._held(ctypes.create_string_buffer(format))

    with pytest.raises(numpact.Error):
        numpact.compress(Column(change))


def test_used_capsules() -> None:
    for which in ("schema", "array"):
        column = Column()
        getattr(column, which).release = None
        with pytest.raises(numpact.InvalidArgumentError, match="used before"):
            numpact.compress(column)


def test_capsules_of_something_else() -> None:
    class Wrong:
        def __init__(self, *pair: object) -> None:
            self._pair = pair

        def __arrow_c_array__(self, requested_schema: object = None) -> Any:
            return self._pair

    good = Column().__arrow_c_array__()
    for pair in ((good[1], good[0]), (1, 2), (), (good[0],)):
        with pytest.raises((ValueError, TypeError)):
            numpact.compress(Wrong(*pair))


def test_nulls_that_nobody_counted() -> None:
    column = Column(buffers(None, None))
    column.bits[1] = 0b11111011
    column.array = column._array(
        [ctypes.addressof(column.bits), ctypes.addressof(column.values)], 70
    )
    column.array.null_count = -1
    with pytest.raises(numpact.InvalidArgumentError, match="1 nulls"):
        numpact.compress(column)
    column.array.release = column._release(Array, "array")
    column.schema.release = column._release(Schema, "schema")
    found = numpact.decompress_arrow(numpact.compress_arrow(column))
    assert found.validity is not None
    assert (~found.validity).nonzero()[0].tolist() == [10]


def test_null_rows_that_nobody_counted() -> None:
    column = Column(Column.as_table)
    column.bits[1] = 0b11111011
    column.array.buffers = column._held((P * 1)(ctypes.addressof(column.bits)))
    column.array.null_count = -1
    with pytest.raises(numpact.InvalidArgumentError, match="rows"):
        numpact.compress(column)


class StreamSource:
    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return _new(ctypes.addressof(self._stream), b"arrow_array_stream", None)


def test_streams_that_fail() -> None:
    Get = ctypes.CFUNCTYPE(ctypes.c_int, P, P)
    Words = ctypes.CFUNCTYPE(P, P)

    for at_schema in (True, False):
        column = Column()

        def get_schema(_: int, out: int, column: Column = column, fail: bool = at_schema) -> int:
            if not fail:
                ctypes.memmove(out, ctypes.addressof(column.schema), ctypes.sizeof(Schema))
            return 5 if fail else 0

        callbacks = (Get(get_schema), Get(lambda *_: 5), Words(lambda _: None))
        stream = Stream(
            *(ctypes.cast(c, P).value for c in callbacks), column._release(Stream, "stream")
        )

        with pytest.raises(numpact.InputOutputError, match="Input/output error"):
            numpact.compress(StreamSource(stream))
        assert column.released[-1] == "stream"


def test_arrow_type_names() -> None:
    assert _core.arrow_type("g") == "f64"
    assert _core.arrow_type("tsn:UTC") == "i64"
    assert _core.arrow_type("tsn:") == "i64"
    assert _core.arrow_type("tdD") == "i32"
    assert _core.arrow_type("b") == "u8"
    assert _core.arrow_type("u") is None
