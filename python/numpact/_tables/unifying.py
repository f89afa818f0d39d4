# SPDX-License-Identifier: Apache-2.0
"""One type for values that were given several, without changing a value."""

from __future__ import annotations

from functools import reduce
from typing import Any

import pyarrow as pa

from .._errors import TypeMismatchError
from .columns import storage_of, text_family
from .joining import is_null_type, nulls_of

# Digits of the largest decimals that Arrow has.
_MAX_DIGITS_128, _MAX_DIGITS_256 = 38, 76
# Digits of any integer, by the bits of its type.
_DIGITS = {8: 3, 16: 5, 32: 10, 64: 20}
_UNITS = ("s", "ms", "us", "ns")


def common_type(types: list[pa.DataType]) -> pa.DataType | None:
    """The narrowest type that can hold the values of all types; None if there is none.

    Whether it holds each value is only known when they are converted: integers of 64 bits and
    floats have float64 in common.
    """
    return reduce(_common, types) if types else None


def as_common(values: pa.ChunkedArray, type: pa.DataType, name: str) -> pa.ChunkedArray:
    """Values in a type that ``common_type`` gave.

    Args:
        values: The values.
        type: The type.
        name: How messages call the values.

    Raises:
        TypeMismatchError: It does not hold a value exactly.
    """
    if values.type.equals(type):
        return values
    if values.null_count == len(values):
        return nulls_of(type, len(values))
    try:
        if not pa.types.is_dictionary(values.type):
            return _cast(values, type)
        if pa.types.is_dictionary(type):
            return pa.chunked_array([_recoded(chunk, type) for chunk in values.chunks], type)
        plain = [chunk.dictionary_decode() for chunk in values.chunks]
        return as_common(pa.chunked_array(plain, values.type.value_type), type, name)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        text = str(error).partition("\n")[0]
        raise TypeMismatchError(
            f"{name}: values of type {values.type} are not {type} without a change: {text}"
        ) from None


def _cast(values: pa.ChunkedArray, type: pa.DataType) -> pa.ChunkedArray:
    try:
        return values.cast(type)
    except pa.ArrowNotImplementedError:
        pass  # structures of other fields, which pyarrow casts only in newer versions
    return pa.chunked_array([pa.array(chunk.to_pylist(), type) for chunk in values.chunks], type)


def _recoded(array: pa.DictionaryArray, type: pa.DataType) -> pa.Array:
    indices = array.indices.cast(type.index_type)
    dictionary = array.dictionary.cast(type.value_type)
    return pa.DictionaryArray.from_arrays(indices, dictionary, ordered=type.ordered)


# ---- types ----


def _common(one: pa.DataType | None, other: pa.DataType | None) -> pa.DataType | None:
    if one is None or other is None:
        return None
    if one.equals(other):
        return one
    if is_null_type(one):
        return _with_indices_of(other, one)
    if is_null_type(other):
        return _with_indices_of(one, other)
    for join in (_dictionaries, _numbers, _decimals, _texts, _times, _lists, _structures, _maps):
        made = join(one, other)
        if made is not None:
            return made
    return None


def _with_indices_of(type: pa.DataType, nulls: pa.DataType) -> pa.DataType:
    """The type of values that nulls go to; a dictionary has indices that are wide enough."""
    if pa.types.is_dictionary(type) and pa.types.is_dictionary(nulls):
        index = _numbers(type.index_type, nulls.index_type) or type.index_type
        return pa.dictionary(index, type.value_type, type.ordered)
    return type


def _dictionaries(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    coded = [pa.types.is_dictionary(type) for type in (one, other)]
    if not any(coded):
        return None
    plain = [type.value_type if pa.types.is_dictionary(type) else type for type in (one, other)]
    values = _common(*plain)
    if not all(coded) or values is None:
        return values
    if one.ordered != other.ordered:
        return None
    index = _common(one.index_type, other.index_type)
    return None if index is None else pa.dictionary(index, values, one.ordered)


def _numbers(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    both = (one, other)
    if all(map(pa.types.is_floating, both)):
        return max(both, key=lambda type: type.bit_width)
    if not all(pa.types.is_integer(type) or pa.types.is_floating(type) for type in both):
        return None
    if any(map(pa.types.is_floating, both)):
        return pa.float64()
    if pa.types.is_signed_integer(one) == pa.types.is_signed_integer(other):
        return max(both, key=lambda type: type.bit_width)
    signed, unsigned = sorted(both, key=pa.types.is_unsigned_integer)
    bits = max(signed.bit_width, min(2 * unsigned.bit_width, 64))
    return {16: pa.int16(), 32: pa.int32(), 64: pa.int64()}[bits]


def _digits(type: pa.DataType) -> tuple[int, int] | None:
    """Digits before and after the decimal point."""
    if pa.types.is_integer(type):
        return _DIGITS[type.bit_width], 0
    return (type.precision - type.scale, type.scale) if pa.types.is_decimal(type) else None


def _decimals(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    a, b = _digits(one), _digits(other)
    if a is None or b is None:
        return None
    whole, scale = max(a[0], b[0]), max(a[1], b[1])
    if whole + scale > _MAX_DIGITS_256:
        return None
    is_wide = whole + scale > _MAX_DIGITS_128 or any(map(pa.types.is_decimal256, (one, other)))
    return (pa.decimal256 if is_wide else pa.decimal128)(whole + scale, scale)


def _texts(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    family = text_family(one)
    if family is None or family != text_family(other):
        return None
    return pa.large_string() if family == "string" else pa.large_binary()


def _times(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    both = (one, other)
    if all(map(pa.types.is_date, both)):
        return pa.date64()
    if not all(hasattr(type, "unit") for type in both):
        return None
    unit = max(one.unit, other.unit, key=_UNITS.index)
    if all(map(pa.types.is_timestamp, both)):
        return pa.timestamp(unit, one.tz) if one.tz == other.tz else None
    if all(map(pa.types.is_duration, both)):
        return pa.duration(unit)
    if all(map(pa.types.is_time, both)):
        return pa.time64(unit) if unit in ("us", "ns") else pa.time32(unit)
    return None


def _is_list(type: pa.DataType) -> bool:
    kinds = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    return any(is_kind(type) for is_kind in kinds)


def _lists(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    if not (_is_list(one) and _is_list(other)):
        return None
    values = _common(one.value_type, other.value_type)
    if values is None:
        return None
    item = one.value_field.with_type(values).with_nullable(True)
    fixed = [pa.types.is_fixed_size_list(type) for type in (one, other)]
    if all(fixed) and one.list_size == other.list_size:
        return pa.list_(item, one.list_size)
    return (pa.large_list if any(map(pa.types.is_large_list, (one, other))) else pa.list_)(item)


def _structures(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    if not (pa.types.is_struct(one) and pa.types.is_struct(other)):
        return None
    fields: dict[str, Any] = {}
    for type in (one, other):
        names = [type.field(index).name for index in range(type.num_fields)]
        if len(set(names)) < len(names):
            return None
        for index, name in enumerate(names):
            values = type.field(index).type
            fields[name] = _common(fields[name], values) if name in fields else values
    if any(values is None for values in fields.values()):
        return None
    return pa.struct(list(fields.items()))


def _maps(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    if not (pa.types.is_map(one) and pa.types.is_map(other)):
        return None
    key, item = _common(one.key_type, other.key_type), _common(one.item_type, other.item_type)
    return None if key is None or item is None else pa.map_(key, item)


def unlike(types: list[pa.DataType]) -> str:
    """Types that have nothing in common, for a message."""
    return " and ".join(dict.fromkeys(str(storage_of(type)) for type in types))
