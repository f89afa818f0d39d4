# SPDX-License-Identifier: Apache-2.0
"""One schema for all partitions of a frame, whose types pandas leaves open."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from .._errors import TypeMismatchError
from .._table_arguments import Others
from .._tables.columns import logical_of, why_unfit
from .._tables.unifying import as_common, common_type

_PANDAS = b"pandas"  # metadata of a schema: the types of pandas, and the columns of the index


@dataclass(frozen=True)
class PartTypes:
    """The types of a partition, or of all. Can be pickled."""

    schema: pa.Schema
    orders: Mapping[str, pa.Array]  #: the values of ordered dictionaries, by column
    empty: frozenset[str] = frozenset()  #: columns without a value, whose type says nothing


def types_of(table: pa.Table) -> PartTypes:
    """The types of a partition."""
    orders = {
        field.name: table.column(field.name).chunk(0).dictionary
        for field in table.schema
        if pa.types.is_dictionary(field.type) and field.type.ordered and len(table)
    }
    columns = zip(table.column_names, table.columns, strict=True)
    empty = frozenset(name for name, column in columns if column.null_count == len(column))
    return PartTypes(table.schema, orders, empty)


def joined(parts: Sequence[PartTypes], others: Others) -> PartTypes:
    """The types that hold the rows of all partitions unchanged, as far as types can tell.

    Raises:
        TypeMismatchError: There are none; or ``others="error"`` and a column that Pco cannot hold.
    """
    names = parts[0].schema.names
    for number, part in enumerate(parts):
        if set(part.schema.names) != set(names):
            raise TypeMismatchError(
                f"partition {number} has the columns {part.schema.names}, partition 0 {names}"
            )
    fields = [_field(name, parts) for name in names]
    for field in fields:
        if others == "error" and logical_of(field) is None:
            raise TypeMismatchError(
                f"column {field.name!r}: {why_unfit(field)} (others='keep' keeps it as Arrow IPC)"
            )
    schemas = [part.schema for part in parts]
    orders = {field.name: _order(field.name, parts) for field in fields if _is_ordered(field.type)}
    return PartTypes(pa.schema(fields, _metadata(schemas, fields)), orders)


def _field(name: str, parts: Sequence[PartTypes]) -> pa.Field:
    fields = [part.schema.field(name) for part in parts]
    typed = [i for i, part in enumerate(parts) if name not in part.empty]
    if not typed:  # the type of all, where they agree
        return fields[0].with_type(common_type([field.type for field in fields]) or pa.null())
    type = common_type([fields[i].type for i in typed])
    if type is not None:
        return fields[0].with_type(type)
    first = fields[typed[0]].type
    unlike = (i for i in typed if common_type([first, fields[i].type]) is None)
    number = next(unlike, typed[-1])  # each may fit the first one, but not all each other
    raise TypeMismatchError(
        f"column {name!r}: partition {number} has values of type {fields[number].type}, partition "
        f"{typed[0]} of type {first}, and no type holds both: convert one of them"
    )


def _is_ordered(type: pa.DataType) -> bool:
    return bool(pa.types.is_dictionary(type) and type.ordered)


def _order(name: str, parts: Sequence[PartTypes]) -> pa.Array:
    """The values of an ordered dictionary, which are the same in all partitions with a value."""
    orders = [
        (number, part.orders[name])
        for number, part in enumerate(parts)
        if name in part.orders and name not in part.empty
    ]
    for number, order in orders[1:]:
        if order.to_pylist() != orders[0][1].to_pylist():
            raise TypeMismatchError(
                f"column {name!r}: partition {number} has other ordered categories than partition "
                f"{orders[0][0]}: give all the same (cat.set_categories)"
            )
    return orders[0][1] if orders else None


def _metadata(schemas: Sequence[pa.Schema], fields: Sequence[pa.Field]) -> dict[bytes, bytes]:
    """The metadata of the first schema, with what pandas says about columns in their new types."""
    metadata = dict(schemas[0].metadata or {})
    if _PANDAS not in metadata:
        return metadata
    types = {field.name: field.type for field in fields}
    entries: dict[str, Any] = {}
    for schema in schemas:
        for entry in json.loads(schema.metadata[_PANDAS])["columns"]:
            name = entry["field_name"]
            if name not in entries and schema.field(name).type == types[name]:
                entries[name] = entry
    document = json.loads(metadata[_PANDAS])
    document["columns"] = [
        # No partition has the type: pandas' usual one for it.
        entries.get(entry["field_name"], {**entry, "numpy_type": "object", "metadata": None})
        for entry in document["columns"]
    ]
    return metadata | {_PANDAS: json.dumps(document).encode()}


def is_final(part: PartTypes, types: PartTypes, others: Others) -> bool:
    """Whether a part that was written with all its columns need not change."""
    if not part.schema.equals(types.schema):  # without metadata, which fits the types of each part
        return False
    has_orders = all(
        order is None or (name in part.orders and part.orders[name].equals(order))
        for name, order in types.orders.items()
    )
    return has_orders and (others == "keep" or all(logical_of(field) for field in types.schema))


def converted(table: pa.Table, types: PartTypes) -> pa.Table:
    """The rows in the types of ``joined``.

    Raises:
        TypeMismatchError: A value would change.
    """
    columns = [_converted(table.column(field.name), field, types.orders) for field in types.schema]
    return pa.Table.from_arrays(columns, schema=types.schema)


def _converted(
    values: pa.ChunkedArray, field: pa.Field, orders: Mapping[str, pa.Array]
) -> pa.ChunkedArray:
    order = orders.get(field.name)
    if order is not None and values.null_count == len(values):
        indices = pa.nulls(len(values), field.type.index_type)
        order = order.cast(field.type.value_type)
        return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, order, ordered=True)])
    return as_common(values, field.type, f"column {field.name!r}")
