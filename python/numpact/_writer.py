# SPDX-License-Identifier: Apache-2.0
"""Writing a file piece by piece."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from typing import TYPE_CHECKING, Any, BinaryIO, Union

from . import _core
from ._arrays import numbers_of, type_name
from ._errors import TypeMismatchError
from ._specs import (
    DEFAULT_LEVEL,
    DEFAULT_PAGING,
    Delta,
    Mode,
    Paging,
    core_delta,
    core_level,
    core_mode,
    core_paging,
)
from ._threads import resolve

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Self

    Target = Union[str, os.PathLike[str], BinaryIO, io.RawIOBase]


class Replacement:
    """A temporary file beside its final name, which it takes once it is whole and on disk."""

    def __init__(self, path: str) -> None:
        self._path = path
        folder = os.path.dirname(os.path.abspath(path))
        handle, self._temporary = tempfile.mkstemp(
            dir=folder, prefix=f".{os.path.basename(path)}.", suffix=".part"
        )
        self._file = os.fdopen(handle, "wb")
        # As a file that open() makes: what is there already keeps its rights.
        try:
            mode = os.stat(path).st_mode & 0o777
        except FileNotFoundError:
            mask = os.umask(0)
            os.umask(mask)
            mode = 0o666 & ~mask
        with contextlib.suppress(OSError):
            os.chmod(self._temporary, mode)

    def write(self, data: bytes | memoryview) -> None:
        self._file.write(data)

    def commit(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        os.replace(self._temporary, self._path)
        if os.name == "posix":
            folder = os.open(os.path.dirname(os.path.abspath(self._path)), os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def abort(self) -> None:
        with contextlib.suppress(OSError):
            self._file.close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._temporary)


class _Stream:
    """A file object of the caller's."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while len(view) > 0:
            written = self._file.write(view)
            # Raw files may take less than they are given.
            view = view[len(view) if written is None else written :]

    def commit(self) -> None:
        pass

    def abort(self) -> None:
        pass


class Writer:
    """Writes a standalone Pco file from arrays as they come, in the memory of a chunk a thread.

    A path is written beside its name, synced and renamed by ``close()``: until then, and after an
    error, what was there before stays. Leaving the ``with`` block by an exception throws the
    unfinished file away. A file object of the caller's is written to directly and left open.

    Args:
        target: A path, or a file opened in binary mode.
        dtype: The type of all numbers; datetime64, timedelta64 and bool are stored as ``compress``
            stores them.
        level, mode, delta: As for ``compress``, decided for each chunk.
        paging: Numbers in a chunk, or the sizes of all chunks in turn.
        threads: Chunks that are compressed at the same time; None: as many as the machine runs at
            once, but one in Zarr and Dask tasks. Each takes the memory of a chunk.

    One thread at a time may use a Writer; others wait.

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
    ) -> None:
        self._type = type_name(dtype)
        self._encoder = _core.Encoder(
            self._type,
            core_level(level),
            core_mode(mode),
            core_delta(delta),
            core_paging(paging),
            resolve(threads),
        )
        self._count = 0
        self._written = 0
        self._state = "open"
        self._sink: Replacement | _Stream
        if isinstance(target, (str, os.PathLike)):
            self._sink = Replacement(os.fspath(target))
        else:
            self._sink = _Stream(target)

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
        """Takes numbers of the Writer's type, from anything that ``compress`` takes.

        Raises:
            TypeMismatchError: Numbers of another type; nothing is written then.
        """
        self._check_open()
        numbers = numbers_of(x)
        if type_name(numbers.dtype) != self._type:
            raise TypeMismatchError(
                f"the writer takes {self._type} numbers, not {type_name(numbers.dtype)}"
            )
        self._send(lambda: self._encoder.write(numbers))
        self._count += numbers.size

    def end_chunk(self) -> None:
        """Ends the current chunk early."""
        self._check_open()
        self._send(self._encoder.end_chunk)

    def close(self) -> None:
        """Writes what waits and the end of the file; a path gets its name now."""
        if self._state == "closed":
            return
        self._check_open()
        self._send(self._encoder.finish)
        try:
            self._sink.commit()
        except BaseException:
            self.abort()
            raise
        self._state = "closed"

    def abort(self) -> None:
        """Throws the file away; one that was there before stays."""
        if self._state == "open":
            self._sink.abort()
            self._state = "aborted"

    def _send(self, make: Any) -> None:
        try:
            data: bytes = make()
            self._sink.write(data)
        except TypeMismatchError:
            raise
        except BaseException:
            self.abort()
            raise
        self._written += len(data)

    def _check_open(self) -> None:
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
        if getattr(self, "_state", "") == "open":
            self.abort()
