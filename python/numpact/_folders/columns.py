# SPDX-License-Identifier: Apache-2.0
"""Arrow's fields in the words of a manifest, and back. Needs pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from .._errors import InvalidArgumentError
from .._number_types import dtype_of
from .._remote.manifest import Column, LogicalType, Manifest, pack_metadata, unpack_metadata
from .._tables.columns import (
    all_number_bytes,
    arrow_type_of,
    decimal_array,
    logical_of,
    metadata_of,
    metadata_pairs,
    number_bytes,
    storage_array,
)

if TYPE_CHECKING:
    from .._types import Array

_EXTENSION = b"ARROW:extension:name"


def field_metadata(field: pa.Field) -> bytes:
    """The metadata of a field, packed as in a manifest; that of an extension type among it."""
    return pack_metadata(metadata_pairs(metadata_of(field)))


def table_metadata(schema: pa.Schema) -> bytes:
    """The metadata of a schema, packed."""
    return pack_metadata((schema.metadata or {}).items())


def field_of(column: Column) -> pa.Field:
    """The field of a column, with its metadata; an extension type is only metadata."""
    field = pa.field(column.name, arrow_type_of(column.logical), column.nullable)
    return field.with_metadata(_metadata(column.metadata)) if column.metadata else field


def schema_metadata(manifest: Manifest) -> Any:
    """The metadata of the schema of a table; None if there is none."""
    return _metadata(manifest.metadata) if manifest.metadata else None


def _metadata(packed: bytes) -> Any:
    return pa.KeyValueMetadata(unpack_metadata(packed))


def numbers_in(array: pa.Array, logical: LogicalType) -> Array:
    """The numbers of an array as they are stored; those of null rows are left out."""
    content = number_bytes(storage_array(array))
    return np.frombuffer(content, dtype_of(logical.number_type))


def validity_of(array: pa.Array) -> Array | None:
    """(rows,) of bool, True where there is a number; None if no row is null."""
    if not array.null_count:
        return None
    return np.frombuffer(number_bytes(array.is_valid().cast(pa.uint8())), np.bool_)


def rows_in(array: pa.Array, logical: LogicalType) -> tuple[Array, Array | None]:
    """The rows of an array for the library's writer.

    Returns:
        (rows,) of the numbers as they are stored, any for null rows; and (rows,) of uint8, 0 for
        null rows and else 1, or None if no row is null.
    """
    valid = validity_of(array)
    content = all_number_bytes(storage_array(array))
    numbers = np.frombuffer(content, dtype_of(logical.number_type))
    return numbers, None if valid is None else valid.view(np.uint8)


def packed_array(field: pa.Field, rows: int, values: Array, bitmap: Array | None) -> pa.Array:
    """Stored numbers, bits of booleans, and a bitmap of rows that are not null, as an array."""
    bits = None if bitmap is None else pa.py_buffer(bitmap)
    if pa.types.is_decimal(field.type):
        return decimal_array(field.type, values, bits)
    return pa.Array.from_buffers(field.type, rows, [bits, pa.py_buffer(values)])


def array_of_numbers(numbers: Array, logical: LogicalType) -> pa.Array:
    """Stored numbers, none of them null, as an array."""
    rows = len(numbers)
    values = np.packbits(numbers, bitorder="little") if logical.kind == "bool" else numbers
    buffers = [None, pa.py_buffer(values)]
    return pa.Array.from_buffers(arrow_type_of(logical), rows, buffers)


def one_array(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """A column as one array."""
    if isinstance(values, pa.Array):
        return values
    return values.chunk(0) if values.num_chunks == 1 else values.combine_chunks()


def empty_table(schema: pa.Schema) -> pa.Table:
    """A table without rows; pyarrow's own refuses lists and structs of dictionaries."""
    arrays = [chunked([_empty(field.type)], field.type) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def _empty(type: pa.DataType) -> pa.Array:
    if isinstance(type, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(type, _empty(type.storage_type))
    if pa.types.is_dictionary(type):
        parts = (_empty(type.index_type), _empty(type.value_type))
        return pa.DictionaryArray.from_arrays(*parts, ordered=type.ordered)
    if not type.num_fields:
        return pa.array([], type)
    # No buffer is needed for no rows, but that of the offsets, which have one element.
    offsets = pa.py_buffer(bytes(8))
    has_offsets = any(
        test(type) for test in (pa.types.is_list, pa.types.is_large_list, pa.types.is_map)
    )
    if not has_offsets and not pa.types.is_struct(type) and not pa.types.is_fixed_size_list(type):
        return pa.array([], type)
    buffers = [None, offsets] if has_offsets else [None]
    children = [_empty(type.field(i).type) for i in range(type.num_fields)]
    return pa.Array.from_buffers(type, 0, buffers, children=children)


def with_extensions(schema: pa.Schema) -> pa.Schema:
    """The schema with the extension types that its fields name, if they are registered."""
    if not any(_EXTENSION in (field.metadata or {}) for field in schema):
        return schema
    return pa.Schema._import_from_c_capsule(schema.__arrow_c_schema__())


def chunked(arrays: list[pa.Array], type: pa.DataType) -> pa.ChunkedArray:
    """Arrays as a column, whose type may extend theirs."""
    if isinstance(type, pa.BaseExtensionType):
        arrays = [
            array if array.type == type else pa.ExtensionArray.from_storage(type, array)
            for array in arrays
        ]
    return pa.chunked_array(arrays, type)


def numpy_of(table: pa.Table, name: str) -> Array:
    """A column as an array of (rows,); InvalidArgumentError if it has nulls."""
    column = table.column(name)
    if column.null_count:
        raise InvalidArgumentError(
            f"column {name!r}: {column.null_count} nulls, which NumPy does not have: to_arrow, "
            "to_pandas and to_polars keep them"
        )
    logical = logical_of(table.schema.field(name))
    if logical is None or logical.kind == "decimal":
        made: Array = column.to_numpy()
        return made
    parts = [logical.as_numpy(numbers_in(chunk, logical)) for chunk in column.chunks]
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty(0, logical.numpy_dtype())
