# SPDX-License-Identifier: Apache-2.0
"""Texts of columns whose numbers are places among them (docs/format/table-folder.md)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from .. import _core
from .._limits import Budget, Limits
from .columns import all_number_bytes, is_bytes, text_type
from .sizes import bytes_of_rows, spread_bytes

if TYPE_CHECKING:
    from .._types import Array

_MAX_BYTES = (1 << 31) - 1  # of an array whose offsets have 32 bits


class Texts:
    """The texts of a column.

    Args:
        type: The name of the column's type, as in a manifest.
        limits: Of what is decoded.
        place: How messages call the column.
        form: Of rows: "texts", "views" of the texts, which take less time than copies, or "codes",
            a dictionary.
    """

    def __init__(
        self,
        offsets: Array,
        content: bytes,
        type: str,
        limits: Limits,
        place: str,
        form: str = "texts",
    ) -> None:
        self.type = text_type(type)
        if form == "codes":
            self.type = coded_type(self.type, pa.int32())
        is_coded = pa.types.is_dictionary(self.type)
        self._offsets, self._content = offsets, content
        self._texts = array_of(
            offsets, content, None, self.type.value_type if is_coded else self.type
        )
        as_views = not is_coded and (form == "views" or self.type == view_type(self.type))
        self._views = self._texts.cast(view_type(self.type)).buffers() if as_views else None
        self._max_rows = max(1, _MAX_BYTES // max(1, int(np.diff(offsets).max(initial=1))))
        self._limits = limits
        self._place = place

    @staticmethod
    def of(
        reader: _core.TableReader,
        index: int,
        type: str,
        limits: Limits,
        place: str,
        form: str = "texts",
    ) -> Texts:
        """Those of a column of a table."""
        return Texts(*reader.texts(index), type, limits, place, form)

    def arrays(self, codes: Array, valid: Any, budget: Budget) -> list[pa.Array]:
        """The texts of rows, which count in the budget; at least one array.

        Args:
            codes: (rows,) of uint8, uint16 or uint32.
            valid: The bits of rows that are not null; None: all.
        """
        bits = None if valid is None else pa.py_buffer(valid)
        type = pa.from_numpy_dtype(codes.dtype)
        indices = pa.Array.from_buffers(type, len(codes), [bits, pa.py_buffer(codes)])
        made = []
        for at in range(0, max(1, len(indices)), self._max_rows):
            part = indices[at : at + self._max_rows]
            if pa.types.is_dictionary(self.type):
                made.append(self._coded(part))
                budget.take(bytes_of_rows(made[-1]), self._place)
                continue
            if self._limits:
                coded = pa.DictionaryArray.from_arrays(part, self._texts, safe=False)
                self._limits.check_decoded(spread_bytes(coded), self._place, bool(budget))
            one = codes[at : at + self._max_rows]
            made.append(self._copied(one, part) if self._views is None else self._viewed(one, part))
            if budget:
                budget.take(bytes_of_rows(made[-1]), self._place)
        return made

    def _coded(self, indices: pa.Array) -> pa.Array:
        """The rows as categories."""
        type = self.type
        # Those of a column that is given up may be more than the indices of its type number.
        most = np.iinfo(type.index_type.to_pandas_dtype()).max
        index_type = type.index_type if len(self._texts) <= most + 1 else pa.int32()
        return pa.DictionaryArray.from_arrays(
            indices.cast(index_type), self._texts, ordered=type.ordered, safe=False
        )

    def _viewed(self, codes: Array, indices: pa.Array) -> pa.Array:
        """The texts of rows as views."""
        assert self._views is not None
        _, views, *contents = self._views
        found = _core.text_views(codes, views or b"")
        valid = _bits_of(indices)
        bits = None if valid is None else pa.py_buffer(valid)
        buffers = [bits, pa.py_buffer(found), *contents]
        return pa.Array.from_buffers(view_type(self.type), len(codes), buffers)

    def _copied(self, codes: Array, indices: pa.Array) -> pa.Array:
        """The texts of rows."""
        is_large = self.type in (pa.large_string(), pa.large_binary())
        valid = _bits_of(indices)
        ends, content = _core.text_rows(codes, valid, self._offsets, self._content, is_large)
        bits = None if valid is None else pa.py_buffer(valid)
        buffers = [bits, pa.py_buffer(ends), pa.py_buffer(content)]
        return pa.Array.from_buffers(self.type, len(codes), buffers)


def _bits_of(array: pa.Array) -> Array | None:
    """The bits of rows that are not null; None: all."""
    if not array.null_count:
        return None
    return np.packbits(array.is_valid().to_numpy(False), bitorder="little")


def coded_type(type: pa.DataType, index_type: pa.DataType) -> pa.DataType:
    """The type of a dictionary of texts; that itself if it is one."""
    return type if pa.types.is_dictionary(type) else pa.dictionary(index_type, type)


@cache
def view_type(type: pa.DataType) -> pa.DataType:
    """The type of views of texts; that itself where pyarrow does not make any (before 18)."""
    name = "binary_view" if is_bytes(type) else "string_view"
    try:
        made: pa.DataType = getattr(pa, name)()
        pa.array([], type).cast(made)
    except (AttributeError, pa.ArrowNotImplementedError):
        return type
    return made


def array_of(offsets: Array, content: bytes, valid: Any, type: pa.DataType) -> pa.Array:
    """Texts by their offsets of 64 bits, (n + 1,)."""
    large = pa.large_binary() if is_bytes(type) else pa.large_string()
    bits = None if valid is None else pa.py_buffer(valid)
    buffers = [bits, pa.py_buffer(offsets), pa.py_buffer(content)]
    return pa.Array.from_buffers(large, len(offsets) - 1, buffers).cast(type)


def large_texts(array: pa.Array) -> tuple[Array, Any, Array | None]:
    """The texts of an array, also of categories.

    Returns:
        Their offsets, (rows + 1,) of uint64, the bytes, and (rows,) of uint8, 0 for null rows, or
        None if no row is null.
    """
    if isinstance(array, pa.DictionaryArray):
        array = array.dictionary_decode()
    large = array.cast(pa.large_binary() if is_bytes(array.type) else pa.large_string())
    valid = None
    if large.null_count:
        valid = np.frombuffer(all_number_bytes(large.is_valid().cast(pa.uint8())), np.uint8)
    _, offsets, content = large.buffers()
    if offsets is None or not len(large):
        return np.zeros(len(large) + 1, np.uint64), b"", valid
    ends = np.frombuffer(offsets, np.uint64)[large.offset : large.offset + len(large) + 1]
    return ends, content or b"", valid


def text_rows(array: pa.Array) -> tuple[memoryview, memoryview, memoryview]:
    """The texts of rows, the end of each, and a byte for each, 0 for null rows, or none at all."""
    offsets, content, valid = large_texts(array)
    first, end = int(offsets[0]), int(offsets[-1])
    flags = memoryview(b"") if valid is None else valid.data
    ends = (offsets[1:] - offsets[0]).data.cast("B")
    return memoryview(content)[first:end], ends, flags
