# SPDX-License-Identifier: Apache-2.0
"""How many threads a call uses where it does not say."""

from __future__ import annotations

import operator
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

from ._errors import InvalidArgumentError

ALL = 0  # as numpact._core takes it: as many as the machine runs at once
_MOST = 1024  # more gain nothing

_wanted: ContextVar[int | None] = ContextVar("numpact_threads", default=None)


def _checked(threads: int) -> int:
    try:
        count = -1 if isinstance(threads, bool) else operator.index(threads)
    except TypeError:
        count = -1
    if count < 0:
        raise InvalidArgumentError(f"threads must be 0 (all), 1, 2, ..., not {threads!r}")
    return min(count, _MOST)


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Sets what ``threads=None`` means inside a ``with`` block, in this thread or task.

    Args:
        count: 1 for none beside the calling one, 0 for as many as the machine runs at once.

    Threads that are started inside begin anew, as context variables do: for a whole program set
    NUMPACT_THREADS in the environment.

    >>> import numpact
    >>> with numpact.threads(1):
    ...     file = numpact.compress([1, 2, 3])
    """
    token = _wanted.set(_checked(count))
    try:
        yield
    finally:
        _wanted.reset(token)


def _in_dask_task() -> bool:
    """Whether this is a task that Dask runs beside others, as many as there are processors."""
    worker = sys.modules.get("distributed.worker")
    if worker is not None and getattr(worker.thread_state, "execution_state", None) is not None:
        return True
    return "dask.local" in sys.modules and _in_dask_pool()


def _in_dask_pool() -> bool:
    """Whether a pool of Dask's schedulers for one machine runs this, threads or processes.

    They leave no mark on their threads but the function that they call tasks from. The synchronous
    scheduler has that too, but in the main thread: there nothing runs beside the task.
    """
    if threading.get_ident() == threading.main_thread().ident:
        process = sys.modules.get("multiprocessing.process")
        if process is None or process.parent_process() is None:
            return False
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_globals.get("__name__") == "dask.local":
            return True
        frame = frame.f_back
    return False


def resolve(count: int | None) -> int:
    """What numpact._core gets for ``threads=count``."""
    if count is not None:
        return _checked(count)
    wanted = _wanted.get()
    if wanted is not None:
        return wanted
    if _in_dask_task():
        return 1
    named = os.environ.get("NUMPACT_THREADS", "").strip()
    if not named:
        return ALL
    if not named.isdecimal():
        raise InvalidArgumentError(f"NUMPACT_THREADS is {named!r}, not a number of threads")
    return min(int(named), _MOST)
