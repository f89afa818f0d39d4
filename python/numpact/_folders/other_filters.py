# SPDX-License-Identifier: Apache-2.0
"""Filters on columns that Pco cannot hold: text, bytes, decimals and dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _compute

from .. import _core
from .._errors import TypeMismatchError
from .._tables.columns import logical_of, storage_array, storage_of, text_family
from .columns import numbers_in, validity_of
from .filters import Comparison, NumberCondition

if TYPE_CHECKING:
    from .._types import Array

pc: Any = _compute  # its functions are made when it is imported
# Digits that decimals have at most: those of 256 bits.
_MAX_PRECISION = 76


@dataclass(frozen=True)
class OtherCondition:
    """Comparisons of a column of Arrow."""

    matches_null: bool  #: null rows satisfy it
    evaluate: Callable[[pa.Array], Array]  #: which values satisfy it; any result for null rows
    is_dictionary: bool = False  #: the column has dictionaries, and these are evaluated

    def mask(self, array: pa.Array) -> Array:
        """(rows,) of bool: which rows satisfy it. Text may come in a dictionary."""
        array = storage_array(array)
        evaluate = self.evaluate
        if isinstance(array, pa.DictionaryArray) and not self.is_dictionary:
            evaluate = _of_dictionary(self).evaluate
        if not array.null_count:
            return evaluate(array)
        valid = _as_mask(array.is_valid())
        found = evaluate(array) & valid
        return found | ~valid if self.matches_null else found


def bind_other(comparisons: Sequence[Comparison], type: pa.DataType) -> OtherCondition:
    """The condition of comparisons with one column.

    Raises:
        TypeMismatchError: The column is not comparable, or not with a value of this kind.
    """
    type = storage_of(type)
    if all(item.is_null_test for item in comparisons):
        # What holds for one text holds for the values of any type.
        tests = _core.bind_texts(comparisons, False)
        has_values = bool(tests.mask(np.zeros(2, np.int64), b"")[0])
        return OtherCondition(
            tests.matches_null, lambda array: np.full(len(array), has_values, np.bool_), True
        )
    if pa.types.is_dictionary(type):
        return _of_dictionary(bind_other(comparisons, type.value_type))
    logical = logical_of(pa.field("", type))
    if logical is not None:
        return _of_numbers(NumberCondition(comparisons, logical), logical)
    if text_family(type) == "string":
        return _of_texts(_core.bind_texts(comparisons, False), pa.large_string())
    if text_family(type) == "binary" or pa.types.is_fixed_size_binary(type):
        return _of_texts(_core.bind_texts(comparisons, True), pa.large_binary())
    if pa.types.is_decimal(type):
        return _of_decimals(_core.bind_decimals(comparisons), type)
    raise TypeMismatchError(
        f"where: column {comparisons[0].column!r} is of type {type}, whose values are not compared"
    )


def _as_mask(found: pa.Array) -> Array:
    mask: Array = np.asarray(found.fill_null(False).to_numpy(zero_copy_only=False), np.bool_)
    return mask


def _of_dictionary(inner: OtherCondition) -> OtherCondition:
    """Each value of the dictionary is compared once."""

    def evaluate(array: pa.Array) -> Array:
        found = inner.mask(array.dictionary)
        if not len(found):
            return np.zeros(len(array), np.bool_)
        indices = array.indices.fill_null(0) if array.null_count else array.indices
        picked: Array = found[indices.to_numpy(zero_copy_only=False)]
        return picked

    return OtherCondition(inner.matches_null, evaluate, is_dictionary=True)


def _of_numbers(condition: NumberCondition, logical: Any) -> OtherCondition:
    def evaluate(array: pa.Array) -> Array:
        validity = validity_of(array)
        found = condition.mask(numbers_in(array, logical))
        if validity is None:
            return found
        spread = np.zeros(len(array), np.bool_)
        spread[validity] = found
        return spread

    return OtherCondition(condition.matches_null, evaluate)


def _of_texts(condition: _core.TextFilter, wide: pa.DataType) -> OtherCondition:
    def evaluate(array: pa.Array) -> Array:
        array = array.cast(wide)
        _, offsets, content = array.buffers()
        if offsets is None:  # an empty array
            return np.zeros(len(array), np.bool_)
        ends = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
        return condition.mask(ends, content or b"").view(np.bool_)

    return OtherCondition(condition.matches_null, evaluate)


def _of_decimals(condition: _core.DecimalFilter, type: pa.DataType) -> OtherCondition:
    """By ranges of the whole numbers that decimals are multiples of a power of ten by."""
    wide = pa.decimal256 if type.bit_width > 128 else pa.decimal128
    compared = wide(type.precision, type.scale)
    exact = Context(prec=_MAX_PRECISION + 1)
    # Ranges with one number between them are one with a hole: `in` makes points, `!=` makes holes,
    # which are searched as sets, and few ranges remain.
    spans: list[list[int]] = []
    holes: list[int] = []
    for low, high in condition.ranges(type.precision, type.scale):
        if spans and int(low) - spans[-1][1] == 2:
            holes.append(int(low) - 1)
            spans[-1][1] = int(high)
        else:
            spans.append([int(low), int(high)])

    def decimal_of(number: int) -> Decimal:
        return exact.scaleb(Decimal(number), -type.scale)

    def array_of(numbers: Sequence[int]) -> pa.Array:
        return pa.array([decimal_of(number) for number in numbers], compared)

    points = array_of([low for low, high in spans if low == high])
    without = array_of(holes)
    ranges = [
        (pa.scalar(decimal_of(low), compared), pa.scalar(decimal_of(high), compared))
        for low, high in spans
        if low < high
    ]

    def evaluate(array: pa.Array) -> Array:
        array = array.cast(compared)
        found = np.zeros(len(array), np.bool_)
        if len(points):
            found |= _as_mask(pc.is_in(array, value_set=points))
        for low, high in ranges:
            inside = pc.and_(pc.greater_equal(array, low), pc.less_equal(array, high))
            found |= _as_mask(inside)
        if len(without):
            found &= ~_as_mask(pc.is_in(array, value_set=without))
        return found

    return OtherCondition(condition.matches_null, evaluate)
