# SPDX-License-Identifier: Apache-2.0
"""How to encode: mode, delta and paging, in the forms that people write and the one _core takes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Literal, TypedDict, Union

from . import _core
from ._errors import InvalidArgumentError
from ._integers import is_boolean
from ._shown import few
from ._spec_types import DeltaSpec, ModeSpec, PagingSpec

#: "auto", "classic", "dict", "int-mult=60", "float-mult=0.01", "float-quant=20", or a ModeSpec.
Mode = Union[str, ModeSpec]
#: "auto", "none", "consecutive=1", "lookback", "conv1=4", or a DeltaSpec.
Delta = Union[str, DeltaSpec]
#: "auto", the maximum numbers in a chunk, the exact sizes of all, or a PagingSpec.
Paging = Union[str, int, Sequence[int], PagingSpec]

#: The trailer to write: False for nothing, True for an index, a number for restart points
#: that lie so far apart, too.
TrailerSpec = Union[bool, int]
#: How reading uses a trailer.
TrailerPolicy = Literal["use", "ignore", "require", "verify"]

CorePaging = Union[int, list[int], None]

#: None: no trailer; 0: an index; else the distance of restart points, as a power of two.
CoreTrailer = Union[int, None]

DEFAULT_LEVEL = 8
#: The trailer of the files of a table: restart points at this distance. On tables of 140,000 to
#: 730,000 rows they take 0.1 to 0.2 % of the bytes, and 1,000 rows are decoded 2 to 15 times as
#: fast as from the begin of a chunk; 2^16 is slower, 2^12 not faster.
TABLE_TRAILER = 1 << 14
MAX_LEVEL = 12
DEFAULT_PAGING = "auto"
#: Default for the maximum numbers in a page of a wrapped chunk.
DEFAULT_PAGE_N = 1 << 18

_POLICIES = ("use", "ignore", "require", "verify")
_VERSIONS = ("1", "2", "3", "4.0", "4.1")
_MIN_RESTART_LOG, _MAX_RESTART_LOG = 8, 24


def _reason(error: Exception, forms: Callable[[], list[str]]) -> str:
    """What is wrong, and the forms, which texts about unknown names have already."""
    text = str(error).removeprefix("invalid argument: ")
    listed = ", ".join(forms())
    return text if listed in text else f"{text}; the forms are {listed}"


def _normal(
    what: str, text: str, parse: Callable[[str], str], forms: Callable[[], list[str]]
) -> str:
    name, equals, value = text.partition("=")
    name = name.strip().replace("_", "-")
    try:
        return parse(f"{name}{equals}{value.strip()}")
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"{what} {text!r}: {_reason(error, forms)}") from None


def core_mode(mode: Mode) -> str:
    if isinstance(mode, str):
        return _normal("mode", mode, _core.normal_mode, _core.mode_forms)
    core: str | None = getattr(mode, "_core_mode", None)
    if core is None:
        raise InvalidArgumentError(f"mode must be text or a ModeSpec, not {type(mode).__name__}")
    return core


def core_delta(delta: Delta) -> str:
    if isinstance(delta, str):
        return _normal("delta", delta, _core.normal_delta, _core.delta_forms)
    core: str | None = getattr(delta, "_core_delta", None)
    if core is None:
        raise InvalidArgumentError(f"delta must be text or a DeltaSpec, not {type(delta).__name__}")
    return core


def _size(value: object) -> int:
    try:
        size = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InvalidArgumentError(f"paging takes whole numbers, not {few(value)}") from None
    if not 0 < size < 1 << 63:
        raise InvalidArgumentError(f"paging: a size of {size} is out of range")
    return size


def core_paging(paging: Paging) -> CorePaging:
    core: CorePaging | None = getattr(paging, "_core_paging", None)
    if core is not None:
        return core
    if isinstance(paging, str):
        if paging != "auto":
            raise InvalidArgumentError(f"paging is 'auto', a number or sizes, not {few(paging)}")
        return None
    is_array = hasattr(paging, "__array__") and getattr(paging, "ndim", 0) == 1
    if is_array or (isinstance(paging, Sequence) and not isinstance(paging, bytes)):
        return [_size(size) for size in paging]  # type: ignore[union-attr]
    return _size(paging)


def core_level(level: int) -> int:
    try:
        number = operator.index(level)
    except TypeError:
        raise InvalidArgumentError(f"level must be 0 to {MAX_LEVEL}, not {few(level)}") from None
    if not 0 <= number <= MAX_LEVEL:
        raise InvalidArgumentError(f"level must be 0 to {MAX_LEVEL}, not {number}")
    return number


def core_recipe(recipe: object) -> _core.Recipe | None:
    """A Recipe, its text, or None."""
    if isinstance(recipe, str):
        return _core.parse_recipe(recipe)
    if recipe is None:
        return None
    core = getattr(recipe, "_core_recipe", None)
    if not isinstance(core, _core.Recipe):
        raise InvalidArgumentError(
            f"recipe must be a Recipe or its text, not {type(recipe).__name__}"
        )
    return core


class CoreOptions(TypedDict):
    """Keyword arguments of the encoders in _core."""

    level: int
    mode: str
    delta: str
    paging: CorePaging


def core_options(level: int, mode: Mode, delta: Delta, paging: Paging) -> CoreOptions:
    """The four options of encoding as _core takes them; raises for values that it would refuse."""
    return {
        "level": core_level(level),
        "mode": core_mode(mode),
        "delta": core_delta(delta),
        "paging": core_paging(paging),
    }


def core_trailer(trailer: TrailerSpec) -> CoreTrailer:
    if isinstance(trailer, bool):
        return 0 if trailer else None
    try:
        apart = operator.index(trailer)
    except TypeError:
        apart = 0
    log = apart.bit_length() - 1
    if apart != 1 << max(log, 0) or not _MIN_RESTART_LOG <= log <= _MAX_RESTART_LOG:
        raise InvalidArgumentError(
            f"trailer is True, False or a power of two from 2**{_MIN_RESTART_LOG} to "
            f"2**{_MAX_RESTART_LOG}, not {few(trailer)}"
        )
    return log


def core_policy(trailer: TrailerPolicy) -> TrailerPolicy:
    if not isinstance(trailer, str) or trailer not in _POLICIES:
        raise InvalidArgumentError(f"trailer must be one of {_POLICIES}, not {few(trailer)}")
    return trailer


def core_compat(compat: str) -> str:
    if not isinstance(compat, str) or compat not in _VERSIONS:
        raise InvalidArgumentError(f"compat must be one of {_VERSIONS}, not {few(compat)}")
    return compat


def core_flag(name: str, value: bool) -> bool:
    # NumPy's booleans are not instances of Python's bool.
    if not isinstance(value, bool) and type(value).__name__ not in ("bool", "bool_"):
        raise InvalidArgumentError(f"{name} must be True or False, not {few(value)}")
    return bool(value)


def core_weight(decode_weight: float, favor_decode_speed: bool) -> float:
    favored = 1.0 if core_flag("favor_decode_speed", favor_decode_speed) else 0.0
    try:
        weight = float(decode_weight)
    except (TypeError, ValueError):
        weight = -1.0
    if isinstance(decode_weight, str) or not 0 <= weight <= 128:
        raise InvalidArgumentError(f"decode_weight must be from 0 to 128, not {few(decode_weight)}")
    return max(weight, favored)


def core_limit(max_output: int | None) -> int | None:
    return checked_limit("max_output", max_output)


def checked_limit(name: str, value: int | None) -> int | None:
    """A limit in bytes; None: there is none. 1e9 is a number of bytes as well."""
    if value is None:
        return None
    try:
        is_number = not isinstance(value, (str, bytes, bytearray)) and not is_boolean(value)
        limit = int(value) if is_number else None
    except (TypeError, ValueError, OverflowError):
        limit = None
    if limit is None or limit != value:
        raise InvalidArgumentError(f"{name} must be a whole number of bytes, not {few(value)}")
    if limit < 0:
        raise InvalidArgumentError(f"{name} must not be negative")
    return min(limit, (1 << 64) - 1)
