# SPDX-License-Identifier: Apache-2.0
"""Folders of tables as files, which may come from strangers.

The rules are those of cli/table_folder.cpp: only regular files are opened, and none outside of the
folder. What is found in a folder is of one moment; files that are read later are those of then, or
are refused.
"""

from __future__ import annotations

import errno
import mmap
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from .._errors import CorruptError, Error, InputOutputError, TruncatedError
from .._versions import Version, is_same, signs_in, version_of
from .locations import Location, Stamp, join, stamp_of, typed_errors
from .manifest import MAX_BYTES, NAME, Column, parse_manifest

if TYPE_CHECKING:
    from typing_extensions import Buffer, Self

    T = TypeVar("T")

# Links within a folder that are followed one after the other.
_MAX_LINKS = 8
# How often a folder is opened anew because it was replaced meanwhile.
_ATTEMPTS = 100
_OPEN = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0)
_OPEN_FILE = _OPEN | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_OPEN_FILE |= getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class TableFile(Location):
    """A file of a table, in the state that it was found in; what it became later is not read.

    Can be pickled.
    """

    folder: str = ""
    name: str = ""
    version: Version = field(default_factory=dict, repr=False, hash=False)

    def read(self, start: int, stop: int) -> bytes:
        if start >= stop:
            return b""
        if self.local_path is None:
            with self._watched():
                return super().read(start, stop)
        with self._opened() as number:
            data = _read_at(number, start, stop)
        if len(data) < stop - start:
            end = start + len(data)
            raise TruncatedError(f"{self.url}: ends at byte {end}, not {stop}", offset=end)
        return data

    def read_all(self) -> bytes:
        if self.local_path is None:
            with self._watched():
                return super().read_all()
        with self._opened() as number:
            return _read_at(number, 0, os.fstat(number).st_size)

    def read_at_most(self, max_bytes: int) -> bytes:
        with self._watched():
            return super().read_at_most(max_bytes)

    def contents(self) -> Buffer | None:
        if self.local_path is None:
            return None
        with self._opened() as number:
            size = os.fstat(number).st_size
            try:
                return mmap.mmap(number, 0, access=mmap.ACCESS_READ)
            except (OSError, ValueError):  # of an empty file, and not every file system can
                return _read_at(number, 0, size)

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """Its descriptor. What is read is of the state that the file was found in."""
        with _folder_of(self.folder) as folder:
            try:
                number = _open_in(folder, self.name, self.url)
            except FileNotFoundError:
                raise self._replaced() from None
        try:
            self._check(_version_of_open(number))
            yield number
            self._check(_version_of_open(number))
        finally:
            os.close(number)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """While a file of a store is read. There is no opening it, so its state is asked for."""
        try:
            yield
        except Exception as error:
            self._check(self._version_in_store(), error)
            raise
        self._check(self._version_in_store())

    def _version_in_store(self) -> Version | None:
        with typed_errors(self.url):
            try:
                return version_of(self.fs, self.path)
            except FileNotFoundError:
                return None

    def _check(self, now: Version | None, cause: Exception | None = None) -> None:
        if now is None or not is_same(self.version, now):
            raise self._replaced() from cause

    def _replaced(self) -> CorruptError:
        return CorruptError(
            f"{self.url}: was replaced or changed after the table was opened, which would mix two "
            "tables: open it anew"
        )


class TableFolder:
    """A table that is open: all files that it gives are those of one moment."""

    def __init__(self, place: Location) -> None:
        self.place = place

    def file(self, name: str) -> tuple[TableFile, Stamp]:
        """A file and its state. Raises FileNotFoundError, or says why it is none of the table."""
        raise NotImplementedError

    def is_current(self) -> bool:
        """Whether the folder is still the one of that name."""
        return True

    def columns(self) -> list[Column]:
        """What the manifest says."""
        file, stamp = self.file(NAME)
        if stamp.size is not None and stamp.size > MAX_BYTES:
            raise CorruptError(f"{file.url}: is too long")
        if stamp.size is None:  # a server that does not say
            return parse_manifest(file.read_at_most(MAX_BYTES), file.url)
        return parse_manifest(file.read(0, stamp.size), file.url)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return


class _LocalFolder(TableFolder):
    def __init__(self, place: Location, path: str) -> None:
        super().__init__(place)
        self._path = path
        self._number = os.open(path, _OPEN | os.O_DIRECTORY)

    def __exit__(self, *error: object) -> None:
        os.close(self._number)

    def file(self, name: str) -> tuple[TableFile, Stamp]:
        place = join(self.place, name)
        number = _open_in(self._number, name, place.url)
        try:
            version = _version_of_open(number)
            status = os.fstat(number)
        finally:
            os.close(number)
        # As the file system of fsspec has it, which indexes are made by.
        stamp = stamp_of({"size": status.st_size, "mtime": status.st_mtime})
        return TableFile(place.fs, place.path, self._path, name, version), stamp

    def is_current(self) -> bool:
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(self._number))
        except OSError:
            return True


class _StoreFolder(TableFolder):
    """Of a store, whose files are told by their ETag, or what else it says of their state."""

    def __init__(self, place: Location) -> None:
        super().__init__(place)
        place.fs.invalidate_cache()
        with typed_errors(place.url):
            # One list for the folder instead of a request for each file.
            infos: list[dict[str, Any]] = place.fs.ls(place.path.rstrip("/"), detail=True)
        self._infos = {str(info["name"]).rpartition("/")[2]: info for info in infos}

    def file(self, name: str) -> tuple[TableFile, Stamp]:
        place = join(self.place, name)
        info = self._infos.get(name)
        if info is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), place.url)
        if info.get("islink") or info.get("type") == "link":
            raise CorruptError(f"{place.url}: is a link, which may lead out of the folder")
        if info.get("type") != "file":
            raise InputOutputError(f"{place.url}: is no regular file")
        path = str(info["name"])
        file = TableFile(place.fs, path, self.place.path, name, signs_in(info))
        return file, stamp_of(info)


def with_table(place: Location, work: Callable[[TableFolder], T]) -> T:
    """What a function makes of an open table; anew where the folder was replaced meanwhile."""
    for attempt in range(1, _ATTEMPTS + 1):
        with _opened(place) as table:
            try:
                made = work(table)
            except (Error, OSError):
                # Who replaces a folder removes its files: those of the new one are whole.
                if attempt == _ATTEMPTS or table.is_current():
                    raise
            else:
                if attempt == _ATTEMPTS or table.is_current():
                    return made
    raise AssertionError("the last attempt ends")


def _opened(place: Location) -> TableFolder:
    path = place.local_path
    if path is None or os.open not in os.supports_dir_fd:
        return _StoreFolder(place)
    return _LocalFolder(place, path.rstrip("/") or "/")


@contextmanager
def _folder_of(path: str) -> Iterator[int]:
    number = os.open(path, _OPEN | os.O_DIRECTORY)
    try:
        yield number
    finally:
        os.close(number)


def _open_in(folder: int, name: str, url: str) -> int:
    """A regular file of an open folder.

    What is none is not even opened, since a pipe would wait and a device might act.
    """
    # Names come from JSON, which may have halves of surrogate pairs.
    at = name.encode("utf-8", "surrogatepass")
    for _ in range(_MAX_LINKS + 1):
        try:
            mode = os.stat(at, dir_fd=folder, follow_symlinks=False).st_mode
            if stat.S_ISLNK(mode):
                at = _target_of(folder, at, url)
                continue
            if stat.S_ISDIR(mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            if not stat.S_ISREG(mode):
                raise InputOutputError(f"{url}: is no regular file")
            number = os.open(at, _OPEN_FILE, dir_fd=folder)
        except OSError as error:
            if isinstance(error, Error):
                raise
            raise type(error)(error.errno, error.strerror, url) from None
        if not stat.S_ISREG(os.fstat(number).st_mode):
            os.close(number)
            raise InputOutputError(f"{url}: is no regular file")
        return number
    raise InputOutputError(f"{url}: the links lead back to themselves")


def _target_of(folder: int, name: bytes, url: str) -> bytes:
    """What a link in the folder names, if that lies in the folder too."""
    target = os.readlink(name, dir_fd=folder)
    if target in (b"", b".", b"..") or b"/" in target:
        raise CorruptError(f"{url}: is a link that leads out of the folder")
    return target


def _version_of_open(number: int) -> Version:
    status = os.fstat(number)
    # Other machines that have the file may have other numbers for it.
    return {"size": status.st_size, "mtime": status.st_mtime_ns}


def _read_at(number: int, start: int, stop: int) -> bytes:
    """The bytes from one place to another; fewer only at the end of the file."""
    # Room is made for what is there, whatever is asked for.
    stop = min(stop, os.fstat(number).st_size)
    pieces: list[bytes] = []
    while start < stop:
        piece = os.pread(number, stop - start, start)
        if not piece:
            break
        pieces.append(piece)
        start += len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)
