# SPDX-License-Identifier: Apache-2.0
"""The result of decoding into an array."""

from __future__ import annotations

from typing import final

from .._errors import TypeMismatchError


@final
class Progress:
    """The progress of decoding into an array; created by the functions that decode."""

    __slots__ = ("_finished", "_n_processed")

    _finished: bool
    _n_processed: int

    def __init__(self) -> None:
        raise TypeMismatchError(
            "cannot create Progress instances: functions that decode make these"
        )

    @property
    def n_processed(self) -> int:
        """Count of numbers written to the start of the array."""
        return self._n_processed

    @property
    def finished(self) -> bool:
        """Whether these are all numbers."""
        return self._finished

    def __repr__(self) -> str:
        return f"<Progress: n_processed={self._n_processed}, finished={self._finished}>"


def make_progress(n_processed: int, finished: bool) -> Progress:
    progress = object.__new__(Progress)
    progress._n_processed = n_processed
    progress._finished = finished
    return progress
