# SPDX-License-Identifier: Apache-2.0
"""Arrow's types in the words of the command, and back."""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from .._errors import CorruptError, InvalidArgumentError
from .._remote.manifest import LogicalType

if TYPE_CHECKING:
    import numpy.typing as npt

_NUMBERS = {
    "u8": pa.uint8(), "u16": pa.uint16(), "u32": pa.uint32(), "u64": pa.uint64(),
    "i8": pa.int8(), "i16": pa.int16(), "i32": pa.int32(), "i64": pa.int64(),
    "f16": pa.float16(), "f32": pa.float32(), "f64": pa.float64(),
}  # fmt: skip
#: The types of texts of a column, by their names in a manifest.
TEXTS = {
    "string": pa.string(), "large_string": pa.large_string(), "binary": pa.binary(),
    "large_binary": pa.large_binary(),
    # Of pyarrow from 16 on.
    **{name: getattr(pa, name)() for name in ("string_view", "binary_view") if hasattr(pa, name)},
}  # fmt: skip
_CATEGORIES = re.compile(r"dictionary<values=(\w+), indices=(\w+), ordered=([01])>")


def text_type(name: str) -> pa.DataType:
    """The type of a column of texts, by its name in a manifest."""
    found = _CATEGORIES.fullmatch(name)
    if found is None:
        return TEXTS[name]
    values, indices, ordered = found.groups()
    return pa.dictionary(getattr(pa, indices)(), TEXTS[values], ordered == "1")


def is_text_type(type: pa.DataType) -> bool:
    """Whether columns of a type are ones of texts, if these repeat or are categories."""
    if pa.types.is_dictionary(type):
        type = type.value_type
    return type in TEXTS.values()


def is_bytes(type: pa.DataType) -> bool:
    """Whether a type of text or bytes, or of categories of them, is one of bytes."""
    if pa.types.is_dictionary(type):
        type = type.value_type
    return "binary" in str(type)


def large_of_views(type: pa.DataType) -> pa.DataType | None:
    """The type with offsets that has the same values; None: it is not one of views."""
    for family, large in (("string", pa.large_string()), ("binary", pa.large_binary())):
        if getattr(pa.types, f"is_{family}_view", lambda type: False)(type):  # not in pyarrow 14
            return large
    return None


def text_family(type: pa.DataType) -> str | None:
    """Types whose values are the same: offsets of other sizes, or views."""
    type = large_of_views(type) or type
    for family in ("string", "binary"):
        for form in (f"is_{family}", f"is_large_{family}"):
            if getattr(pa.types, form)(type):
                return family
    return None


_NAMES = {type: name for name, type in _NUMBERS.items()}
# Metadata by which polars declares the categories of an Enum.
_ENUM_KEYS = (b"_PL_ENUM_VALUES", b"_PL_ENUM_VALUES2")
OTHER_ENUM = "its values are of an Enum of polars with other categories"
# The number type that holds the values, and how Arrow tests for the type.
_KINDS = {
    "bool": ("u8", pa.types.is_boolean),
    "date32": ("i32", pa.types.is_date32),
    "date64": ("i64", pa.types.is_date64),
    "time32": ("i32", pa.types.is_time32),
    "time64": ("i64", pa.types.is_time64),
    "timestamp": ("i64", pa.types.is_timestamp),
    "duration": ("i64", pa.types.is_duration),
}
# Digits of decimals that numbers of 64 bits hold; those of more digits are kept in Arrow.
_MAX_DIGITS = 18


def storage_of(type: pa.DataType) -> pa.DataType:
    """The type of the values behind an extension type."""
    while isinstance(type, pa.BaseExtensionType):
        type = type.storage_type
    return type


def storage_array(array: pa.Array) -> pa.Array:
    """The values behind an array of an extension type."""
    while isinstance(array, pa.ExtensionArray):
        array = array.storage
    return array


def metadata_pairs(metadata: Any) -> Iterator[tuple[bytes, bytes]]:
    """Keys and values of metadata; None has none."""
    for key, value in [] if metadata is None else metadata.items():
        yield (
            key.encode() if isinstance(key, str) else key,
            value.encode() if isinstance(value, str) else value,
        )


class _CSchema(ctypes.Structure):
    """The beginning of ArrowSchema of Arrow's C data interface."""

    _fields_ = (
        ("format", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("metadata", ctypes.c_void_p),
    )


def _exported_metadata(field: pa.Field) -> dict[bytes, bytes]:
    """All metadata of a field, the name and the parameters of an extension type among it.

    Python cannot ask the types that Arrow itself has for their parameters, but they are exported:
    a count, and for each key and value a length and the bytes, in the machine's byte order.
    """
    capsule = field.__arrow_c_schema__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    at = _CSchema.from_address(pointer(capsule, b"arrow_schema")).metadata

    def take(size: int) -> bytes:
        nonlocal at
        content = ctypes.string_at(at, size)
        at += size
        return content

    def take_count() -> int:
        return int.from_bytes(take(4), sys.byteorder, signed=True)

    if not at:
        return {}
    texts = [take(take_count()) for _ in range(2 * take_count())]
    return dict(zip(texts[::2], texts[1::2], strict=True))


def metadata_of(field: pa.Field) -> Any:
    """The metadata of a field, the name of an extension type among it."""
    extends = storage_of(field.type) is not field.type
    return _exported_metadata(field) if extends else field.metadata


def has_enums_of(field: pa.Field, other: pa.Field) -> bool:
    """Whether a field declares the Enums of polars that another one of the same type declares.

    polars reads values that are none of the declared categories as nulls.
    """
    for key in _ENUM_KEYS:
        declared = (other.metadata or {}).get(key)
        if declared is not None and (field.metadata or {}).get(key) != declared:
            return False
    type, other_type = storage_of(field.type), storage_of(other.type)
    return type.num_fields != other_type.num_fields or all(
        has_enums_of(type.field(index), other_type.field(index)) for index in range(type.num_fields)
    )


def _leaves(path: str, type: pa.DataType) -> Iterator[str]:
    """The names of the fields inside a nested column."""
    if type.num_fields == 0:
        yield f"'{path}'"
    for index in range(type.num_fields):
        field = type.field(index)
        yield from _leaves(f"{path}.{field.name}", field.type)


def why_unfit(field: pa.Field) -> str:
    """Why Pco cannot hold the values of a field for which ``logical_of`` gives None."""
    of_type = f"values of type {field.type} cannot be compressed"
    if not field.type.num_fields:
        return of_type
    return f"{of_type} (with it {', '.join(_leaves(field.name, field.type))})"


def logical_of(field: pa.Field) -> LogicalType | None:
    """The logical type of a field; None if Pco cannot hold its values."""
    type = storage_of(field.type)
    if type in _NAMES:
        return LogicalType("number", _NAMES[type])
    for kind, (number_type, matches) in _KINDS.items():
        if matches(type):
            unit = "" if kind.startswith("date") else getattr(type, "unit", "")
            return LogicalType(kind, number_type, unit, getattr(type, "tz", None) or "")
    if not is_narrow_decimal(type):
        return None
    digits = {"precision": type.precision, "scale": type.scale, "bits": type.bit_width}
    return LogicalType("decimal", "i64", **digits)


def is_narrow_decimal(type: pa.DataType) -> bool:
    """Whether values are decimals that numbers of 64 bits hold."""
    return bool(
        pa.types.is_decimal(type)
        and type.precision <= _MAX_DIGITS
        and 0 <= type.scale <= type.precision
    )


def arrow_type_of(logical: LogicalType) -> pa.DataType:
    """The type of a logical type in Arrow."""
    kind = logical.kind
    if kind == "text":
        return text_type(logical.text_type)
    if kind == "decimal":
        made: pa.DataType = getattr(pa, f"decimal{logical.bits}")(logical.precision, logical.scale)
        return made
    if kind == "number":
        return _NUMBERS[logical.number_type]
    if kind == "timestamp":
        return pa.timestamp(logical.unit, logical.timezone or None)
    if kind in ("time32", "time64", "duration"):
        return getattr(pa, kind)(logical.unit)
    return {"bool": pa.bool_(), "date32": pa.date32(), "date64": pa.date64()}[kind]


def all_number_bytes(array: pa.Array) -> memoryview:
    """The numbers of all rows; what those of null rows are is not specified."""
    if len(array) == 0:
        return memoryview(b"")
    if pa.types.is_boolean(array.type):
        array = array.cast(pa.uint8())
    if pa.types.is_decimal(array.type):
        return _narrowed(array)
    size = array.type.bit_width // 8
    first = array.offset * size
    numbers = array.buffers()[1]
    if numbers is None:  # as some programs make arrays of nulls
        return memoryview(bytes(len(array) * size))
    return memoryview(numbers)[first : first + len(array) * size]


def number_bytes(array: pa.Array) -> memoryview:
    """The numbers of the rows that are not null."""
    return all_number_bytes(array.drop_null() if array.null_count else array)


def _narrowed(array: pa.Array) -> memoryview:
    """Decimals as numbers of 64 bits: the low bytes of each."""
    size = array.type.bit_width // 8
    content = array.buffers()[1]
    if content is None:
        return memoryview(bytes(len(array) * 8))
    first = array.offset * size
    part = memoryview(content)[first : first + len(array) * size]
    if size == 4:
        return np.frombuffer(part, np.int32).astype(np.int64).data.cast("B")
    words = np.frombuffer(part, np.int64).reshape(-1, size // 8)
    numbers = np.ascontiguousarray(words[:, 0])
    # Arrow does not check that values have the digits of their type.
    is_long = (words[:, 1:] != (numbers >> 63)[:, None]).any(axis=1)
    if array.null_count:
        is_long &= np.asarray(array.is_valid().to_numpy(zero_copy_only=False), np.bool_)
    if is_long.any():
        raise InvalidArgumentError(
            f"a value of type {array.type} has more digits: that of row {int(is_long.argmax())}"
        )
    return numbers.data.cast("B")


def decimal_array(
    type: pa.DataType, numbers: npt.NDArray[np.int64], bits: pa.Buffer | None
) -> pa.Array:
    """The other way round; ``bits``: 0 for rows that are null."""
    size = type.bit_width // 8
    if size == 4:
        made: npt.NDArray[Any] = numbers.astype(np.int32)
        if not np.array_equal(made, numbers):
            raise CorruptError("a decimal has too many digits")
    else:
        made = np.empty((len(numbers), size // 8), np.int64)
        made[:, 0] = numbers
        made[:, 1:] = (numbers >> 63)[:, None]  # the sign
    return pa.Array.from_buffers(type, len(numbers), [bits, pa.py_buffer(made)])
