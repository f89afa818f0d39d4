# SPDX-License-Identifier: Apache-2.0
"""The default number of threads."""

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
from ._shown import few

ALL = 0  # for numpact._core: one thread per processor
_MAX_THREADS = 1024  # more do not make a call faster

_requested: ContextVar[int | None] = ContextVar("numpact_threads", default=None)


def _checked(threads: int) -> int:
    try:
        count = -1 if isinstance(threads, bool) else operator.index(threads)
    except TypeError:
        count = -1
    if count < 0:
        raise InvalidArgumentError(f"threads must be 0 (all), 1, 2, ..., not {few(threads)}")
    return min(count, _MAX_THREADS)


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Sets the meaning of ``threads=None`` inside a ``with`` block, for this thread or task.

    Args:
        count: 1: only the calling thread; 0: one thread per processor.

    Threads that are started in the block do not inherit the setting, because it is a context
    variable. For a whole program set NUMPACT_THREADS in the environment.

    >>> import numpact
    >>> with numpact.threads(1):
    ...     file = numpact.compress([1, 2, 3])
    """
    token = _requested.set(_checked(count))
    try:
        yield
    finally:
        _requested.reset(token)


def _in_dask_task() -> bool:
    """Whether this runs in a task of Dask, which uses all processors for tasks already."""
    worker = sys.modules.get("distributed.worker")
    if worker is not None and getattr(worker.thread_state, "execution_state", None) is not None:
        return True
    return "dask.local" in sys.modules and _in_dask_pool()


def _in_dask_pool() -> bool:
    """Whether this runs in a pool of Dask's schedulers for one machine (threads or processes).

    The only trace is the function of Dask on the stack. The synchronous scheduler has it too, but
    it runs in the main thread, and no other task runs at the same time.
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
    """The number of threads for ``numpact._core``; 0 means one per processor.

    Args:
        count: The caller's ``threads``. None: the value of an enclosing ``threads`` block, else 1
            in a task of Dask, else NUMPACT_THREADS, else 0.

    Raises:
        InvalidArgumentError: ``count`` or NUMPACT_THREADS is not a number of threads.
    """
    if count is not None:
        return _checked(count)
    requested = _requested.get()
    if requested is not None:
        return requested
    if _in_dask_task():
        return 1
    named = os.environ.get("NUMPACT_THREADS", "").strip()
    if not named:
        return ALL
    # The command reads it in the same way (cli/commands/common_options.cpp).
    if not (named.isascii() and named.isdecimal()):
        raise InvalidArgumentError(f"NUMPACT_THREADS is {named!r}, not a number of threads")
    return min(int(named.lstrip("0")[:5] or "0"), _MAX_THREADS)
