# SPDX-License-Identifier: Apache-2.0
"""Filters on columns that Pco cannot hold: text, bytes, decimals and dictionaries. By pyarrow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _compute

from .._errors import TypeMismatchError
from .._tables.columns import storage_array, storage_of
from .columns import logical_of, numbers_in, validity_of
from .filters import IN, Comparison, bind_number, integer_range, mismatch
from .values import Bytes, Number, Text, Value

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

pc: Any = _compute  # its functions are made when it is imported
_FUNCTIONS = {
    "=": "equal",
    "!=": "not_equal",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
}


@dataclass(frozen=True)
class OtherCondition:
    """A comparison of a column of Arrow."""

    evaluate: Callable[[pa.Array], Array]

    def mask(self, array: pa.Array) -> Array:
        """(rows,) of bool: which rows satisfy it; null rows do not."""
        return self.evaluate(storage_array(array))


def bind_other(comparison: Comparison, type: pa.DataType) -> OtherCondition:
    """The condition of a comparison other than a test for null.

    Raises:
        TypeMismatchError: The column is not comparable, or not with a value of this kind.
    """
    type = storage_of(type)
    if pa.types.is_dictionary(type):
        inner = bind_other(comparison, type.value_type)
        return OtherCondition(lambda array: inner.mask(array.dictionary_decode()))
    logical = logical_of(pa.field("", type))
    if logical is not None:
        condition = bind_number(comparison, logical)

        def of_numbers(array: pa.Array) -> Array:
            validity = validity_of(array)
            found = condition.mask(numbers_in(array, logical))
            if validity is None:
                return found
            spread = np.zeros(len(array), np.bool_)
            spread[validity] = found
            return spread

        return OtherCondition(of_numbers)
    if _is_text(type):
        texts = [_text_of(comparison, value) for value in comparison.values]
        return _of_arrow(comparison.op, texts, pa.large_string())
    if _is_binary(type):
        contents = []
        for value in comparison.values:
            if not isinstance(value, Bytes):
                raise mismatch(comparison.column, "bytes", value)
            contents.append(value.content)
        return _of_arrow(comparison.op, contents, pa.large_binary())
    if pa.types.is_decimal(type):
        return _of_decimals(comparison, type)
    raise TypeMismatchError(
        f"where: column {comparison.column!r} is of type {type}, whose values are not compared"
    )


def _text_of(comparison: Comparison, value: Value) -> str:
    if not isinstance(value, Text) or value.is_bare:
        raise mismatch(comparison.column, "text", value)
    return value.text


def _is_text(type: pa.DataType) -> bool:
    is_view = getattr(pa.types, "is_string_view", lambda type: False)  # not in pyarrow 14
    return pa.types.is_string(type) or pa.types.is_large_string(type) or is_view(type)


def _is_binary(type: pa.DataType) -> bool:
    is_view = getattr(pa.types, "is_binary_view", lambda type: False)
    return (
        pa.types.is_binary(type)
        or pa.types.is_large_binary(type)
        or pa.types.is_fixed_size_binary(type)
        or is_view(type)
    )


def _of_arrow(op: str, values: list[Any], type: pa.DataType) -> OtherCondition:
    def evaluate(array: pa.Array) -> Array:
        array = array.cast(type)
        if op == IN:
            found = pc.is_in(array, value_set=pa.array(values, type))
            return _as_mask(pc.and_(found, array.is_valid()))
        return _as_mask(pc.call_function(_FUNCTIONS[op], [array, pa.scalar(values[0], type)]))

    return OtherCondition(evaluate)


def _as_mask(found: pa.Array) -> Array:
    mask: Array = np.asarray(found.fill_null(False).to_numpy(zero_copy_only=False), np.bool_)
    return mask


def _of_decimals(comparison: Comparison, type: pa.DataType) -> OtherCondition:
    """By ranges of the whole numbers that decimals are multiples of a power of ten by."""
    max_value = 10**type.precision - 1
    wide = pa.decimal256 if type.bit_width > 128 else pa.decimal128
    compared = wide(type.precision, type.scale)
    exact = Context(prec=100)
    ranges: list[tuple[pa.Scalar, pa.Scalar]] = []
    for value in comparison.values:
        if not isinstance(value, Number):
            raise mismatch(comparison.column, "numbers", value)
        number = value.value
        if number != number:
            continue  # no decimal is NaN
        scaled = number if isinstance(number, float) else number * 10**type.scale
        op = "=" if comparison.op in ("!=", IN) else comparison.op
        found = integer_range(op, scaled, -max_value, max_value)
        if found is not None:
            low, high = (
                pa.scalar(exact.scaleb(Decimal(bound), -type.scale), compared) for bound in found
            )
            ranges.append((low, high))

    def evaluate(array: pa.Array) -> Array:
        array = array.cast(compared)
        mask = np.zeros(len(array), np.bool_)
        for low, high in ranges:
            inside = pc.and_(pc.greater_equal(array, low), pc.less_equal(array, high))
            mask |= _as_mask(inside)
        if comparison.op == "!=":
            return ~mask & _as_mask(array.is_valid())
        return mask

    return OtherCondition(evaluate)
