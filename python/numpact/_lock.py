# SPDX-License-Identifier: Apache-2.0
"""Locks for files that several processes write."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager

from . import _core
from ._errors import InvalidArgumentError

# In milliseconds: 36 million years, and representable by times of the C++ library.
_MAX_MILLISECONDS = 1 << 60


def core_timeout(lock_timeout: float | None) -> int | None:
    """A ``lock_timeout`` in seconds as whole milliseconds, rounded up; None: no limit.

    Raises:
        InvalidArgumentError: Negative, or not a number.
    """
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
    """Holds the lock of a file in a ``with`` block; replacing the file through it releases it.

    Raises:
        LockTimeoutError: Another process or thread holds the lock.
    """
    lock = _core.FileLock(os.fsdecode(path), core_timeout(lock_timeout))
    try:
        yield lock
    finally:
        lock.release()
