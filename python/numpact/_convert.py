# SPDX-License-Identifier: Apache-2.0
"""Exact conversion of numbers and times to another type.

The rule for every function that converts to a given type (docs/python.md, "Types"):

* Between booleans, integers and floats a number is converted if the other type can represent it
  exactly. -0.0 is neither an integer nor a boolean; NaN is converted between floats only.
* Between two datetime64 or two timedelta64 types a count is converted if the other unit can
  represent the same instant or duration exactly; NaT stays NaT.
* All other conversions are errors: times are not numbers, and instants are not durations.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ._errors import TypeMismatchError

if TYPE_CHECKING:
    import numpy as np

    from ._types import Array

# Elements per step, so that temporary arrays stay in the cache.
_BLOCK = 1 << 16
_KINDS = "biufmM"  # of NumPy's types: booleans, integers, floats and times
_NAMES = {"U": "str", "S": "bytes"}  # by kind: NumPy's names contain a length
_MAX_INT64 = (1 << 63) - 1
_NAT = -(1 << 63)  # the count that represents NaT
# Units of NumPy's times, in attoseconds; and those whose length varies, in months.
_LENGTHS = {
    unit: seconds * 10**18 for unit, seconds in (("W", 604_800), ("D", 86_400), ("h", 3_600))
} | {"m": 60 * 10**18, "s": 10**18, "ms": 10**15, "us": 10**12, "ns": 10**9, "ps": 10**6}
_LENGTHS |= {"fs": 1000, "as": 1}
_MONTHS = {"Y": 12, "M": 1}
# Counts of months up to this have a first day that fits into 63 bits.
_MAX_MONTHS = _MAX_INT64 // 31


def converted(array: Array, target: np.dtype[Any]) -> Array:
    """The same values in another type, by the rule above; the array itself if it has that type.

    Args:
        array: Of any dtype, shape and byte order.
        target: In native byte order: bool, an integer or float type of Pco, datetime64 or
            timedelta64.

    Raises:
        TypeMismatchError: The target cannot represent a value (the message names the first); or the
            types are not convertible and the array is not empty.
    """
    import numpy as np

    source = array.dtype
    if source == target:
        return array
    if array.size == 0:
        return np.empty(array.shape, target)
    if source.newbyteorder("=") == target:
        return array.astype(target)
    array = np.asarray(array)  # methods of subclasses may behave differently
    is_nameless = source.kind in "mM" and source.kind == target.kind and not _has_unit(source)
    if is_nameless and np.isnat(array).all():  # NaT alone needs no unit
        return np.full(array.shape, "NaT", target)
    check_kinds(source, target)
    out = np.empty(array.shape, target)
    from_flat, to_flat = array.reshape(-1), out.reshape(-1)
    for first in range(0, array.size, _BLOCK):
        block = from_flat[first : first + _BLOCK]
        made, wrong = (_times if target.kind in "mM" else _numbers)(block, target)
        if wrong is not None and wrong.any():
            raise _not_exact(array, first + int(wrong.argmax()), target)
        to_flat[first : first + _BLOCK] = made
    return out


def _not_exact(array: Array, flat: int, target: np.dtype[Any]) -> TypeMismatchError:
    import numpy as np

    place = np.unravel_index(flat, array.shape)
    index = flat if array.ndim < 2 else tuple(int(i) for i in place)
    value = array[place]
    try:
        shown = f"{value}"
    except OverflowError:  # NumPy 2.5 on times that its calendar does not reach
        shown = f"{value.view(np.int64)}"
    return TypeMismatchError(
        f"element {index} is {shown} of {array.dtype}, which {target} does not hold exactly"
    )


def check_kinds(source: np.dtype[Any], target: np.dtype[Any]) -> None:
    """Raises TypeMismatchError if the types are not convertible, whatever the values."""
    words = f"{_NAMES.get(source.kind, str(source))} values are not converted to {target}"
    for dtype in (source, target):
        check_unit(dtype)
    if source.kind not in _KINDS or target.kind not in _KINDS:
        raise TypeMismatchError(words)
    if source.kind in "mM" or target.kind in "mM":
        if source.kind != target.kind:
            hint = ": state a dtype of times, or view the counts" if target.kind in "iu" else ""
            if target.kind in "mM" and source.kind in "biuf":
                hint = ": numbers have no unit of time, view them as one"
            raise TypeMismatchError(words + hint)
        if source.kind == "m" and _is_calendar(source) != _is_calendar(target):
            raise TypeMismatchError(f"{words}: years and months differ in length")


def check_unit(dtype: np.dtype[Any]) -> None:
    """Raises TypeMismatchError for datetime64 or timedelta64 without a unit."""
    if dtype.kind in "mM" and not _has_unit(dtype):
        raise TypeMismatchError(f"{dtype} has no unit: say {dtype}[ns] or another one")


def _has_unit(dtype: np.dtype[Any]) -> bool:
    return _unit(dtype)[0] != "generic"


# ---- numbers ----


def _numbers(block: Array, target: np.dtype[Any]) -> tuple[Array, Array | None]:
    """The block in the target type, and True where that is not exact; None: all is exact."""
    import numpy as np

    source = block.dtype
    with np.errstate(all="ignore"):
        made = block.astype(target)
        if _is_within(source, target):
            return made, None
        if target.kind == "b":
            wrong = (block != 0) & (block != 1)
            return made, wrong | _negative_zeros(block)
        if source.kind != "f":
            return made, _wrong_integers(block, made)
        if target.kind == "f":
            return made, (made.astype(source) != block) & ~np.isnan(block)
        # The bounds of integers are powers of two; float16 cannot represent all of them.
        wide = block if source.itemsize >= 8 else block.astype(np.float64)
        bits = target.itemsize * 8 - (target.kind == "i")
        low = -(2.0**bits) if target.kind == "i" else 0.0
        fits = (wide >= low) & (wide < 2.0**bits) & (np.floor(wide) == wide)
        return made, ~fits | _negative_zeros(block)


def _negative_zeros(block: Array) -> Array:
    import numpy as np

    zeros: Array = (block == 0) & np.signbit(block) if block.dtype.kind == "f" else block != block
    return zeros


def _wrong_integers(block: Array, made: Array) -> Array:
    """True where integers differ from the result of their conversion to integers or floats."""
    import numpy as np

    source = block.dtype
    if made.dtype.kind != "f":
        wrong: Array = (made.astype(source) != block) | ((made < 0) != (block < 0))
        return wrong
    # Converting a float outside of the integer's range back is undefined: mark these first.
    wide = made.astype(np.float64)
    past: Array = ~np.isfinite(wide) | (wide >= 2.0 ** (source.itemsize * 8 - (source.kind == "i")))
    past |= np.where(past, 0, wide).astype(source) != block
    return past


def _is_within(source: np.dtype[Any], target: np.dtype[Any]) -> bool:
    """Whether the target represents every value of the source."""
    import numpy as np

    if source.kind == "b":
        return True
    if target.kind == "b":
        return False
    if source.kind == target.kind:
        return source.itemsize <= target.itemsize
    if source.kind == "f" or (source.kind, target.kind) == ("i", "u"):
        return False
    if target.kind == "i":
        return source.itemsize < target.itemsize
    bits = source.itemsize * 8 - (source.kind == "i")
    return bits <= int(np.finfo(target).nmant) + 1


# ---- times ----


def _unit(dtype: np.dtype[Any]) -> tuple[str, int]:
    import numpy as np

    unit, count = np.datetime_data(dtype)
    return unit, int(count)


def _is_calendar(dtype: np.dtype[Any]) -> bool:
    return _unit(dtype)[0] in _MONTHS


def _length(dtype: np.dtype[Any]) -> int:
    """The length of one count, in months or in attoseconds."""
    unit, count = _unit(dtype)
    return count * (_MONTHS.get(unit) or _LENGTHS[unit])


def _times(block: Array, target: np.dtype[Any]) -> tuple[Array, Array]:
    import numpy as np

    source = block.dtype
    counts = np.ascontiguousarray(block.astype(source.newbyteorder("="))).view(np.int64)
    is_nat = counts == _NAT
    if _is_calendar(source) == _is_calendar(target):
        made, wrong = _scaled(counts, _length(source), _length(target))
    elif _is_calendar(source):
        made, wrong = _months_to_days(*_scaled(counts, _length(source), 1))
        made, inexact = _scaled(made, _LENGTHS["D"], _length(target))
        wrong |= inexact
    else:
        made, wrong = _days_to_months(*_scaled(counts, _length(source), _LENGTHS["D"]))
        made, inexact = _scaled(made, 1, _length(target))
        wrong |= inexact
    made[is_nat] = _NAT
    return made.view(target), wrong & ~is_nat


def _scaled(counts: Array, length: int, other: int) -> tuple[Array, Array]:
    """Counts of a unit converted to another unit, and True where that is not exact."""
    import numpy as np

    ratio = Fraction(length, other)
    wrong = np.zeros(counts.shape, np.bool_)
    if ratio.denominator > _MAX_INT64 or ratio.numerator > _MAX_INT64:
        return np.zeros_like(counts), counts != 0
    if ratio.denominator > 1:
        wrong |= counts % ratio.denominator != 0
        counts = counts // ratio.denominator
    if ratio.numerator > 1:
        limit = _MAX_INT64 // ratio.numerator
        wrong |= (counts > limit) | (counts < -limit)
    return counts * ratio.numerator, wrong


def _months_to_days(months: Array, wrong: Array) -> tuple[Array, Array]:
    """The first day of each month."""
    import numpy as np

    wrong = wrong | (months > _MAX_MONTHS) | (months < -_MAX_MONTHS)
    months = np.where(wrong, 0, months)
    days = months.view("datetime64[M]").astype("datetime64[D]")
    wrong |= days.astype("datetime64[M]").view(np.int64) != months
    return days.view(np.int64), wrong


def _days_to_months(days: Array, wrong: Array) -> tuple[Array, Array]:
    """The months that begin on these days, and True where none does."""
    import numpy as np

    days = np.where(wrong, 0, days)
    months = days.view("datetime64[D]").astype("datetime64[M]")
    wrong = wrong | (months.astype("datetime64[D]").view(np.int64) != days)
    return months.view(np.int64), wrong
