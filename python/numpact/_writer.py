# SPDX-License-Identifier: Apache-2.0
"""Writes a file in several calls."""

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
    checked_limit,
    core_compat,
    core_options,
    core_recipe,
    core_trailer,
    core_weight,
)
from ._threads import resolve
from ._turns import Turns

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Self

    from ._recipe import Recipe


# Numbers per call of the encoder: between calls bytes are written and Ctrl-C is handled.
_MAX_BLOCK = 1 << 22


class Writer:
    """Writes a standalone Pco file from several arrays, with memory for a few chunks per thread.

    For a path, a temporary file is written, which ``close()`` syncs and renames. Until then, and
    after an error, an existing file of that name stays unchanged. If the ``with`` block ends with
    an exception, or ``close()`` is never called, the unfinished file is deleted. A file object is
    written to directly and not closed. Devices and pipes are written to directly, too.

    Args:
        target: A path, or a file opened in binary mode.
        dtype: The type of all numbers, in any byte order; datetime64 and timedelta64, with a unit,
            and bool are stored as ``compress`` stores them. ``write`` converts to it.
        level, mode, delta: As for ``compress``; ``"auto"`` chooses for each chunk.
        paging: As for ``compress``: ``"auto"``, the count of numbers in a chunk, or the counts of
            all chunks in order.
        threads: Number of chunks that are compressed at the same time; None: one per processor, but
            a single one in Zarr and Dask tasks. Each needs memory for two chunks of maximum length
            and for their compression.
        compat, favor_decode_speed, decode_weight, trailer, recipe: As for ``compress``.
        max_bytes: A larger file is of no use: before more bytes are written, ``write`` or ``close``
            raises ``OutputTooSmallError``.
        lock_timeout: Seconds that ``close()`` waits for other writers of the file that it replaces
            (``LockTimeoutError``); None: no limit.

    Thread-safe: calls of several threads are executed one after the other. A reentrant call, from a
    file object or a signal handler, raises ``InvalidArgumentError``. So does writing and closing in
    a forked process; the file belongs to its parent.

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
        decode_weight: float = 0,
        trailer: TrailerSpec = False,
        recipe: Recipe | str | None = None,
        max_bytes: int | None = None,
        lock_timeout: float | None = None,
    ) -> None:
        self._state = "unopened"
        self._dtype = stated_type(dtype)
        self._encoder = _core.Encoder(
            type_name(self._dtype),
            **core_options(level, mode, delta, paging),
            threads=resolve(threads),
            compat=core_compat(compat),
            decode_weight=core_weight(decode_weight, favor_decode_speed),
            trailer=core_trailer(trailer),
            recipe=core_recipe(recipe),
            max_bytes=checked_limit("max_bytes", max_bytes),
        )
        self._count = 0
        self._written = 0
        self._turns = Turns("the writer", is_bound=True)
        self._sink = sink_of(target, lock_timeout)
        self._state = "open"

    @property
    def count(self) -> int:
        """The count of numbers passed to ``write`` so far."""
        return self._count

    @property
    def bytes_written(self) -> int:
        """Bytes of the file so far, without those of numbers that are still buffered."""
        return self._written

    @property
    def closed(self) -> bool:
        return self._state != "open"

    def write(self, x: object) -> None:
        """Appends numbers.

        Numbers of other types, byte orders and units of time are converted if the type of the
        Writer can represent them exactly: 2.0 as an integer, 0.5 as float16, days as nanoseconds.
        Nothing is rounded, truncated or wrapped. Times are not converted to numbers, nor numbers to
        times, nor times with a time zone to datetime64, which has none.

        Args:
            x: Numbers, as for ``compress``.

        Raises:
            TypeMismatchError: The type of the Writer cannot represent a value (the message has its
                index), or the types are not convertible. Nothing is written then.
            InvalidArgumentError: Nulls, or masked elements.
            ValueError: The writer is closed.
        """
        self._check_open()
        numbers = numbers_of(x, self._dtype).reshape(-1)
        with self._turns:
            self._check_open()
            try:
                for first in range(0, numbers.size, _MAX_BLOCK):
                    block = numbers[first : first + _MAX_BLOCK]
                    self._send(self._encoder.write(block))
                    self._count += block.size
            except BaseException:
                self._throw_away()
                raise

    def append(self, x: object) -> None:
        """Same as ``write``; the name that ``numpact.cvc.Writer`` uses."""
        self.write(x)

    def end_chunk(self) -> None:
        """Ends the current chunk early."""
        self._finish_part(self._encoder.end_chunk)

    def close(self) -> None:
        """Writes the buffered numbers and the end of the file, and renames the file of a path.

        Raises:
            LockTimeoutError: Another process is writing the file.
            ValueError: The writer was aborted.
        """
        if self._state != "closed":
            self._finish_part(self._encoder.finish, is_last=True)

    def abort(self) -> None:
        """Deletes the unfinished file; an existing file of that name stays unchanged."""
        if self._turns.is_foreign:
            self._throw_away()  # closes only the file handle of this process
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
