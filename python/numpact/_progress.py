# SPDX-License-Identifier: Apache-2.0
"""Telling how far a long call has come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol, Union, runtime_checkable

from ._errors import InvalidArgumentError


class Progress(NamedTuple):
    """How far a call has come: numbers done, and bytes of the compressed form read or written."""

    numbers: int
    bytes: int


@runtime_checkable
class ProgressBar(Protocol):
    """What tqdm's bars look like; told how many numbers have been done since the last time."""

    def update(self, n: int) -> object: ...


#: None, True for a bar of tqdm's, such a bar, or a function of a Progress: False from it stops.
ProgressLike = Union[None, bool, ProgressBar, Callable[[Progress], object]]
CoreProgress = Union[Callable[[int, int], bool], None]


@contextmanager
def core_progress(progress: ProgressLike, total: int | None) -> Iterator[CoreProgress]:
    """What _core calls while the block runs; a bar that was made here is closed afterwards."""
    if progress is None or progress is False:
        yield None
        return
    if progress is True:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            raise InvalidArgumentError("progress=True needs the package tqdm") from None
        with tqdm(total=total, unit="number", unit_scale=True) as bar:
            yield _updater(bar)
        return
    if isinstance(progress, ProgressBar):
        yield _updater(progress)
        return
    if not callable(progress):
        raise InvalidArgumentError("progress must be True, a tqdm bar or a function")
    yield _caller(progress)


def _caller(function: Callable[[Progress], object]) -> Callable[[int, int], bool]:
    import numpy as np

    def call(numbers: int, size: int) -> bool:
        answer = function(Progress(numbers, size))
        # What has no answer, or a number for one, does not mean to stop.
        return not isinstance(answer, (bool, np.bool_)) or bool(answer)

    return call


def _updater(bar: ProgressBar) -> Callable[[int, int], bool]:
    done = 0

    def update(numbers: int, _size: int) -> bool:
        nonlocal done
        bar.update(numbers - done)
        done = numbers
        return True

    return update
