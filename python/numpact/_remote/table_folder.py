# SPDX-License-Identifier: Apache-2.0
"""Folders of tables, whose files may be untrusted.

The library opens those of this machine: only regular files inside of the folder. All files of a
folder belong to one version of the table; a file that is replaced later is an error.
"""

from __future__ import annotations

import atexit
import errno
import os
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from .. import _core
from .._errors import ChecksumError, CorruptError, Error, InputOutputError, TruncatedError
from .._versions import Version, is_same, signs_in, version_of
from .checked_file import Blocks, CheckedFile, in_memory
from .dataset_index import FileSum, FolderEntry
from .locations import Location, Stamp, join, stamp_of, typed_errors, with_fsspec
from .manifest import (
    MAX_BYTES,
    NAME,
    Column,
    LogicalType,
    Manifest,
    Other,
    Part,
    parse_manifest,
)

if TYPE_CHECKING:
    from typing_extensions import Buffer, Self

    T = TypeVar("T")

#: Advice for an index that is not of the folders that are there.
ANEW = "index the dataset anew (numpact index FOLDER), or ignore its index (ignore_index=True)"
# Maximum attempts to read a folder that is replaced meanwhile.
_ATTEMPTS = 100
# Readers that are kept for the next task, with the ends of their files and maps of local ones.
_MAX_READERS = 4


@dataclass(frozen=True)
class TableFile(Location):
    """A certain version of a file of a table; reading another version is an error.

    Can be pickled.
    """

    folder: str = ""
    name: str = ""
    version: Version = field(default_factory=dict, repr=False, hash=False)
    #: From the index of a dataset, for a file of a store: takes the place of the version.
    sum: FileSum | None = field(default=None, repr=False)

    def read(self, start: int, stop: int) -> bytes:
        if start >= stop:
            return b""
        if self.local_path is None:
            with self._watched():
                found = super().read(start, stop)
            self._check_bytes(start, found)
            return found
        content = self._content()
        if len(content) < stop:
            end = len(content)
            raise TruncatedError(f"{self.url}: ends at byte {end}, not {stop}", offset=end)
        return bytes(memoryview(content)[start:stop])

    def read_all(self) -> bytes:
        if self.local_path is None:
            with self._watched():
                found = super().read_all()
            self._check_bytes(0, found)
            return found
        return bytes(self._content())

    def read_up_to(self, max_bytes: int) -> bytes:
        with self._watched():
            return super().read_up_to(max_bytes)

    def contents(self) -> Buffer | None:
        return None if self.local_path is None else self._content()

    def _content(self) -> Any:
        """All bytes of a local file, mapped; CorruptError if it was replaced or changed."""
        try:
            content, changed = _open_in(self.folder, self.name)
        except FileNotFoundError:
            raise self._replaced() from None
        self.check({"size": len(content), "mtime": changed})
        return content

    def opened(self) -> Any:
        """For ``numpact._core``: this file, which reads ranges, or all bytes of it."""
        if self.local_path is not None:
            return self._content()
        return self.read_all() if self.size is None else self

    def checked(self, blocks: Blocks | None) -> CheckedFile | Buffer:
        """For ``OtherReader``: bytes that are compared with checksums, or all without any."""
        content = self.contents()
        if blocks is None:
            return self.read_all() if content is None else content
        if content is not None:
            return in_memory(content, blocks, self.url)
        # Blocks have checksums: a file that was replaced is found without asking for its state.
        fetch = partial(Location.read, self)
        return CheckedFile(fetch, self.size, blocks, self.url, is_near=False)

    @property
    def size(self) -> int | None:
        """In bytes; None: the server does not say."""
        return self.version.get("size")

    def read_at(self, offset: int, size: int) -> bytes:
        """At most ``size`` bytes of a file whose size is known."""
        assert self.size is not None
        return self.read(offset, min(offset + size, self.size))

    def check_now(self) -> None:
        """Raises CorruptError if the file was replaced or changed."""
        if self.sum is not None:
            return  # whatever is read has checksums
        if self.local_path is None:
            self.check(self._version_in_store())
            return
        self._content()

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Checks the version after reading from a store, which has no open files."""
        if self.sum is not None:
            yield
            return
        try:
            yield
        except Exception as error:
            self.check(self._version_in_store(), error)
            raise
        self.check(self._version_in_store())

    def _check_bytes(self, start: int, data: bytes) -> None:
        """Raises unless bytes that were read are of the file that the index describes.

        A part of a file is checked by the checksums of chunks in its trailer, or of blocks in the
        manifest; the trailer of a column is read before its chunks.
        """
        known = self.sum
        if known is None:
            return
        stop = start + len(data)
        if start == 0 and stop >= known.size:
            is_it = stop == known.size and known.crc32 in (None, _core.crc32(memoryview(data)))
            if not is_it or (known.end is not None and not _has_trailer(data)):
                raise ChecksumError(f"{self.url}: is not the file that the index describes", 0)
        if known.end is not None and stop == known.size and not data.endswith(known.end):
            raise ChecksumError(f"{self.url}: has another end than the index says", start)

    def _version_in_store(self) -> Version | None:
        with typed_errors(self.url):
            try:
                return version_of(self.fs, self.path)
            except FileNotFoundError:
                return None

    def check(self, now: Version | None, cause: Exception | None = None) -> None:
        """Raises CorruptError unless this is the version that was found."""
        if now is None or not is_same(self.version, now):
            raise self._replaced() from cause

    def _replaced(self) -> CorruptError:
        return CorruptError(
            f"{self.url}: was replaced or changed after the table was opened, which would mix two "
            "tables: open it anew"
        )


def _has_trailer(data: bytes) -> bool:
    """Whether a whole Pco file has an intact trailer, which readers use then."""
    try:
        raw, _ = _core.read_trailer(memoryview(data))
    except Error:
        return False
    if raw is None:
        return False
    begin = raw["chunks"][0][0][0] if raw["chunks"] else raw["file_bytes"] - 1
    return _core.crc32(memoryview(data)[:begin]) == raw["header_crc"]


class TableFolder:
    """An open table; all its files belong to the same version."""

    #: The manifest, as the index of a dataset has it; None: there is none.
    expected: bytes | None = None

    def __init__(self, place: Location) -> None:
        self.place = place

    def file(self, name: str) -> tuple[TableFile, Stamp]:
        """A file and its version.

        Raises:
            FileNotFoundError: It does not exist.
            CorruptError, InputOutputError: A link out of the folder, or not a regular file.
        """
        raise NotImplementedError

    def is_current(self) -> bool:
        """Whether the path still leads to this folder."""
        return True

    def manifest(self) -> Manifest:
        """The manifest; errors as for ``parse_manifest``."""
        return parse_manifest(self.manifest_text(), join(self.place, NAME).url)

    def manifest_text(self) -> bytes:
        """The bytes of the manifest."""
        text = self.text_of(NAME, MAX_BYTES)
        if self.expected is not None and text != self.expected:
            url = join(self.place, NAME).url
            raise CorruptError(f"{url}: was changed after the dataset was indexed: {ANEW}")
        return text

    def text_of(self, name: str, max_bytes: int) -> bytes:
        """All bytes of a file that describes others; CorruptError if there are more.

        In a store it is one request: the other files are those of the listing, which was made
        before, so that a description which is replaced meanwhile is found when they are read.
        """
        file, stamp = self.file(name)
        if stamp.size is not None and stamp.size > max_bytes:
            raise CorruptError(f"{file.url}: is too long")
        if stamp.size is None:  # a server that does not say
            return file.read_up_to(max_bytes)
        if file.local_path is None:
            return Location(file.fs, file.path).read(0, stamp.size)
        return file.read(0, stamp.size)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return


class LocalFolder(TableFolder):
    def __init__(self, place: Location, path: str) -> None:
        super().__init__(place)
        self._path = path
        self._number = os.open(path, os.O_RDONLY | os.O_DIRECTORY)  # no other one gets its inode

    def __exit__(self, *error: object) -> None:
        os.close(self._number)

    def file(self, name: str) -> tuple[TableFile, Stamp]:
        content, changed = _open_in(self._path, name)
        # The seconds of fsspec's local file system, which are in indexes.
        seconds, rest = divmod(changed, 10**9)
        stamp = stamp_of({"size": len(content), "mtime": seconds + 1e-9 * rest})
        # Without the inode number, which differs between machines that mount the folder.
        version = {"size": len(content), "mtime": changed}
        place = join(self.place, name)
        return TableFile(place.fs, place.path, self._path, name, version), stamp

    def is_current(self) -> bool:
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(self._number))
        except OSError:
            return True


def _open_in(folder: str, name: str) -> tuple[Any, int]:
    """The bytes of a regular file of a folder, mapped, and when they were changed last."""
    return _core.open_file_in(os.fsencode(folder), name.encode("utf-8", "surrogatepass"))


def _listed(place: Location) -> dict[str, Any]:
    """The files of a folder by name: one listing instead of a request for each file."""
    place.fs.invalidate_cache()
    with typed_errors(place.url):
        infos: list[dict[str, Any]] = place.fs.ls(place.path.rstrip("/"), detail=True)
    return {str(info["name"]).rpartition("/")[2]: info for info in infos}


class StoreFolder(TableFolder):
    """A folder of a store; versions are compared by ETag or other attributes."""

    def __init__(self, place: Location, infos: Mapping[str, Any] | None = None) -> None:
        super().__init__(place)
        self._infos = _listed(place) if infos is None else infos

    def file(self, name: str) -> tuple[TableFile, Stamp]:
        place = join(self.place, name)
        info = self._infos.get(name)
        if info is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), place.url)
        if info.get("islink") or info.get("type") == "link":
            raise CorruptError(f"{place.url}: is a link, which may lead out of the folder")
        if info.get("type") != "file":
            raise InputOutputError(f"{place.url}: is not a regular file")
        path = str(info["name"])
        file = TableFile(place.fs, path, self.place.path, name, signs_in(info))
        return file, stamp_of(info)


class IndexedFolder(StoreFolder):
    """A folder of a store that the index of a dataset describes: opening it takes no request."""

    def __init__(self, place: Location, entry: FolderEntry, infos: Mapping[str, Any]) -> None:
        super().__init__(place, infos)
        self.entry = entry

    def manifest(self) -> Manifest:
        return self.entry.manifest

    def manifest_text(self) -> bytes:
        return self.entry.text

    def file(self, name: str) -> tuple[TableFile, Stamp]:
        found, stamp = super().file(name)
        known = self.entry.files.get(name)
        if known is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), found.url)
        if stamp.size not in (None, known.size):
            raise CorruptError(
                f"{found.url}: has {stamp.size} bytes, the index says {known.size}: {ANEW}"
            )
        tag = f"sum:{known.crc32},{known.end!r}"
        version = {"size": known.size}
        return replace(found, version=version, sum=known), Stamp(known.size, tag)


class FolderFiles:
    """The files of an open table, for ``numpact._core.TableReader``."""

    def __init__(self, folder: TableFolder) -> None:
        self.folder = folder
        self.place = folder.place.url.rstrip("/")

    def open(self, name: str) -> Any:
        """A file by ranges, or all its bytes."""
        if name == NAME:
            return self.folder.manifest_text()
        return self.folder.file(name)[0].opened()


@dataclass(frozen=True)
class TableVersion:
    """A version of some columns of a table, for ``numpact._core.TableReader``.

    Can be pickled. Files of another version are errors. Those of columns that Pco cannot hold are
    not among its files: the caller opens them.
    """

    place: str  #: of the folder, for messages
    manifest: Manifest  #: of these columns
    files: tuple[TableFile, ...]

    @staticmethod
    def of(folder: TableFolder, entries: Sequence[Column | Other]) -> TableVersion:
        """Those columns of an open table.

        Raises:
            FileNotFoundError: A file does not exist.
        """
        columns = tuple(entry for entry in entries if isinstance(entry, Column))
        others = tuple(
            replace(entry, position=at, parts=(Part(entry.first_file, entry.rows),))
            for at, entry in enumerate(entries)
            if isinstance(entry, Other)
        )
        files = tuple(
            file_of_column(folder, entry, name)[0] for entry in columns for name in entry.files()
        )
        return TableVersion(folder.place.url.rstrip("/"), Manifest(columns, others), files)

    def manifest_tuple(self) -> tuple[Any, ...]:
        """The manifest, as the library takes it."""
        return astuple(self.manifest)

    def open(self, name: str) -> Any:
        """A file by ranges, or all its bytes."""
        file = next(file for file in self.files if file.name == name)
        return file.opened()

    def reader(self, used: Collection[str], max_memory: int | None) -> _core.TableReader:
        """A reader, which the tasks of a process share: it knows the chunks.

        Args:
            used: The names of the files of numbers that the caller needs.
            max_memory: Of what it decodes.

        Raises:
            CorruptError: A file that is used was replaced.
        """
        key = (self, max_memory, os.getpid())
        with _readers_lock:
            known = _readers.pop(key, None)
            if known is not None:
                _readers[key] = known
        if known is not None:
            # It may have read all bytes of files, which are then read no more.
            for file in self.files:
                if file.name in used:
                    file.check_now()
            return known
        made = _core.TableReader(self, max_memory)
        with _readers_lock:
            _readers[key] = made
            while len(_readers) > _MAX_READERS:
                del _readers[next(iter(_readers))]
        return made


def file_of_column(
    folder: TableFolder, entry: Column | Other, name: str
) -> tuple[TableFile, Stamp]:
    """A file of a column; FileNotFoundError names the column."""
    try:
        return folder.file(name)
    except FileNotFoundError:
        url = join(folder.place, name).url
        raise FileNotFoundError(f"{url}: column {entry.name!r}") from None


@dataclass(frozen=True)
class OtherBlocks:
    """A file of Arrow IPC with some rows of a column."""

    file: TableFile
    rows: int  #: in the file
    blocks: Blocks | None  #: that are read; None: without checksums, the whole file is read


@dataclass(frozen=True)
class StoredPart:
    """A range of rows of a column of a table."""

    index: int  #: of the column in the version of the table
    logical: LogicalType | None  #: of numbers; None: frames have values of Arrow
    is_nullable: bool = False  #: the column has nulls, maybe in other rows
    type: Any = None  #: of pyarrow; None: that of ``logical``
    begin: int = 0  #: the row with which the first of other_blocks begins
    other_blocks: tuple[OtherBlocks, ...] = ()  #: of a column that Pco cannot hold


# The readers that were used last, the latest at the end.
_readers: dict[Any, _core.TableReader] = {}
_readers_lock = threading.Lock()
# At the end of the interpreter nanobind reports objects that modules still hold.
atexit.register(_readers.clear)


def with_table(open: Callable[[], TableFolder], work: Callable[[TableFolder], T]) -> T:
    """Calls ``work`` with an open table; repeats it if the folder was replaced meanwhile."""
    for attempt in range(1, _ATTEMPTS + 1):
        with open() as table:
            try:
                made = work(table)
            except (Error, OSError):
                # Replacing a folder removes files that are in use; the new folder is complete.
                if attempt == _ATTEMPTS or table.is_current():
                    raise
            else:
                if attempt == _ATTEMPTS or table.is_current():
                    return made
    raise AssertionError("the last attempt ends")


def opened(
    place: Location, entry: FolderEntry | None = None, infos: Mapping[str, Any] | None = None
) -> TableFolder:
    """Opens a folder; to be used in a ``with`` statement.

    Args:
        place: Where it is.
        entry: Of the index of its dataset, if there is one.
        infos: Of a folder of a store: its files by name, as fsspec describes them, if known.
    """
    path = place.local_path
    if path is None and entry is not None:
        return IndexedFolder(place, entry, infos or {})
    table = (
        StoreFolder(with_fsspec(place), infos)
        if path is None or os.open not in os.supports_dir_fd
        else LocalFolder(place, path.rstrip("/") or "/")
    )
    table.expected = None if entry is None else entry.text
    return table
