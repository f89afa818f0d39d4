# SPDX-License-Identifier: Apache-2.0
"""Progress reports of long calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol, Union, runtime_checkable

from ._errors import InvalidArgumentError


class Progress(NamedTuple):
    """The numbers processed so far, and the compressed bytes read or written so far."""

    numbers: int
    bytes: int


@runtime_checkable
class ProgressBar(Protocol):
    """The interface of tqdm's bars: ``update`` gets the count of numbers since the last call."""

    def update(self, n: int) -> object: ...


#: None; True for a new tqdm bar; a bar; a function of a Progress that returns False to cancel.
ProgressLike = Union[None, bool, ProgressBar, Callable[[Progress], object]]
CoreProgress = Union[Callable[[int, int], bool], None]


@contextmanager
def core_progress(progress: ProgressLike, total: int | None) -> Iterator[CoreProgress]:
    """The callback for ``_core``, valid inside of the block; closes a bar that it created."""
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
        # Only a bool cancels: None and other results of a function do not.
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
