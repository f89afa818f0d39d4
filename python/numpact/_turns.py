# SPDX-License-Identifier: Apache-2.0
"""Mutual exclusion for the methods of an object: between threads, reentrant calls and processes."""

from __future__ import annotations

import os
import threading
from types import TracebackType

from ._errors import InvalidArgumentError

_forks = 0  # calls of fork() between the first process and this one
_forker = 0  # id of the thread that called fork(), the only thread of the child at first
_renewing = threading.Lock()


def _after_fork() -> None:
    global _forks, _forker, _renewing
    _forks += 1
    _forker = threading.get_ident()
    _renewing = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class Turns:
    """A lock for the methods of one object, used in a ``with`` statement.

    A reentrant call of the same thread (from a file object, a progress function or a signal
    handler) raises InvalidArgumentError; with a plain lock it would deadlock.

    Args:
        name: How messages call the object, for example "the writer".
        is_bound: A forked process must not use the object, because it shares a file with its
            parent. Other objects get a new lock after a fork, because a thread that does not exist
            in the child may have held the old one.
    """

    __slots__ = ("_forks", "_is_busy", "_lock", "_name", "_process")

    def __init__(self, name: str, is_bound: bool) -> None:
        self._name = name
        self._process = os.getpid() if is_bound else 0
        self._forks = _forks
        self._lock = threading.RLock()
        self._is_busy = False

    @property
    def is_foreign(self) -> bool:
        """Whether this is a forked process and the object belongs to its parent."""
        return self._process not in (0, os.getpid())

    def check_process(self) -> None:
        if self.is_foreign:
            raise InvalidArgumentError(
                f"{self._name} belongs to the process {self._process}, of which this one was "
                "forked: make a new one here"
            )

    def check_outside(self) -> None:
        """Raises InvalidArgumentError if the calling thread is inside of a call."""
        # The lock is reentrant: this succeeds if the calling thread holds it, or nobody does.
        lock = self._current()
        if lock.acquire(blocking=False):
            try:
                self._check_idle()
            finally:
                lock.release()

    def __enter__(self) -> None:
        self.check_process()
        self._current().acquire()
        try:
            self._check_idle()
        except BaseException:
            self._lock.release()
            raise
        self._is_busy = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_busy = False
        self._lock.release()

    def _check_idle(self) -> None:
        if self._is_busy:
            raise InvalidArgumentError(
                f"{self._name} is at work: one of its methods was called inside of another one, by "
                "a file object, a progress function or a signal handler"
            )

    def _current(self) -> threading.RLock:  # type: ignore[valid-type,unused-ignore]
        if self._forks != _forks:
            with _renewing:
                if self._forks != _forks and not self._is_mine():
                    self._lock = threading.RLock()
                    self._is_busy = False
                self._forks = _forks
        return self._lock

    def _is_mine(self) -> bool:
        """Whether the calling thread holds the lock because it called fork() inside of a call.

        Only for the thread that called fork(): a new thread may have the id of one that is gone.
        """
        if threading.get_ident() != _forker or not self._lock.acquire(blocking=False):
            return False
        is_held = self._is_busy
        self._lock.release()
        return is_held
