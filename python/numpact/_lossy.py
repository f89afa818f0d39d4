# SPDX-License-Identifier: Apache-2.0
"""Rounds numbers within a bound, so that they compress better."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core
from ._arrays import numbers_of
from ._errors import InvalidArgumentError, TypeMismatchError
from ._shown import few
from ._specs import DEFAULT_LEVEL, core_level

if TYPE_CHECKING:
    import numpy as np

    from ._types import Array

_KINDS = ("max_error", "keep_bits", "decimals")
_MAX_DECIMALS = 22
_MANTISSA_BITS = {2: 10, 4: 23, 8: 52}


class RoundingReport(NamedTuple):
    """What rounding has done.

    Attributes:
        numbers: How many there were.
        changed: Those of them that are other numbers now.
        kept: Those that stay as they are, since the rounded number would be beyond the bound, the
            fill value, or too large for the type.
        max_error: The largest absolute error, exactly.
        step: Numbers that changed are multiples of it, as the type holds them; 0: of nothing.
    """

    numbers: int
    changed: int
    kept: int
    max_error: float
    step: float


class Rounded(NamedTuple):
    """The result of ``numpact.round_numbers``.

    Attributes:
        numbers: A new array of the same shape and type.
        report: What was done.
    """

    numbers: Array
    report: RoundingReport


class Rounding(NamedTuple):
    """How numbers are rounded, checked."""

    kind: str
    value: float
    fill: Any = None

    def fill_of(self, dtype: np.dtype[Any]) -> Array | None:
        """The fill value in the type of the numbers, as an array of one.

        Raises:
            InvalidArgumentError: The type does not hold it.
        """
        import numpy as np

        if self.fill is None:
            return None
        try:
            with np.errstate(all="ignore"):
                made = np.asarray(self.fill).astype(dtype).reshape(1)
            is_same = made[0] == self.fill or (made[0] != made[0] and self.fill != self.fill)
        except (TypeError, ValueError, OverflowError):
            is_same = False
        if not is_same and not (dtype.kind == "f" and isinstance(self.fill, float)):
            raise InvalidArgumentError(f"fill: {dtype} does not hold {few(self.fill)}")
        return made

    def check(self, dtype: np.dtype[Any], what: str = "") -> None:
        """Raises the errors of a request for numbers of the type; ``what`` begins the message."""
        if dtype.kind not in "iuf":
            raise TypeMismatchError(f"{what}numbers are rounded, not {dtype}")
        if self.kind != "keep_bits":
            return
        if dtype.kind != "f":
            raise TypeMismatchError(f"{what}keep_bits: {dtype} has no mantissa")
        max_bits = _MANTISSA_BITS[dtype.itemsize]
        if self.value > max_bits:
            raise InvalidArgumentError(f"{what}keep_bits of {dtype} must be 0 to {max_bits}")


def rounding_of(
    max_error: float | None,
    keep_bits: int | None,
    decimals: int | None,
    fill: Any = None,
    what: str = "",
) -> Rounding | None:
    """The one request that is given; None without one.

    Raises:
        InvalidArgumentError: Several, or values out of range.
        TypeMismatchError: A value of another type.
    """
    given = {
        kind: value
        for kind, value in zip(_KINDS, (max_error, keep_bits, decimals), strict=True)
        if value is not None
    }
    if not given:
        if fill is not None:
            raise InvalidArgumentError(f"{what}fill is for max_error, keep_bits or decimals")
        return None
    if len(given) > 1:
        raise InvalidArgumentError(f"{what}give one of {' and '.join(given)}")
    kind, value = given.popitem()
    if kind == "max_error":
        return Rounding(kind, _bound(value, what), fill)
    return Rounding(kind, _whole(kind, value, what), fill)


def _bound(value: Any, what: str) -> float:
    try:
        if isinstance(value, (bool, str)):
            raise TypeError
        bound = float(value)
    except (TypeError, ValueError):
        raise TypeMismatchError(f"{what}max_error is {few(value)}, not a number") from None
    if not 0 <= bound < float("inf"):
        raise InvalidArgumentError(f"{what}max_error must be a number from 0 on, not {bound}")
    return bound


def _whole(kind: str, value: Any, what: str) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        whole = operator.index(value)
    except TypeError:
        raise TypeMismatchError(f"{what}{kind} is {few(value)}, not a whole number") from None
    lower, upper = (0, 52) if kind == "keep_bits" else (-_MAX_DECIMALS, _MAX_DECIMALS)
    if not lower <= whole <= upper:
        raise InvalidArgumentError(f"{what}{kind} must be {lower} to {upper}, not {whole}")
    return whole


def roundings_of(rounding: Mapping[str, Mapping[str, Any]] | None) -> dict[str, Rounding]:
    """The requests of columns by their names, as ``write_table`` takes them."""
    found: dict[str, Rounding] = {}
    for name, options in (rounding or {}).items():
        what = f"rounding of {name!r}: "
        if not isinstance(options, Mapping):
            raise TypeMismatchError(
                f"{what}{few(options)} is not a mapping such as {{'decimals': 2}}"
            )
        unknown = [key for key in options if key not in (*_KINDS, "fill")]
        if unknown:
            raise InvalidArgumentError(
                f"{what}{few(unknown[0])} is none of {', '.join(_KINDS)}, fill"
            )
        max_error, keep_bits, decimals = (options.get(kind) for kind in _KINDS)
        one = rounding_of(max_error, keep_bits, decimals, options.get("fill"), what)
        if one is None:
            raise InvalidArgumentError(f"{what}give one of {', '.join(_KINDS)}")
        found[name] = one
    return found


def rounded(numbers: Array, rounding: Rounding, level: int) -> tuple[Array, RoundingReport]:
    """Numbers of a type that Pco has, in native order, as a flat array of rounded ones."""
    rounding.check(numbers.dtype)
    made, report = _core.round_numbers(
        numbers, rounding.kind, rounding.value, rounding.fill_of(numbers.dtype), level
    )
    return made, RoundingReport(*report)


def round_numbers(
    x: object,
    *,
    max_error: float | None = None,
    keep_bits: int | None = None,
    decimals: int | None = None,
    fill: Any = None,
    level: int = DEFAULT_LEVEL,
) -> Rounded:
    """Rounds numbers within a bound, so that ``compress`` makes smaller files of them.

    Give one of ``max_error``, ``keep_bits`` and ``decimals``. NaN (with its payload), infinities,
    zeros and the fill value keep their bits, and no other number becomes the fill value.

    Args:
        x: As for ``compress``; floats, or with ``max_error`` and ``decimals`` also integers.
        max_error: No number changes by more than this, an absolute error: each one is checked, and
            stays as it is if no multiple is within it. Numbers become multiples of the step that
            compresses best by an estimate, at most twice the error. If no step saves anything,
            nothing changes.
        keep_bits: Bits of the mantissa to keep; ties go to even. For floats of very different
            magnitudes.
        decimals: Digits behind the point to keep, -22 to 22; negative ones round to tens, hundreds
            and so on. The result is the float nearest to the decimal. A number changes by half a
            unit of the last digit at most, and the rounding of the decimal to the type.
        fill: The value that stands for a missing number.
        level: At which the numbers will be compressed.

    Raises:
        TypeMismatchError: ``x`` has dates, times or booleans; ``keep_bits`` of integers.
        InvalidArgumentError: None or several of the three; values out of range; a fill value that
            the type does not hold.

    >>> import numpact
    >>> numbers, report = numpact.round_numbers([21.377, -0.004, 1e6], decimals=2)
    >>> numbers
    array([2.138e+01, 0.000e+00, 1.000e+06])
    >>> round(report.max_error, 6)
    0.004
    """
    import numpy as np

    rounding = rounding_of(max_error, keep_bits, decimals, fill)
    if rounding is None:
        raise InvalidArgumentError(f"give one of {', '.join(_KINDS)}")
    check_rounded_type(x)
    numbers = numbers_of(x)
    made, report = rounded(numbers, rounding, core_level(level))
    shape = np.shape(numbers)
    return Rounded(made.reshape(shape), report)


def check_rounded_type(x: object) -> None:
    """Refuses times and booleans, which are numbers only in files.

    Raises:
        TypeMismatchError: They are.
    """
    kind = getattr(getattr(x, "dtype", None), "kind", "")
    if kind in ("b", "m", "M"):
        raise TypeMismatchError(f"numbers are rounded, not {x.dtype}")  # type: ignore[attr-defined]
