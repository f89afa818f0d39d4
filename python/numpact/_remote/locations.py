# SPDX-License-Identifier: Apache-2.0
"""Paths, URLs and patterns, and byte ranges of files in all file systems of fsspec."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union

from .._errors import CorruptError, Error, InputOutputError, InvalidArgumentError, TruncatedError
from .._file import contents
from .._optional import require
from .._sink import sink_of

if TYPE_CHECKING:
    from typing_extensions import Buffer

Path = Union[str, "os.PathLike[str]"]
Paths = Union[Path, Sequence[Path]]
StorageOptions = Mapping[str, Any]

# Concurrent requests for the attributes of files, one request a file.
_MAX_REQUESTS = 32
# Attributes that change when a file is replaced, the best first; stores use different names.
_TAGS = ("ETag", "etag", "md5Hash", "mtime", "LastModified", "last_modified", "updated", "created")
_MAGIC = frozenset("*?[")
# Before a longer range is read, the length of the file is checked: the range may come from an
# untrusted index, and file systems allocate its memory before they read.
_LONG_READ_BYTES = 1 << 26
# Bytes per read from a file of unknown size.
_STREAM_BYTES = 1 << 20


@dataclass(frozen=True)
class Stamp:
    """Identifies the version of a file without reading it."""

    size: int | None  #: in bytes; None if the server does not report it
    tag: str  #: ETag or modification time; "" if there is neither


class LocalFiles:
    """The files of this machine, for Locations that need no fsspec."""

    def unstrip_protocol(self, path: str) -> str:
        return path

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LocalFiles)

    def __hash__(self) -> int:
        return hash(LocalFiles)


@dataclass(frozen=True)
class Location:
    """A file in a file system of fsspec. Can be pickled, with the storage options."""

    fs: Any = field(repr=False)
    path: str

    @property
    def url(self) -> str:
        """The path with the protocol, which identifies the file on every machine."""
        return str(self.fs.unstrip_protocol(self.path))

    @property
    def local_path(self) -> str | None:
        """The path for the operating system; None if it is not in a local file system."""
        if isinstance(self.fs, LocalFiles):
            return self.path
        local = require("fsspec.implementations.local", "dask").LocalFileSystem
        return self.path if isinstance(self.fs, local) else None

    def stamp(self) -> Stamp:
        """The current version of the file."""
        with typed_errors(self.url):
            return stamp_of(self.fs.info(self.path))

    def read(self, start: int, stop: int) -> bytes:
        """The bytes from ``start`` to before ``stop``, by one range request.

        Raises:
            TruncatedError: The file ends before ``stop``.
            InputOutputError: The server does not support ranges, or the store reports an error.
        """
        if start >= stop:
            return b""
        if stop - start > _LONG_READ_BYTES:
            self._check_length(stop)
        with typed_errors(self.url):
            # Keywords, because the order of the parameters differs between file systems.
            data = bytes(self.fs.cat_file(self.path, start=start, end=stop))
        if len(data) < stop - start:
            raise TruncatedError(
                f"{self.url}: ends at byte {start + len(data)}, not {stop}: cut off, or changed",
                offset=start + len(data),
            )
        if len(data) > stop - start:
            raise InputOutputError(f"{self.url}: the server does not send ranges of bytes")
        return data

    def _check_length(self, stop: int) -> None:
        """Raises TruncatedError if the file ends before ``stop``; see _LONG_READ_BYTES."""
        size = self.stamp().size
        if size is not None and size < stop:
            raise TruncatedError(
                f"{self.url}: ends at byte {size}, not {stop}: cut off, or changed", offset=size
            )

    def read_all(self) -> bytes:
        """All bytes of the file."""
        with typed_errors(self.url):
            return bytes(self.fs.cat_file(self.path))

    def read_up_to(self, max_bytes: int) -> bytes:
        """All bytes of a file of unknown size.

        Raises:
            CorruptError: There are more than ``max_bytes``; at most that many are in memory.
        """
        parts: list[bytes] = []
        left = max_bytes
        with typed_errors(self.url), self.fs.open(self.path, "rb") as file:
            # A stream may return fewer bytes than requested.
            while data := file.read(min(left + 1, _STREAM_BYTES)):
                left -= len(data)
                if left < 0:
                    raise CorruptError(f"{self.url}: is too long")
                parts.append(data)
        return b"".join(parts)

    def contents(self) -> Buffer | None:
        """All bytes of a local file, mapped; None for a remote one."""
        local = self.local_path
        return None if local is None else contents(local)

    def replace(self, data: bytes) -> None:
        """Replaces the file atomically.

        In a local file system a temporary file is written, synced and renamed. In other file
        systems the data is uploaded by one call; object stores show it when it is complete.
        """
        local = self.local_path
        if local is None:
            with typed_errors(self.url):
                self.fs.pipe_file(self.path, data)
                self.fs.invalidate_cache()  # not every file system does it
            return
        os.makedirs(os.path.dirname(local) or ".", exist_ok=True)
        if os.path.exists(local) and not os.path.isfile(local):
            # Opening a pipe blocks, and opening a device may have effects.
            raise InputOutputError(f"{self.url}: is not a regular file")
        file = sink_of(local)
        try:
            file.write(data)
            file.commit()
        except BaseException:
            file.abort()
            raise

    def remove(self) -> None:
        with typed_errors(self.url):
            self.fs.rm_file(self.path)
            self.fs.invalidate_cache()


@contextmanager
def typed_errors(url: str) -> Iterator[None]:
    """Converts exceptions of stores to InputOutputError; keeps OSErrors and those of numpact."""
    try:
        yield
    except (OSError, Error, ImportError, MemoryError):
        raise
    except Exception as error:
        raise InputOutputError(f"{url}: {type(error).__name__}: {error}") from error


@contextmanager
def named_errors(url: str, base: int = 0) -> Iterator[None]:
    """Prepends the name of a file to the messages of errors.

    Args:
        url: The name.
        base: Position of the bytes in the file; is added to the ``offset`` of the errors.
    """
    try:
        yield
    except Error as error:
        offset = None if error.offset is None else error.offset + base
        raise type(error)(f"{url}: {error}", offset, error.chunk) from error


def stamp_of(info: Mapping[str, Any]) -> Stamp:
    """The version in an ``info`` of fsspec."""
    size = info.get("size")
    for name in _TAGS:
        value = info.get(name)
        if value is not None:
            # Some stores return a datetime for a single file and seconds in listings.
            seconds = value.timestamp() if hasattr(value, "timestamp") else value
            return Stamp(None if size is None else int(size), f"{name}:{seconds}")
    return Stamp(None if size is None else int(size), "")


def locate(path: Path, options: StorageOptions | None = None) -> Location:
    """The location of a path or URL; sends no request.

    Raises:
        InvalidArgumentError: Not text, or an unknown protocol.
    """
    core = require("fsspec.core", "dask")
    text = os.fspath(path)
    if not isinstance(text, str):
        raise InvalidArgumentError(f"a path or URL is text, not {type(path).__name__}")
    try:
        fs, inner = core.url_to_fs(text, **dict(options or {}))
    except ValueError as error:
        raise InvalidArgumentError(f"{text}: {error}") from error
    return Location(fs, str(inner))


def local_place(path: Path) -> Location:
    """The location of a file or folder of this machine, without fsspec."""
    return Location(LocalFiles(), os.path.abspath(os.fsdecode(path)))


def table_place(path: Path, options: StorageOptions | None = None) -> Location:
    """The location of a path or URL; a plain path needs no fsspec."""
    is_url = isinstance(path, str) and ("://" in path or "::" in path)
    return locate(path, options) if is_url else local_place(path)


def with_fsspec(place: Location) -> Location:
    """The same location in a file system of fsspec."""
    return locate(place.path) if isinstance(place.fs, LocalFiles) else place


def join(folder: Location, name: str) -> Location:
    """A file in a folder."""
    return Location(folder.fs, f"{folder.path.rstrip('/')}/{name}")


def listed(paths: Paths) -> list[Path]:
    return [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)


def find(
    paths: Paths,
    options: StorageOptions | None = None,
    suffix: str = ".pco",
    expected: Collection[str] = (),
) -> list[tuple[Location, Stamp]]:
    """The files and their versions for paths, URLs, patterns and folders, in order.

    The files of a pattern (``*``, ``?``, ``[...]``, ``**``) and of a folder are sorted by name;
    those of a folder have the suffix. If a file with such a name exists, it is not a pattern.

    Args:
        paths, options: The files, and the options of their file system.
        suffix: Of the files of a folder.
        expected: URLs of files that are known, from an index: those that a pattern or a folder
            would name have to exist.

    Raises:
        FileNotFoundError: A file does not exist, or a pattern or folder has no files; or an
            expected file is gone.
        InvalidArgumentError: An empty list.
    """
    found: list[tuple[Location, Stamp | None]] = []
    for path in listed(paths):
        place = locate(path, options)
        # Other processes may have written, of which cached listings know nothing.
        place.fs.invalidate_cache()
        if is_pattern(place):
            files = globbed(place, place.path)
            _check_all_found(place, files, expected, matcher(place.path))
            found += files
        elif not place.path.endswith(suffix) and _is_folder(place):
            files = listing(place, suffix)
            if not files:
                raise FileNotFoundError(f"{place.url}: no files that end in {suffix}")
            pattern = re.compile(re.escape(place.path.rstrip("/")) + "/[^/]*" + re.escape(suffix))
            _check_all_found(place, files, expected, pattern.fullmatch)
            found += files
        else:
            found.append((place, None))
    if not found:
        raise InvalidArgumentError("no files are named")
    unknown = [place for place, stamp in found if stamp is None]
    if len(unknown) > 1:
        with ThreadPoolExecutor(min(_MAX_REQUESTS, len(unknown))) as pool:
            stamps = iter(list(pool.map(Location.stamp, unknown)))
    else:
        stamps = iter([place.stamp() for place in unknown])
    return [(place, next(stamps) if stamp is None else stamp) for place, stamp in found]


def _check_all_found(
    place: Location,
    files: Sequence[tuple[Location, Stamp]],
    expected: Collection[str],
    is_named: Callable[[str], object],
) -> None:
    names = {file.path for file, _ in files} if expected else set()
    check_expected(place, expected, lambda path: path in names or not is_named(path))


def check_expected(
    place: Location, expected: Collection[str], is_known: Callable[[str], bool]
) -> None:
    """Raises FileNotFoundError unless all expected files of a file system are known.

    Args:
        place: A location in the file system.
        expected: URLs; those of other file systems are left out.
        is_known: Whether a path is known, or is none that has to be.
    """
    for url in expected:
        path = str(place.fs._strip_protocol(url))
        if Location(place.fs, path).url == url and not is_known(path):
            raise FileNotFoundError(
                errno.ENOENT, "is gone, but the index names it (index the files anew)", url
            )


def matcher(pattern: str) -> Callable[[str], bool]:
    """Whether a path matches a pattern of fsspec."""
    translate = require("fsspec.utils", "dask").glob_translate
    compiled = re.compile(translate(pattern))
    return lambda path: compiled.match(path) is not None


def _is_folder(place: Location) -> bool:
    with typed_errors(place.url):
        return bool(place.fs.isdir(place.path))


def has_magic(path: str) -> bool:
    """Whether a path has characters of a pattern."""
    return not _MAGIC.isdisjoint(path)


def is_pattern(place: Location) -> bool:
    """Whether it has characters of a pattern, and no file has this name."""
    if not has_magic(place.path):
        return False
    place.fs.invalidate_cache()
    with typed_errors(place.url):
        return not place.fs.exists(place.path)


def globbed(place: Location, pattern: str) -> list[tuple[Location, Stamp]]:
    """The files that match a pattern, sorted by name; FileNotFoundError if there are none."""
    # Cached listings of fsspec would hide that a file was replaced.
    place.fs.invalidate_cache()
    with typed_errors(place.url):
        infos: dict[str, Any] = place.fs.glob(pattern, detail=True)
    files = _files(place, list(infos.values()))
    if not files:
        raise FileNotFoundError(f"no files: {place.fs.unstrip_protocol(pattern)}")
    return files


def listing(folder: Location, suffix: str = ".pco") -> list[tuple[Location, Stamp]]:
    """The files of a folder with a suffix, sorted by name."""
    folder.fs.invalidate_cache()
    with typed_errors(folder.url):
        infos: list[dict[str, Any]] = folder.fs.ls(folder.path.rstrip("/"), detail=True)
    return _files(folder, [info for info in infos if str(info["name"]).endswith(suffix)])


def _files(place: Location, infos: list[dict[str, Any]]) -> list[tuple[Location, Stamp]]:
    return [
        (Location(place.fs, str(info["name"])), stamp_of(info))
        for info in sorted(infos, key=lambda info: str(info["name"]))
        if info.get("type") != "directory"
    ]


def fronts(places: Sequence[Location], count: int) -> list[bytes]:
    """The first ``count`` bytes of each file, or the whole file; by concurrent requests."""
    out: list[bytes] = [b""] * len(places)
    for fs in {id(place.fs): place.fs for place in places}.values():
        mine = [i for i, place in enumerate(places) if place.fs is fs]
        names = [places[i].path for i in mine]
        with typed_errors(places[mine[0]].url):
            ranges = fs.cat_ranges(names, [0] * len(mine), [count] * len(mine), on_error="return")
        for i, data in zip(mine, ranges, strict=True):
            with typed_errors(places[i].url):
                if isinstance(data, BaseException):
                    raise data
            out[i] = bytes(data)[:count]
    return out


def check_unchanged(url: str, known: Stamp, now: Stamp) -> None:
    """Raises CorruptError if the version of a file differs from the one in an index."""
    if known.size is not None and now.size is not None and known.size != now.size:
        raise CorruptError(
            f"{url}: was {known.size} bytes when it was indexed, is {now.size}: index it anew"
        )
    if known.tag and now.tag and known.tag != now.tag:
        raise CorruptError(f"{url}: was replaced after it was indexed: index it anew")
