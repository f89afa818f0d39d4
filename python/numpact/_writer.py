# SPDX-License-Identifier: Apache-2.0
"""Writing a file piece by piece."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

from . import _core
from ._arrays import numbers_of
from ._number_types import stated_type, type_name
from ._sink import Target, sink_of
from ._specs import (
    DEFAULT_LEVEL,
    DEFAULT_PAGING,
    Delta,
    Mode,
    Paging,
    TrailerSpec,
    core_compat,
    core_flag,
    core_options,
    core_trailer,
)
from ._threads import resolve
from ._turns import Turns

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Self


# Numbers of an array that one call encodes. Between calls bytes are written, and Ctrl-C works.
_PIECE = 1 << 22


class Writer:
    """Writes a standalone Pco file from arrays as they come, in the memory of a chunk a thread.

    A path is written beside its name, synced and renamed by ``close()``: until then, and after an
    error, what was there before stays. Leaving the ``with`` block by an exception throws the
    unfinished file away, and so does forgetting ``close()``. A file object of the caller's is
    written to directly and left open; so are devices and pipes.

    Args:
        target: A path, or a file opened in binary mode.
        dtype: The type of all numbers, in any byte order; datetime64 and timedelta64, with a unit,
            and bool are stored as ``compress`` stores them. ``write`` converts to it.
        level, mode, delta: As for ``compress``, decided for each chunk.
        paging: As for ``compress``: ``"auto"``, numbers in a chunk, or the sizes of all in turn.
        threads: Chunks that are compressed at the same time; None: as many as the machine runs at
            once, but one in Zarr and Dask tasks. Each takes the memory of two of the longest
            chunks, and what compressing one takes.
        compat, favor_decode_speed, trailer: As for ``compress``.
        lock_timeout: Seconds that ``close()`` waits for others that are writing the file which it
            replaces (``LockTimeoutError``); None: without end.

    One thread at a time may use a Writer; others wait. A call inside of another one, by a file
    object or a signal handler, is an error (``InvalidArgumentError``). So is writing and closing in
    a forked process, which has a copy of the Writer, but leaves the file to its parent.

    >>> import numpact, numpy as np, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "prices.pco")
    >>> with numpact.Writer(path, "float64") as writer:
    ...     for day in range(3):
    ...         writer.write(np.full(4, day / 10))
    >>> numpact.open(path)[3:6]
    array([0. , 0.1, 0.1])
    """

    def __init__(
        self,
        target: Target,
        dtype: npt.DTypeLike,
        *,
        level: int = DEFAULT_LEVEL,
        mode: Mode = "auto",
        delta: Delta = "auto",
        paging: Paging = DEFAULT_PAGING,
        threads: int | None = None,
        compat: str = "4.1",
        favor_decode_speed: bool = False,
        trailer: TrailerSpec = False,
        lock_timeout: float | None = None,
    ) -> None:
        self._state = "unopened"
        self._dtype = stated_type(dtype)
        self._encoder = _core.Encoder(
            type_name(self._dtype),
            **core_options(level, mode, delta, paging),
            threads=resolve(threads),
            compat=core_compat(compat),
            favor_decode_speed=core_flag("favor_decode_speed", favor_decode_speed),
            trailer=core_trailer(trailer),
        )
        self._count = 0
        self._written = 0
        self._turns = Turns("the writer", is_bound=True)
        self._sink = sink_of(target, lock_timeout)
        self._state = "open"

    @property
    def count(self) -> int:
        """Numbers taken so far."""
        return self._count

    @property
    def bytes_written(self) -> int:
        """Bytes of the file so far; those of the numbers that still wait are not among them."""
        return self._written

    @property
    def closed(self) -> bool:
        return self._state != "open"

    def write(self, x: object) -> None:
        """Takes what ``compress`` takes, if the Writer's type has the same values.

        Numbers of other types, byte orders and units of time are converted where that changes no
        value: 2.0 to an integer, 0.5 to float16, days to nanoseconds. Nothing is rounded, cut or
        wrapped. Times are not taken for numbers, nor numbers for times; times with a time zone do
        not go into a Writer of datetime64, which has none.

        Raises:
            TypeMismatchError: A value that the Writer's type does not have, which is named with
                its index; or values of a kind that is not converted. Nothing is written then.
            InvalidArgumentError: Nulls, or masked elements.
            ValueError: The writer is closed.
        """
        self._check_open()
        numbers = numbers_of(x, self._dtype).reshape(-1)
        with self._turns:
            self._check_open()
            try:
                for first in range(0, numbers.size, _PIECE):
                    piece = numbers[first : first + _PIECE]
                    self._send(self._encoder.write(piece))
                    self._count += piece.size
            except BaseException:
                self._throw_away()
                raise

    def append(self, x: object) -> None:
        """The same as ``write``, by the name that ``numpact.cvc.Writer`` has for it."""
        self.write(x)

    def end_chunk(self) -> None:
        """Ends the current chunk early."""
        self._finish_part(self._encoder.end_chunk)

    def close(self) -> None:
        """Writes what waits and the end of the file; a path gets its name now."""
        if self._state != "closed":
            self._finish_part(self._encoder.finish, is_last=True)

    def abort(self) -> None:
        """Throws the file away; one that was there before stays."""
        if self._turns.is_foreign:
            self._throw_away()  # no more than this process's own handle
            return
        with self._turns:
            self._throw_away()

    def _throw_away(self) -> None:
        if self._state == "open":
            self._state = "aborted"
            self._sink.abort()

    def _finish_part(self, make: Callable[[], bytes], is_last: bool = False) -> None:
        with self._turns:
            if is_last and self._state == "closed":
                return
            self._check_open()
            try:
                self._send(make())
                if is_last:
                    self._sink.commit()
                    self._state = "closed"
            except BaseException:
                self._throw_away()
                raise

    def _send(self, data: bytes) -> None:
        self._sink.write(data)
        self._written += len(data)

    def _check_open(self) -> None:
        self._turns.check_process()
        if self._state != "open":
            raise ValueError(f"the writer is {self._state}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()

    def __del__(self) -> None:
        if getattr(self, "_state", "") != "open":
            return
        if not self._turns.is_foreign:
            warnings.warn(
                "a numpact.Writer was not closed: what it wrote is thrown away",
                ResourceWarning,
                stacklevel=2,
                source=self,
            )
        self._throw_away()
