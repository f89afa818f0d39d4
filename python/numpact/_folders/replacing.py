# SPDX-License-Identifier: Apache-2.0
"""Gives a new folder of a table its name in one step, as cli/io/output_file.cpp does.

docs/format/table-folder.md says which file is the lock of a table.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import secrets
import shutil
import stat
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Union

from .. import _core
from .._errors import CorruptError, Error, InputOutputError, LimitExceededError
from .._lock import locked
from .._remote.manifest import NAME, manifest_of

Path = Union[str, "os.PathLike[str]"]

# Concurrent syncs share the work of the file system; as in cli/io/output_file.cpp.
_SYNC_THREADS = 32
# Maximum bytes of a temporary name: with the rest it stays below the 255 of file systems.
_MAX_HIDDEN_NAME_BYTES = 180
_NOREPLACE, _EXCHANGE = 1, 2  # flags of renameat2
_AT_FDCWD = -100
_UNSUPPORTED = (errno.EINVAL, errno.ENOSYS)


class NewFolder:
    """A folder under a hidden name next to its final one; removed unless it gets that.

    Args:
        path: The final name. Missing parents are made.
        like: An existing folder is to be replaced: only the owner has access at first.
    """

    def __init__(self, path: str, like: bool) -> None:
        self.target = path
        parent = os.path.dirname(path)
        os.makedirs(parent, exist_ok=True)
        name = os.fsdecode(os.fsencode(os.path.basename(path))[:_MAX_HIDDEN_NAME_BYTES])
        while True:
            hidden = f".{name}.{os.getpid()}-{secrets.token_hex(4)}.tmp"
            self.path = os.path.join(parent, hidden)
            with contextlib.suppress(FileExistsError):
                os.mkdir(self.path, 0o700 if like else 0o777)
                break

    def file(self, name: str) -> str:
        """The path of a file in the folder."""
        return os.path.join(self.path, name)

    def sync(self) -> None:
        """Makes the files durable."""
        with ThreadPoolExecutor(_SYNC_THREADS) as pool:
            list(pool.map(_sync_file, [entry.path for entry in os.scandir(self.path)]))
        _sync_folder(self.path)

    def move(self) -> None:
        """Gives the folder its name, which must be free.

        Raises:
            FileExistsError: It is not.
        """
        _rename_to_free_name(self.path, self.target)
        _sync_folder(os.path.dirname(self.target))

    def replace(self, names: set[str]) -> None:
        """Exchanges the folder with the existing one, whose files ``names`` are removed."""
        self._take_access(names)
        self.sync()
        old = _exchange(self.path, self.target)
        self.path = ""
        for name in names:
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(old, name))
        try:
            os.rmdir(old)
        except OSError:
            warnings.warn(
                f"{self.target}: files came meanwhile that are not part of the table; they stay in "
                f"{old}",
                stacklevel=3,
            )
        _sync_folder(os.path.dirname(self.target))

    def _take_access(self, old: set[str]) -> None:
        """Gives files the access rights of those that they replace; the folder comes last."""
        for entry in list(os.scandir(self.path)):
            like = entry.name if entry.name in old else NAME
            _take_access(entry.path, os.path.join(self.target, like))
        _take_access(self.path, self.target)

    def remove(self) -> None:
        """Removes the folder, unless it has its name."""
        if self.path and os.path.lexists(self.path):
            shutil.rmtree(self.path, ignore_errors=True)


@contextmanager
def new_folder(path: str, like: bool) -> Iterator[NewFolder]:
    """A NewFolder, which is removed after an error. Errors name files as they are to be named."""
    folder = NewFolder(path, like)
    hidden = folder.path
    try:
        yield folder
    except (Error, OSError) as error:
        error.args = tuple(
            value.replace(hidden, path) if isinstance(value, str) else value for value in error.args
        )
        for name in ("filename", "filename2"):
            value = getattr(error, name, None)
            if isinstance(value, str) and hidden in value:
                setattr(error, name, value.replace(hidden, path))
        raise
    finally:
        folder.remove()


def final_path(path: Path) -> str:
    """The absolute path of a folder to write, without links."""
    text = os.fsdecode(path)
    return os.path.realpath(text.rstrip("/") or text)


def table_files(path: str) -> set[str]:
    """The names of all files of a folder that is a table or empty.

    Raises:
        FileExistsError: It contains any other file, or is not a folder.
    """
    if not os.path.isdir(path):
        raise _exists(path, "is not a folder of numpact")
    files: set[str] = set()
    foreign: set[str] = set()
    for entry in os.scandir(path):
        is_file = stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode)
        (files if is_file else foreign).add(entry.name)
    if not files and not foreign:
        return files
    named = _files_of_manifest(path)
    foreign |= files - (named or set())
    if not foreign:
        return files
    what = "is not a folder of numpact (it holds {!r})" if named is None else "holds {!r}, which "
    what += "" if named is None else "is not part of the table"
    raise _exists(path, what.format(min(foreign)))


def _exists(path: str, what: str) -> FileExistsError:
    return FileExistsError(errno.EEXIST, f"exists already and {what}: not overwritten", path)


def _files_of_manifest(path: str) -> set[str] | None:
    try:
        return {NAME, *manifest_of(_core.TableReader(os.fsencode(path)).manifest()).files()}
    except (CorruptError, InputOutputError, LimitExceededError, Error, OSError):
        return None


@contextmanager
def locked_table(path: str, lock_timeout: float | None) -> Iterator[bool]:
    """Holds the lock of a table in a ``with`` block; gives whether there is a table.

    Raises:
        LockTimeoutError: Another process or thread holds it.
    """
    manifest = os.path.join(path, NAME)
    try:
        is_file = stat.S_ISREG(os.lstat(manifest).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        is_file = False
    if not is_file:  # nothing to lock; readers report what it is
        yield False
        return
    with locked(manifest, lock_timeout) as lock:
        yield lock.has_file


def _sync_file(path: str) -> None:
    number = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    try:
        os.fsync(number)
    except OSError as error:
        if error.errno != errno.EINVAL:  # not supported by every file system
            raise
    finally:
        os.close(number)


def _sync_folder(path: str) -> None:
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        number = os.open(path, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _take_access(path: str, like: str) -> None:
    number = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    try:
        _core.take_access(number, like)
    finally:
        os.close(number)


def _renameat2(old: str, new: str, flags: int) -> bool:
    """Renames by Linux' renameat2; False if the system or the file system does not have it.

    Raises:
        OSError: It failed.
    """
    if sys.platform != "linux":
        return False
    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "renameat2"):
        return False
    names = os.fsencode(old), os.fsencode(new)
    if library.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], flags) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNSUPPORTED:
        return False
    raise OSError(code, os.strerror(code), new)


def _rename_to_free_name(old: str, new: str) -> None:
    if _renameat2(old, new, _NOREPLACE):
        return
    if os.path.lexists(new):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new)
    os.rename(old, new)


def _exchange(new: str, target: str) -> str:
    """Gives the folder ``new`` the name ``target``; the path of the folder that had it."""
    if _renameat2(new, target, _EXCHANGE):
        return new
    old = f"{new}.old"
    os.rename(target, old)
    try:
        os.rename(new, target)
    except OSError:
        os.rename(old, target)
        raise
    return old
