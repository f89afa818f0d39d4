# SPDX-License-Identifier: Apache-2.0
"""The settings of the codec "pcodec" as they are stored."""

from __future__ import annotations

import operator
from dataclasses import asdict, dataclass
from typing import Any

from .._errors import InvalidArgumentError, TypeMismatchError
from .._specs import CoreOptions, core_level, core_paging

DEFAULT_PAGE = 1 << 18
MAX_PAGE = 1 << 24
# Maximum numbers that automatic paging leaves in one chunk at every level.
MAX_AUTO = 1 << 18

# Older versions of numcodecs know "none" only; pcodec and newer ones "no_op".
_NO_DELTA = ("none", "no_op")
_DELTAS = {"auto": "auto", "try_lookback": "lookback"} | dict.fromkeys(_NO_DELTA, "none")


def _whole(name: str, value: object) -> int:
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeMismatchError(f"{name} must be a whole number, not {value!r}") from None


@dataclass(frozen=True)
class Settings:
    """All six settings with any values; ``core`` checks them."""

    level: int
    mode_spec: str
    delta_spec: str
    paging_spec: str
    delta_encoding_order: int | None
    equal_pages_up_to: int

    def as_json(self) -> dict[str, Any]:
        """The settings by name, in the stored order, with numbers of NumPy converted to Python.

        No differences are stored as order 0: other readers do not know each of the two names.
        """
        found = {name: _plain(value) for name, value in asdict(self).items()}
        if self.delta_spec in _NO_DELTA and self.delta_encoding_order is None:
            found |= {"delta_spec": "auto", "delta_encoding_order": 0}
        return found

    def core(self, count: int = 0) -> CoreOptions:
        """Level, mode, delta and paging as keyword arguments of the encoders in ``_core``.

        Args:
            count: How many numbers are encoded. If they fit into one chunk of the Pco file, that is
                divided where the data changes, as ``numpact.compress`` does it.

        Raises:
            InvalidArgumentError: A value that does not exist, or not together with the others.
            TypeMismatchError: Something else where a number belongs.
        """
        if self.mode_spec not in ("auto", "classic"):
            raise _unknown("mode_spec", self.mode_spec)
        if self.paging_spec != "equal_pages_up_to":
            raise _unknown("paging_spec", self.paging_spec)
        page = _whole("equal_pages_up_to", self.equal_pages_up_to)
        if page < 1:
            raise InvalidArgumentError(f"equal_pages_up_to must be 1 or more, not {page}")
        level = core_level(_whole("level", self.level))
        # A page is never larger than a Pco chunk: a higher limit changes nothing.
        return {
            "level": level,
            "mode": self.mode_spec,
            "delta": self._core_delta(),
            "paging": core_paging("auto") if count <= min(page, MAX_AUTO) else min(page, MAX_PAGE),
        }

    def _core_delta(self) -> str:
        order = self.delta_encoding_order
        is_consecutive = self.delta_spec == "try_consecutive"
        if is_consecutive or (self.delta_spec == "auto" and order is not None):
            number = _whole("delta_encoding_order", order)
            if not 0 <= number <= 7:
                raise InvalidArgumentError(f"delta_encoding_order must be 0 to 7, not {number}")
            return f"consecutive={number}"
        if not isinstance(self.delta_spec, str) or self.delta_spec not in _DELTAS:
            raise _unknown("delta_spec", self.delta_spec)
        if order is not None:
            raise InvalidArgumentError(
                "delta_encoding_order can only be set for delta_spec='try_consecutive'"
            )
        return _DELTAS[self.delta_spec]


def _plain(value: object) -> object:
    is_number = not isinstance(value, (bool, int)) and hasattr(value, "__index__")
    return operator.index(value) if is_number else value  # type: ignore[arg-type]


def _unknown(name: str, value: object) -> InvalidArgumentError:
    return InvalidArgumentError(f"{name} {value} is not supported")
