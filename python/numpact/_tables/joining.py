# SPDX-License-Identifier: Apache-2.0
"""Values that can be appended to a column that Pco cannot hold, and their type there."""

from __future__ import annotations

import pyarrow as pa

from .._errors import LimitExceededError, TypeMismatchError
from .columns import storage_of, text_family
from .others import have_same_values


def as_type(values: pa.ChunkedArray, field: pa.Field) -> pa.ChunkedArray:
    """Values in the type of a field; of a dictionary, the indices may be of another type.

    Raises:
        TypeMismatchError: They are not values of the field. The form of their text and the indices
            of a dictionary do not matter, and nulls without a type are of every type.
    """
    type = field.type
    if have_same_values(values.type, type):
        return values
    if is_null_type(values.type) and values.null_count == len(values):
        return nulls_of(type, len(values))
    given, requested = values.type, storage_of(type)
    if pa.types.is_dictionary(given) and pa.types.is_dictionary(requested):
        if given.ordered == requested.ordered and _are_same_text(
            given.value_type, requested.value_type
        ):
            made = pa.dictionary(given.index_type, requested.value_type, requested.ordered)
            return pa.chunked_array([_recoded(array, made) for array in values.chunks], made)
    elif _are_same_text(given, requested):
        try:
            return values.cast(type)
        except pa.ArrowInvalid as error:  # more bytes than offsets of 32 bits can number
            raise LimitExceededError(
                f"column {field.name!r}: values of type {given} do not fit {type}: {error}"
            ) from None
    raise TypeMismatchError(
        f"column {field.name!r}: values of type {values.type}, the folder has {type}"
    )


def is_null_type(type: pa.DataType) -> bool:
    """Whether a type has no values but nulls; the type of categories without any is one."""
    if pa.types.is_dictionary(type):
        type = type.value_type
    return bool(pa.types.is_null(type))


def nulls_of(type: pa.DataType, count: int) -> pa.ChunkedArray:
    """A column of nulls."""
    nulls = pa.nulls(count, storage_of(type))
    if isinstance(type, pa.BaseExtensionType):
        nulls = pa.ExtensionArray.from_storage(type, nulls)
    return pa.chunked_array([nulls], type)


def _recoded(array: pa.DictionaryArray, type: pa.DataType) -> pa.Array:
    dictionary = array.dictionary.cast(type.value_type)
    return pa.DictionaryArray.from_arrays(array.indices, dictionary, ordered=type.ordered)


def _are_same_text(one: pa.DataType, other: pa.DataType) -> bool:
    family = text_family(storage_of(one))
    return family is not None and family == text_family(other)
