# SPDX-License-Identifier: Apache-2.0
"""Limits of the functions that read tables."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from ._errors import LimitExceededError
from ._specs import checked_limit, core_limit

#: Bytes that a column may take while it is decoded, where only a lower ``max_output`` is given: of
#: the rows that are decoded together, few may be in the result. A batch of 65,536 rows of usual
#: text has less. As kMinDecodeBytes of cli/formats/value_limits.hpp.
MIN_DECODED_BYTES = 16 << 20


@dataclass(frozen=True)
class Limits:
    """What a call may return, and what a column may take in memory, in bytes; None: no limit.

    Can be pickled.
    """

    max_output: int | None = None
    max_memory: int | None = None

    @staticmethod
    def of(max_output: int | None, max_memory: int | None) -> Limits:
        """Limits that a caller gives.

        Raises:
            InvalidArgumentError: Not a whole number of bytes.
        """
        return Limits(core_limit(max_output), checked_limit("max_memory", max_memory))

    def __bool__(self) -> bool:
        return self.max_output is not None or self.max_memory is not None

    @property
    def decoding(self) -> int | None:
        """Bytes that the library may take to decode a column; None: no limit."""
        if self.max_memory is None and self.max_output is not None:
            return max(self.max_output, MIN_DECODED_BYTES)
        return self.max_memory

    def check_decoded(self, size: int, place: str, is_output: bool = False) -> None:
        """To be called before a column takes ``size`` bytes for what is decoded of it.

        Args:
            is_output: All of it will be in the result; else only some rows may be.

        Raises:
            LimitExceededError: That is too much.
        """
        if self.max_memory is not None and size > self.max_memory:
            raise _exceeded(size, "max_memory", self.max_memory, place)
        if self.max_output is None or (self.max_memory is not None and not is_output):
            return
        if size > max(self.max_output, MIN_DECODED_BYTES):
            raise _exceeded(size, "max_output", self.max_output, place)

    def budget(self) -> Budget:
        """For one call."""
        return Budget(self)


class Budget:
    """Counts what a call returns. Thread-safe."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._total = 0
        self._of_columns: dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self._limits)

    def take(self, size: int, place: str) -> None:
        """To be called before a column returns ``size`` bytes, or before they are decoded if that
        is known; ``place`` names the column.

        Raises:
            LimitExceededError: All columns have more than ``max_output``, or this one more than
                ``max_memory``.
        """
        limits = self._limits
        if not limits:
            return
        with self._lock:
            self._total += size
            column = self._of_columns[place] = self._of_columns.get(place, 0) + size
            total = self._total
        if limits.max_output is not None and total > limits.max_output:
            raise _exceeded(size, "max_output", limits.max_output, place, total)
        if limits.max_memory is not None and column > limits.max_memory:
            raise _exceeded(column, "max_memory", limits.max_memory, place)

    def take_once(self, size: int, place: str) -> None:
        """As ``take``, for a dictionary that all values of a column share."""
        key = f"{place}: dictionary"
        with self._lock:
            is_known = key in self._of_columns
            self._of_columns.setdefault(key, 0)
        if not is_known:
            self.take(size, place)

    @property
    def total(self) -> int:
        """Bytes of all columns so far."""
        return self._total

    def renew(self, limits: Limits) -> None:
        """Begins anew with other limits, but for the dictionaries, which are known."""
        self.begin_part()
        self._limits, self._total = limits, 0

    def begin_part(self) -> None:
        """The caller has the values so far, and takes others."""
        with self._lock:
            known = [key for key in self._of_columns if key.endswith(": dictionary")]
            self._of_columns = dict.fromkeys(known, 0)


def _exceeded(
    size: int, name: str, limit: int, place: str, total: int | None = None
) -> LimitExceededError:
    others = "" if total in (None, size) else f", {total} with those before"
    return LimitExceededError(
        f"{place}: limit exceeded: its values take {size} bytes{others}, more than {name} {limit}: "
        f"raise {name}"
    )
