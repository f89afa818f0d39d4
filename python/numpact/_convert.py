# SPDX-License-Identifier: Apache-2.0
"""Numbers and times as another type: the same values, or an error that names the first that is not.

The rule of every function that takes numbers into a stated type (docs/python.md, "Types"):

* Between truth values, integers and floats a number is converted where the other type has the same
  number. -0.0 is no integer and no truth value; NaN stays NaN among floats, and only there.
* Between times of one kind, datetime64 or timedelta64, a count is converted where the other unit
  has the same instant or duration; NaT stays NaT.
* Everything else is refused: times are not numbers, and instants are not durations.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ._errors import TypeMismatchError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[Any]

# Elements that are converted at a time: what checking them takes stays in the cache.
_BLOCK = 1 << 16
_KINDS = "biufmM"  # of NumPy's types: truth values, integers, floats and times
_NAMES = {"U": "str", "S": "bytes"}  # by kind, where NumPy's name says a length
_MAX_INT64 = (1 << 63) - 1
_NAT = -(1 << 63)  # the count that stands for NaT
# Units of NumPy's times, in attoseconds; and those whose length varies, in months.
_LENGTHS = {
    unit: seconds * 10**18 for unit, seconds in (("W", 604_800), ("D", 86_400), ("h", 3_600))
} | {"m": 60 * 10**18, "s": 10**18, "ms": 10**15, "us": 10**12, "ns": 10**9, "ps": 10**6}
_LENGTHS |= {"fs": 1000, "as": 1}
_MONTHS = {"Y": 12, "M": 1}
# Months whose first day has a number in 63 bits, with room for the longest month.
_MOST_MONTHS = _MAX_INT64 // 31


def converted(array: Array, target: np.dtype[Any]) -> Array:
    """The same values in another type, by the rule above; the array itself if it has that type.

    Args:
        array: Of any dtype, shape and byte order.
        target: In native byte order: bool, an integer or float that Pco has, datetime64 or
            timedelta64.

    Raises:
        TypeMismatchError: A value that the target does not have, which is named; or types between
            which nothing is converted, unless there are no elements.
    """
    import numpy as np

    source = array.dtype
    if source == target:
        return array
    if array.size == 0:
        return np.empty(array.shape, target)
    if source.newbyteorder("=") == target:
        return array.astype(target)
    array = np.asarray(array)  # of no subclass, whose methods may do other things
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
    return TypeMismatchError(
        f"element {index} is {array[place]} of {array.dtype}, which {target} does not hold exactly"
    )


def check_kinds(source: np.dtype[Any], target: np.dtype[Any]) -> None:
    """Raises where no value of one type is one of the other."""
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
    """Raises for datetime64 or timedelta64 without a unit, which says nothing of its counts."""
    if dtype.kind in "mM" and not _has_unit(dtype):
        raise TypeMismatchError(f"{dtype} has no unit: say {dtype}[ns] or another one")


def _has_unit(dtype: np.dtype[Any]) -> bool:
    return _unit(dtype)[0] != "generic"


# ---- numbers ----


def _numbers(block: Array, target: np.dtype[Any]) -> tuple[Array, Array | None]:
    """The block in the target type, and True where that is not exact; None: it always is."""
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
        # Bounds of integers are powers of two, which float16 does not all have.
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
    """Where integers differ from what they became: other integers, or floats."""
    import numpy as np

    source = block.dtype
    if made.dtype.kind != "f":
        wrong: Array = (made.astype(source) != block) | ((made < 0) != (block < 0))
        return wrong
    # A float past the integer's range has no defined integer to compare with.
    wide = made.astype(np.float64)
    past: Array = ~np.isfinite(wide) | (wide >= 2.0 ** (source.itemsize * 8 - (source.kind == "i")))
    past |= np.where(past, 0, wide).astype(source) != block
    return past


def _is_within(source: np.dtype[Any], target: np.dtype[Any]) -> bool:
    """Whether every value of one type is one of the other."""
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
    """How long one count is, in months or in attoseconds."""
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
    """Counts of one length as counts of another, and True where that is not exact."""
    import numpy as np

    ratio = Fraction(length, other)
    wrong = np.zeros(counts.shape, np.bool_)
    if ratio.denominator > _MAX_INT64 or ratio.numerator > _MAX_INT64:
        return np.zeros_like(counts), counts != 0
    if ratio.denominator > 1:
        wrong |= counts % ratio.denominator != 0
        counts = counts // ratio.denominator
    if ratio.numerator > 1:
        most = _MAX_INT64 // ratio.numerator
        wrong |= (counts > most) | (counts < -most)
    return counts * ratio.numerator, wrong


def _months_to_days(months: Array, wrong: Array) -> tuple[Array, Array]:
    """The first day of each month."""
    import numpy as np

    wrong = wrong | (months > _MOST_MONTHS) | (months < -_MOST_MONTHS)
    months = np.where(wrong, 0, months)
    days = months.view("datetime64[M]").astype("datetime64[D]")
    wrong |= days.astype("datetime64[M]").view(np.int64) != months
    return days.view(np.int64), wrong


def _days_to_months(days: Array, wrong: Array) -> tuple[Array, Array]:
    """The months that begin on these days."""
    import numpy as np

    days = np.where(wrong, 0, days)
    months = days.view("datetime64[D]").astype("datetime64[M]")
    wrong = wrong | (months.astype("datetime64[D]").view(np.int64) != days)
    return months.view(np.int64), wrong
