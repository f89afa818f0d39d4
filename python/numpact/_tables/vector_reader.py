# SPDX-License-Identifier: Apache-2.0
"""Reads the CVC files of columns of fixed-size lists, and files of either kind."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from .._errors import CorruptError, InvalidArgumentError
from .._limits import Budget, Limits
from .._remote.checked_file import CheckedFile
from ..cvc import Reader
from .columns import storage_of
from .others import OtherReader, checked_field, typed
from .vectors import COLUMN, SCHEMA, chunk_rows, dtype_of_vectors, vector_array

#: The first bytes of a file of CVC.
MAGIC = b"CVCF"


def open_other(source: Any, rows: int, place: str, name: str | None = None) -> OtherReader:
    """The reader of a file of Arrow or of vectors; arguments and errors as of ``OtherReader``."""
    begin = (
        source.between(0, len(MAGIC))
        if isinstance(source, CheckedFile)
        else memoryview(source)[: len(MAGIC)]
    )
    made = VectorReader if bytes(begin) == MAGIC else OtherReader
    return made(source, rows, place, name)


class VectorReader(OtherReader):
    """Reads rows of a CVC file; its content is untrusted. Arguments and errors as of the base."""

    def __init__(self, source: Any, rows: int, place: str, name: str | None = None) -> None:
        self.rows = rows
        self.limits = Limits()
        self.has_dictionary = False
        self._is_coded = False
        self._place = place
        with typed(place):
            self.vectors = Reader(source, threads=1)  #: all rows
            info = self.vectors.info
            schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(info.metadata[SCHEMA])))
            if len(schema) != 1:
                raise CorruptError(f"{place}: has {len(schema)} fields, not 1")
            self.field = checked_field(schema.field(0), place, name)
        self._width = getattr(storage_of(self.field.type), "list_size", 0)
        dtype = dtype_of_vectors(self.field.type)
        found = [(column.name, column.dtype, column.dimension) for column in info.columns]
        if found != [(COLUMN, dtype, self._width)] or info.rows != rows:
            raise CorruptError(
                f"{place}: has {info.rows} rows of {found}, the column has {rows} of "
                f"{self.field.type}"
            )
        self._dtype = np.dtype(dtype)

    def read(
        self, first: int, count: int, budget: Budget | None = None, is_output: bool = False
    ) -> pa.ChunkedArray:
        if first < 0 or count < 0 or first + count > self.rows:
            raise InvalidArgumentError(
                f"{self._place}: has {self.rows} rows, not {count} from row {first} on"
            )
        size = count * self._width * self._dtype.itemsize
        self.limits.check_decoded(size, self.place, is_output or bool(budget))
        if budget:
            budget.take(size, self.place)
        with typed(self._place):
            numbers = self.vectors.read(first, count, dtype=self._dtype)
        return pa.chunked_array([vector_array(numbers, self.field.type)], self.field.type)

    def read_coded(self, first: int, count: int) -> list[pa.Array]:
        return list(self.read(first, count).chunks)

    def batches(self) -> Iterator[pa.Array]:
        step = chunk_rows(self._width)
        for first in range(0, self.rows, step):
            yield from self.read(first, min(step, self.rows - first)).chunks
