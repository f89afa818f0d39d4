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
from .others import OtherReader, OtherWriter
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
            self._join(*self._readers)
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

    def _join(self, like: OtherReader, *files: OtherReader) -> None:
        *before, new = files
        is_null = all(array.null_count == len(array) for array in new.batches())
        if not is_null and not has_enums_of(new.field, like.field):
            raise Refused(OTHER_ENUM)

        def arrays() -> Iterator[pa.Array]:
            for index, old in enumerate(before, 1):
                with about(index):
                    yield from old.batches()
            for array in new.batches():
                if array.null_count and not like.field.nullable:
                    raise Refused("has nulls, which the folder's column excludes")
                yield from _joinable(array, like.field, is_null)

        send_file(self._messages, like.field, arrays())

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
