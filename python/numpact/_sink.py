# SPDX-License-Identifier: Apache-2.0
"""Destinations of writers: files that are replaced atomically, and streams."""

from __future__ import annotations

import contextlib
import io
import os
import secrets
import stat
from typing import Any, BinaryIO, Protocol, Union

from . import _core
from ._errors import InvalidArgumentError
from ._lock import core_timeout

#: Where to write: a path, or a file that is open in binary mode.
Target = Union[str, "os.PathLike[str]", BinaryIO, io.RawIOBase]


class Sink(Protocol):
    """The destination of a writer. Ends with ``commit`` or ``abort``; not thread-safe."""

    def write(self, data: bytes | memoryview) -> None: ...
    def commit(self) -> None: ...
    def abort(self) -> None: ...


def sink_of(
    target: Target, lock_timeout: float | None = None, lock: _core.FileLock | None = None
) -> Sink:
    """Opens a destination.

    ``commit`` replaces a regular file; devices, pipes and file objects are written to directly.

    Args:
        target: A path, or a file that is open in binary mode.
        lock_timeout: Seconds that ``commit`` waits for other writers of the file; None: no limit.
        lock: A lock of the file that the caller holds already.

    Raises:
        InvalidArgumentError: Not a path or a file in binary mode.
    """
    timeout = core_timeout(lock_timeout)
    if isinstance(target, (str, os.PathLike)):
        # Replace the target of a symbolic link, not the link.
        path = os.path.realpath(os.fsdecode(target))
        try:
            mode = os.stat(path).st_mode
        except FileNotFoundError:
            return _Replacement(path, 0o666, timeout, lock)  # less the umask, as open() does
        if stat.S_ISREG(mode):
            return _Replacement(path, 0o600, timeout, lock)
        return _Stream(open(path, "wb", buffering=0), owned=True)
    if isinstance(target, io.TextIOBase):
        raise InvalidArgumentError("the file must be opened in binary mode")
    if not hasattr(target, "write"):
        kind = type(target).__name__
        raise InvalidArgumentError(f"a path or a file to write to is needed, not {kind}")
    return _Stream(target, owned=False)


def _write_all(file: Any, data: bytes | memoryview) -> None:
    view = memoryview(data)
    while len(view) > 0:
        written = file.write(view)
        if written is None:
            if isinstance(file, io.RawIOBase):
                raise BlockingIOError("the file takes no more bytes at the moment")
            return  # not every file object returns the count
        if not 0 < written <= len(view):
            raise OSError(f"the file claims to have written {written} of {len(view)} bytes")
        view = view[written:]  # raw files may take less than they are given


class _Replacement:
    """A temporary file in the folder of the target. ``commit`` syncs it and renames it.

    Args:
        mode: Its permissions until then. ``commit`` gives it those of the file that it replaces.
    """

    def __init__(
        self, path: str, mode: int, timeout: int | None, lock: _core.FileLock | None
    ) -> None:
        self._path = path
        self._timeout = timeout
        self._lock = lock
        self._folder = os.path.dirname(path)
        self._process = os.getpid()
        self._temporary, handle = self._create(mode)
        # Unbuffered: after fork() both processes would flush the same buffer.
        self._file = os.fdopen(handle, "wb", buffering=0)

    def _create(self, mode: int) -> tuple[str, int]:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        flags |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        name = os.fsdecode(os.fsencode(os.path.basename(self._path))[:180])
        while True:
            # The pattern of the C++ library: killed processes leave such files behind.
            hidden = f".{name}.{os.getpid()}-{secrets.token_hex(4)}.tmp"
            path = os.path.join(self._folder, hidden)
            with contextlib.suppress(FileExistsError):
                return path, os.open(path, flags, mode)

    def write(self, data: bytes | memoryview) -> None:
        _write_all(self._file, data)

    def commit(self) -> None:
        _core.take_access(self._file.fileno(), self._path)
        os.fsync(self._file.fileno())
        self._file.close()
        if self._lock is not None:
            self._lock.replace(self._temporary)
        else:
            _core.replace_file(self._temporary, self._path, self._timeout)
        if os.name == "posix":
            with contextlib.suppress(OSError):  # not supported by every file system
                folder = os.open(self._folder, os.O_RDONLY)
                try:
                    os.fsync(folder)
                finally:
                    os.close(folder)

    def abort(self) -> None:
        with contextlib.suppress(OSError):
            self._file.close()
        # A forked process has a copy of this object, but must not delete the file of its parent.
        if os.getpid() == self._process:
            with contextlib.suppress(OSError):
                os.unlink(self._temporary)


class _Stream:
    """A file object; closed at the end only if it is ``owned``."""

    def __init__(self, file: Any, owned: bool) -> None:
        self._file = file
        self._owned = owned

    def write(self, data: bytes | memoryview) -> None:
        _write_all(self._file, data)

    def commit(self) -> None:
        if self._owned:
            self._file.close()

    def abort(self) -> None:
        if self._owned:
            with contextlib.suppress(OSError):
                self._file.close()
