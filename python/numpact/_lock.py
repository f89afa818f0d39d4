# SPDX-License-Identifier: Apache-2.0
"""Waiting for files that others are writing."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager

from . import _core
from ._errors import InvalidArgumentError

# What a time of the C++ library holds, in milliseconds, and far more than anybody waits.
_MAX_MILLISECONDS = 1 << 60


def core_timeout(lock_timeout: float | None) -> int | None:
    """Seconds as whole milliseconds; None: without end."""
    if lock_timeout is None:
        return None
    try:
        seconds = float(lock_timeout)
    except (TypeError, ValueError, OverflowError):
        seconds = math.nan
    if not seconds >= 0:
        raise InvalidArgumentError(
            f"lock_timeout must be None or a number of seconds from 0 on, not {lock_timeout!r}"
        )
    return int(min(math.ceil(min(seconds, 1e300) * 1000), _MAX_MILLISECONDS))


@contextmanager
def locked(path: str | os.PathLike[str], lock_timeout: float | None) -> Iterator[_core.FileLock]:
    """Nobody else writes the file meanwhile, but by this lock, which replacing it releases."""
    lock = _core.FileLock(os.fsdecode(path), core_timeout(lock_timeout))
    try:
        yield lock
    finally:
        lock.release()
