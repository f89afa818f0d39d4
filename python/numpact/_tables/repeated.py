# SPDX-License-Identifier: Apache-2.0
"""Text and bytes whose values repeat, as indices of a dictionary."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as _compute

pc: Any = _compute  # its functions are made when it is imported

# Values that indices of 16 bits number. Text with more of them is stored as it is.
_MAX_VALUES = 1 << 15
# Rows for each different value of the first batch from which indices are used: below, the
# dictionary takes about as much as the text.
_MIN_REPEATS = 4


def may_repeat(type: pa.DataType) -> bool:
    """Whether values of a type are stored as indices if they repeat."""
    return type in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())


class RepeatedValues:
    """Batches of a column, as indices of one dictionary; kept in memory, 2 bytes a row."""

    def __init__(self, type: pa.DataType) -> None:
        self.indices: list[pa.Array] = []  #: of each batch
        self._values = pa.array([], type)

    def add(self, array: pa.Array) -> pa.DictionaryArray | None:
        """A batch as indices; None if there are too many different values: nothing is added."""
        coded = array.dictionary_encode()
        if not self.indices and len(coded.dictionary) * _MIN_REPEATS > len(array):
            return None
        new = coded.dictionary.filter(
            pc.is_null(pc.index_in(coded.dictionary, value_set=self._values))
        )
        if len(self._values) + len(new) > _MAX_VALUES:
            return None
        values = pa.concat_arrays([self._values, new])
        places = pc.index_in(coded.dictionary, value_set=values).cast(pa.int16())
        indices = places.take(coded.indices)
        made = pa.DictionaryArray.from_arrays(indices, values)
        if not made.dictionary_decode().equals(array):
            return None
        self._values = values
        self.indices.append(indices)
        return made

    def coded(self, batch: int) -> pa.DictionaryArray:
        """A batch with the dictionary of all."""
        return pa.DictionaryArray.from_arrays(self.indices[batch], self._values)
