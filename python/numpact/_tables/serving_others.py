# SPDX-License-Identifier: Apache-2.0
"""Files of columns that Pco cannot hold, for the command: reads, writes and joins them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from .._errors import TypeMismatchError
from .._limits import Limits
from .._remote.checked_file import BATCH_ROWS
from .columns import OTHER_ENUM, has_enums_of, storage_of
from .errors import about, reported
from .joining import as_type, nulls_of, text_family
from .messages import Messages, Refused
from .others import OtherReader, OtherWriter, have_same_values
from .unifying import as_common, common_type
from .writing import Sink, open_reader, validity_bits


def send_file(messages: Messages, field: pa.Field, arrays: Iterable[pa.Array]) -> None:
    """Sends the bytes of a file in blocks, and then its rows and its type."""
    sink = Sink()
    writer = OtherWriter(sink, field)
    for array in arrays:
        writer.write(array)
        messages.send_some(sink.take())
    _finish(messages, sink, writer)


def _finish(messages: Messages, sink: Sink, writer: OtherWriter) -> None:
    writer.close()
    messages.send_blocks(sink.take())
    messages.send({"rows": writer.rows, "type": str(writer.field.type)})


def kind_of(type: pa.DataType) -> str:
    """How the command can use the values: as "text", as "decimal" numbers, or not ("opaque")."""
    type = storage_of(type)
    if pa.types.is_dictionary(type):
        type = type.value_type
    is_view = getattr(pa.types, "is_string_view", None)  # not in pyarrow 14
    if pa.types.is_string(type) or pa.types.is_large_string(type):
        return "text"
    if is_view is not None and is_view(type):
        return "text"
    return "decimal" if pa.types.is_decimal(type) else "opaque"


def _plain(array: pa.Array) -> pa.Array:
    """The values without extension types and dictionaries."""
    while isinstance(array, pa.ExtensionArray):
        array = array.storage
    return array.dictionary_decode() if isinstance(array, pa.DictionaryArray) else array


def _texts(array: pa.Array, kind: str) -> tuple[memoryview, memoryview]:
    """The texts of a column one after another, and where each ends."""
    no_texts = memoryview(b""), memoryview(bytes(8 * len(array)))
    if kind == "opaque":
        return no_texts
    texts = array.cast(pa.large_string())
    if texts.null_count:
        texts = texts.fill_null("")
    _, offsets, content = texts.buffers()
    if len(texts) == 0 or content is None:
        return no_texts
    bounds = np.frombuffer(offsets, np.int64)[texts.offset :][: len(texts) + 1]
    ends = bounds[1:] - bounds[0]
    return memoryview(content)[bounds[0] : bounds[-1]], memoryview(ends).cast("B")


def _validity(array: pa.Array) -> bytes | memoryview:
    if not array.null_count:
        return b""
    valid = array.is_valid().cast(pa.uint8())
    first = valid.offset
    return memoryview(valid.buffers()[1])[first : first + len(valid)]


def _joinable(array: pa.Array, field: pa.Field, is_null: bool) -> list[pa.Array]:
    """Rows to append to a column, in its type. CSV has text for columns of any type."""
    if is_null:
        return list(nulls_of(field.type, len(array)).chunks)
    type, family = storage_of(field.type), text_family(array.type)
    is_coded = pa.types.is_dictionary(type) and not type.ordered
    if is_coded and family is not None and family == text_family(type.value_type):
        array = array.cast(type.value_type).dictionary_encode()
    try:
        return list(as_type(pa.chunked_array([array]), field).chunks)
    except TypeMismatchError:
        raise Refused(f"its type is {array.type}, not {field.type}") from None


def _common(old: pa.DataType, new: pa.DataType) -> pa.DataType:
    common = common_type([old, new])
    if common is None:
        raise Refused(f"its type is {new}, not {old}: no type holds the values of both")
    return common


def _widened(array: pa.Array, field: pa.Field) -> list[pa.Array]:
    if have_same_values(array.type, field.type):
        return [array]
    return list(as_common(pa.chunked_array([array]), field.type, f"column {field.name!r}").chunks)


def _require_nullable(field: pa.Field, nulls: int) -> None:
    if nulls and not field.nullable:
        raise Refused("has nulls, which the folder's column excludes")


def _nulls(field: pa.Field, count: int) -> Iterator[pa.Array]:
    for first in range(0, count, BATCH_ROWS):
        yield from nulls_of(field.type, min(BATCH_ROWS, count - first)).chunks


class _Server:
    """The answers to requests about the files that the command has opened."""

    def __init__(self, messages: Messages) -> None:
        self._messages = messages
        self._readers: list[OtherReader] = []

    def answer(self, request: dict[str, Any]) -> None:
        verb = request["verb"]
        if verb == "ready":
            self._messages.send({})
        elif verb == "open":
            reader = open_reader(request)
            self._readers.append(reader)
            self._messages.send({"kind": kind_of(reader.field.type)})
        elif verb == "read":
            self._read(self._readers[request["file"]], request)
        elif verb == "check":
            self._check(self._readers[request["file"]], Limits(**request["limits"]))
            self._messages.send({})
        elif verb == "join":
            self._join(request, *self._readers)
        elif verb == "text":
            self._write_texts(pa.field(request["name"], pa.string()))
        else:
            raise RuntimeError(f"a request of unknown verb {verb!r}")

    @staticmethod
    def _check(reader: OtherReader, limits: Limits) -> None:
        """Decodes all batches, which count as output."""
        reader.limits = limits
        budget = limits.budget()
        for first in range(0, reader.rows, BATCH_ROWS):
            reader.read(first, min(BATCH_ROWS, reader.rows - first), budget)
            budget.begin_part()

    def _read(self, reader: OtherReader, request: dict[str, Any]) -> None:
        reader.limits = Limits(**request["limits"])
        kind = kind_of(reader.field.type)
        is_output = request["all"]
        arrays = reader.read(request["first"], request["rows"], None, is_output).chunks
        for array in arrays if kind != "opaque" else ():
            reader.check_spread(array, is_output)
        self._messages.send({"blocks": len(arrays)})
        for array in map(_plain, arrays):
            for content in (*_texts(array, kind), _validity(array)):
                self._messages.send_bytes(content)

    def _join(self, request: dict[str, Any], like: OtherReader, *files: OtherReader) -> None:
        before, added = (files[:-1], files[-1]) if request["has_added"] else (files, None)
        is_null = added is None or all(a.null_count == len(a) for a in added.batches())
        field = like.field
        if added is not None and not is_null:
            if not has_enums_of(added.field, field):
                raise Refused(OTHER_ENUM)
            if request["may_widen"]:
                field = field.with_type(_common(field.type, added.field.type))
        if request["nulls_before"]:
            field = field.with_nullable(True)

        def arrays() -> Iterator[pa.Array]:
            yield from _nulls(field, request["nulls_before"])
            for index, old in enumerate(before, 1):
                with about(index):
                    for array in old.batches():
                        yield from _widened(array, field)
            for array in added.batches() if added is not None else ():
                _require_nullable(field, array.null_count)
                if request["may_widen"] and not is_null:
                    yield from _widened(array, field)
                else:
                    yield from _joinable(array, field, is_null)
            _require_nullable(field, request["nulls_after"])
            yield from _nulls(field, request["nulls_after"])

        send_file(self._messages, field, arrays())

    def _write_texts(self, field: pa.Field) -> None:
        """Takes blocks of texts up to one without rows; each is answered by bytes of the file."""
        sink = Sink()
        writer = OtherWriter(sink, field)
        while rows := self._messages.receive()["rows"]:
            content, offsets, valid = (self._messages.receive_bytes() for _ in range(3))
            buffers = [validity_bits(valid), pa.py_buffer(offsets), pa.py_buffer(content)]
            texts = pa.Array.from_buffers(pa.large_string(), rows, buffers)
            writer.write(texts.cast(pa.string()))
            self._messages.send_blocks(sink.take())
        _finish(self._messages, sink, writer)


def serve(messages: Messages) -> None:
    """Answers requests until the other side has gone."""
    server = _Server(messages)
    while True:
        request = messages.receive()
        with reported(messages):
            server.answer(request)
