# SPDX-License-Identifier: Apache-2.0
"""How many bytes values of Arrow take: those of a file before they are decoded, and of arrays."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _compute

from .._errors import CorruptError
from .columns import storage_array

pc: Any = _compute  # its functions are made when it is imported

# Of fields, by their order in format/File.fbs and format/Message.fbs of Arrow.
_DICTIONARIES, _BATCHES = 2, 3  # Footer
_HEADER_TYPE, _HEADER = 1, 2  # Message
_DATA = 1  # DictionaryBatch
_BUFFERS, _COMPRESSION = 2, 3  # RecordBatch
_DICTIONARY_BATCH = 2  # a type of header

_TAIL = struct.Struct("<i6s")  # the length of the footer, and the magic
_BLOCK_BYTES, _BUFFER_BYTES = 24, 16
_CONTINUATION = b"\xff\xff\xff\xff"
# Before version 1.0 of Arrow, metadata of a message stated the compression.
_OLD_COMPRESSION = b"ARROW:experimental_compression"
_VIEW_BYTES = 16


class _Flat:
    """A FlatBuffer: pyarrow gives no access to messages. struct.error: outside of its bytes."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def value(self, form: str, at: int) -> int:
        if at < 0:
            raise struct.error("before the beginning")
        found: int = struct.unpack_from("<" + form, self.content, at)[0]
        return found

    def target(self, at: int | None) -> int | None:
        """What an offset at a position refers to."""
        return None if at is None else at + self.value("I", at)

    def field(self, table: int | None, index: int) -> int | None:
        """The position of a field of a table; None: it has none."""
        if table is None:
            return None
        fields = table - self.value("i", table)
        place = 4 + 2 * index
        if place + 2 > self.value("H", fields):
            return None
        offset = self.value("H", fields + place)
        return table + offset if offset else None

    def elements(self, vector: int | None, size: int) -> range:
        """The positions of the structures in a vector."""
        if vector is None:
            return range(0)
        first = vector + 4
        return range(first, first + size * self.value("I", vector), size)


class IpcSizes:
    """How many bytes the batches of an Arrow IPC file take once they are decoded.

    Of the buffers it reads no more than the first 8 bytes of each: with compression they hold the
    length of the buffer that Arrow allocates. Uncompressed buffers count, too.

    Args:
        read: Gives the bytes from a position to before another one, or fewer at the end.
        size: The size of the file.

    Raises:
        CorruptError: Here and from the methods: the messages cannot be read.
    """

    def __init__(self, read: Callable[[int, int], Any], size: int) -> None:
        self._read = read
        tail = self._bytes(size - _TAIL.size, _TAIL.size)
        footer_size, _ = _TAIL.unpack(tail)
        footer = _Flat(self._bytes(size - _TAIL.size - footer_size, footer_size))
        try:
            root = footer.target(0)
            blocks = [
                [
                    (footer.value("q", at), footer.value("i", at + 8))
                    for at in footer.elements(
                        footer.target(footer.field(root, index)), _BLOCK_BYTES
                    )
                ]
                for index in (_DICTIONARIES, _BATCHES)
            ]
        except struct.error:
            raise _unreadable() from None
        self._dictionaries, self._batches = blocks
        self._of_dictionaries: int | None = None

    def dictionaries(self) -> int:
        """Of all dictionaries together."""
        if self._of_dictionaries is None:
            self._of_dictionaries = sum(self._of_block(*block) for block in self._dictionaries)
        return self._of_dictionaries

    def batch(self, index: int) -> int:
        """Of the values of a batch, without dictionaries."""
        return self._of_block(*self._batches[index])

    def _bytes(self, start: int, size: int) -> bytes:
        content = bytes(self._read(start, start + size)) if start >= 0 and size >= 0 else b""
        if len(content) != size or size < 0:
            raise _unreadable()
        return content

    def _of_block(self, start: int, metadata_size: int) -> int:
        content = self._bytes(start, metadata_size)
        # The length of the FlatBuffer is before it, and since version 1.0 a mark before that.
        message = _Flat(content[8 if content.startswith(_CONTINUATION) else 4 :])
        try:
            return self._of_message(message, start + metadata_size)
        except struct.error:
            raise _unreadable() from None

    def _of_message(self, message: _Flat, body: int) -> int:
        root = message.target(0)
        type = message.field(root, _HEADER_TYPE)
        batch = message.target(message.field(root, _HEADER))
        if type is not None and message.value("B", type) == _DICTIONARY_BATCH:
            batch = message.target(message.field(batch, _DATA))
        is_compressed = message.field(batch, _COMPRESSION) is not None
        is_compressed = is_compressed or _OLD_COMPRESSION in message.content
        total = 0
        for at in message.elements(message.target(message.field(batch, _BUFFERS)), _BUFFER_BYTES):
            offset, size = message.value("q", at), message.value("q", at + 8)
            if is_compressed and size >= 8:
                (decoded,) = struct.unpack("<q", self._bytes(body + offset, 8))
                # -1: the buffer follows as it is. Arrow refuses other negative lengths.
                size = size - 8 if decoded < 0 else decoded
            total += max(size, 0)
        return total


def _unreadable() -> CorruptError:
    return CorruptError("its messages cannot be read")


# ---- arrays ----


def bytes_of_rows(array: pa.Array) -> int:
    """Without dictionaries, which all batches of a file share.

    The values of views count as often as there are rows with them.
    """
    array = storage_array(array)
    if isinstance(array, pa.DictionaryArray):
        return _referenced(array.indices)
    if _is_view(array.type):
        return len(array) * _VIEW_BYTES + spread_bytes(array)
    return max(0, _referenced(array) - _in_dictionaries(array))


def spread_bytes(array: pa.Array) -> int:
    """Of values that are copied out of their dictionary, or out of the buffers that views share.

    0 for other types, whose values are copied as they are.
    """
    array = storage_array(array)
    if _is_view(array.type):
        return int(_view_lengths(array).sum())
    if not isinstance(array, pa.DictionaryArray):
        return 0
    values = storage_array(array.dictionary)
    if _is_view(values.type):
        lengths = pa.array(_view_lengths(values))
    elif _is_text(values.type):
        lengths = pc.binary_length(values).cast(pa.int64())
    else:
        # No value takes more than all of them.
        each: int = _width(values.type) or _referenced(values)
        return (len(array) - int(array.null_count)) * each
    total: int = pc.sum(lengths.take(array.indices.cast(pa.int64()))).as_py() or 0
    return total


def _width(type: pa.DataType) -> int:
    """Bytes of each value; 0: they differ."""
    try:
        return -(-int(type.bit_width) // 8)
    except ValueError:
        return 0


def _is_text(type: pa.DataType) -> bool:
    return type in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())


def _is_view(type: pa.DataType) -> bool:
    kinds = (getattr(pa.types, f"is_{kind}_view", None) for kind in ("string", "binary"))
    return any(is_kind is not None and is_kind(type) for is_kind in kinds)  # not in pyarrow 14


def _view_lengths(array: pa.Array) -> Any:
    """(rows,) of int64: the lengths of the values, 0 for nulls."""
    if not len(array):
        return np.empty(0, np.int64)
    heads = np.frombuffer(array.buffers()[1], np.int32)[::4]
    lengths = heads[array.offset : array.offset + len(array)].astype(np.int64)
    if array.null_count:
        lengths[np.asarray(array.is_null().to_numpy(zero_copy_only=False))] = 0
    return lengths


def _referenced(array: pa.Array) -> int:
    try:
        return int(array.nbytes)
    except (pa.ArrowException, NotImplementedError):  # not for all types
        return int(array.get_total_buffer_size())


def _in_dictionaries(array: pa.Array) -> int:
    """Of the dictionaries inside of nested types, as ``_referenced`` counts them."""
    array = storage_array(array)
    if isinstance(array, pa.DictionaryArray):
        return _referenced(array.dictionary)
    return sum(map(_in_dictionaries, _children(array)))


def _children(array: pa.Array) -> list[pa.Array]:
    if isinstance(array, (pa.StructArray, pa.UnionArray)):
        return [array.field(index) for index in range(array.type.num_fields)]
    if isinstance(array, pa.MapArray):
        return [array.keys, array.items]
    # Of lists and run ends.
    values = getattr(array, "values", None) if array.type.num_fields else None
    return [values] if isinstance(values, pa.Array) else []
