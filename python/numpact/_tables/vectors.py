# SPDX-License-Identifier: Apache-2.0
"""Fixed-size lists of numbers as CVC files (docs/format/table-folder.md)."""

from __future__ import annotations

import base64
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from .._errors import InvalidArgumentError, TypeMismatchError
from .columns import storage_array, storage_of

if TYPE_CHECKING:
    from .._types import Array
    from ..cvc import Reader

#: The ending of the files, and the name of their only column.
ENDING, COLUMN = ".cvc", "vectors"
#: The member of a file's metadata with the field of the column: a schema of Arrow IPC in base64.
SCHEMA = "arrow"
#: The exact compression, which a manifest does not name.
EXACT = "pco"
#: Compressions that change values.
LOSSY = (
    "fp16", "bfloat16", "int8", "int8_row", "int8_dim", "int4", "rot1", "rot2", "rot3", "rot4",
)  # fmt: skip
# The types of values that CVC has, by those of Arrow.
_DTYPES = {
    pa.float16(): "float16", pa.float32(): "float32", pa.int8(): "int8", pa.uint8(): "uint8",
    pa.int32(): "int32", pa.int64(): "int64",
}  # fmt: skip
# Values and rows of a chunk, as in include/numpact/table.hpp.
_CHUNK_VALUES, _MIN_CHUNK_ROWS, _MAX_CHUNK_ROWS = 1 << 22, 1 << 10, 1 << 16


def dtype_of_vectors(type: pa.DataType) -> str | None:
    """The type of the values of a CVC file for lists of a type of Arrow; None: it has none."""
    type = storage_of(type)
    if not pa.types.is_fixed_size_list(type) or not type.list_size:
        return None
    return _DTYPES.get(type.value_type)


def compression_for(field: pa.Field, name: str) -> str:
    """The compression of vectors as a manifest names it: empty for exact ones.

    Raises:
        TypeMismatchError: The column has no vectors, or they are whole numbers.
        InvalidArgumentError: There is no such compression.
    """
    if name not in (EXACT, *LOSSY):
        raise InvalidArgumentError(
            f"vectors of {field.name!r}: {name!r} is not {EXACT!r} or one of {LOSSY}"
        )
    dtype = dtype_of_vectors(field.type)
    if dtype is None:
        raise TypeMismatchError(
            f"vectors of {field.name!r}: values of type {field.type} are no fixed-size lists of "
            "float32 or float16"
        )
    if name == EXACT:
        return ""
    if not dtype.startswith("float"):
        raise TypeMismatchError(f"vectors of {field.name!r}: {dtype} is stored exactly only")
    return name


def require_exact(field: pa.Field, wider: pa.DataType, compression: str) -> None:
    """Lets a column get a wider type unless its compression changes values.

    All rows are written anew then, and would lose more than the compression took from them.

    Raises:
        TypeMismatchError: The compression is not the exact one, which is called ``""``.
    """
    if compression:
        raise TypeMismatchError(
            f"column {field.name!r}: its vectors are {compression}, which would change the rows of "
            f"{field.type} anew if they became {wider}"
        )


def chunk_rows(width: int) -> int:
    """Rows of a chunk of lists of that many numbers."""
    return min(max(_CHUNK_VALUES // width, _MIN_CHUNK_ROWS), _MAX_CHUNK_ROWS)


def numbers_of(array: pa.Array) -> Array:
    """(rows, values): the numbers of lists, of which none is null."""
    array = storage_array(array)
    values = array.flatten().to_numpy(zero_copy_only=False)
    return np.ascontiguousarray(values).reshape(len(array), array.type.list_size)


def vector_array(numbers: Array, type: pa.DataType) -> pa.Array:
    """The other way round."""
    storage = storage_of(type)
    values = pa.array(numbers.reshape(-1), storage.value_type)
    made = pa.Array.from_buffers(storage, len(numbers), [None], children=[values])
    return _extended(type, made)


def _extended(type: pa.DataType, storage: pa.Array) -> pa.Array:
    if not isinstance(type, pa.BaseExtensionType):
        return storage
    return pa.ExtensionArray.from_storage(type, _extended(type.storage_type, storage))


def has_nulls(array: pa.Array) -> bool:
    """Whether a list, or a number in one, is null."""
    array = storage_array(array)
    return bool(array.null_count or array.flatten().null_count)


class VectorFile:
    """A CVC file that grows in a temporary folder, with memory for a chunk.

    Args:
        field: Of the column: its lists have a type that CVC has.
        compression: Empty: exact.
    """

    def __init__(self, field: pa.Field, compression: str) -> None:
        from ..cvc import Writer

        dtype = dtype_of_vectors(field.type)
        assert dtype is not None
        self._dtype = np.dtype(dtype)
        width = storage_of(field.type).list_size
        schema = base64.b64encode(pa.schema([field]).serialize()).decode()
        self._folder = tempfile.mkdtemp(prefix="numpact-")
        self.remove = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._writer = Writer(
            self._folder,
            append=True,
            columns={COLUMN: ((width,), dtype)},
            compression={COLUMN: compression or EXACT},
            chunk_size=chunk_rows(width),
            metadata={SCHEMA: schema},
            threads=1,
            sync=False,
        )

    def add(self, numbers: Array) -> None:
        """Adds rows, (rows, values)."""
        self._writer.append(numbers)

    def copy(self, rows: Reader) -> None:
        """Adds the rows of a file: chunks stay as they are where values would change."""
        self._writer.append(rows)

    def blocks(self) -> Iterator[Array]:
        """Ends the file, and gives its rows back."""
        from ..cvc import Reader

        with Reader(self.finish(), threads=1) as reader:
            for index in range(len(reader.info.chunks)):
                yield reader.read_chunk(index, dtype=self._dtype)

    def finish(self) -> str:
        """The path of the complete file, which stays until ``remove`` is called."""
        self._writer.close()
        names = [name for name in os.listdir(self._folder) if name.endswith(ENDING)]
        return os.path.join(self._folder, names[0])
