# SPDX-License-Identifier: Apache-2.0
"""Determines the positions of the chunks of many files, and stores them."""

from __future__ import annotations

import json
import mmap
import os
import tempfile
import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _core
from .._errors import (
    ChecksumError,
    CorruptError,
    Error,
    InputOutputError,
    InvalidArgumentError,
    UnsupportedVersionError,
)
from .._file import Chunk, File
from .._number_types import TYPES
from .locations import Location, Path, Stamp, StorageOptions, fronts, locate, named_errors

if TYPE_CHECKING:
    from typing_extensions import Buffer, Self

_FORMAT = "numpact-pco-index"
_VERSION = 1
# Remote files up to this size are scanned in memory, larger ones in a temporary file.
_MEMORY_BYTES = 64 << 20
_BLOCK_BYTES = 16 << 20  # of a request that copies a file to a temporary one
# First request for the end of a file: contains the trailer of a hundred chunks.
_TAIL_BYTES = 4096
# Files up to this size are read by one request, with or without a trailer.
_SMALL_BYTES = 1 << 16
_CHUNK_HEAD_BYTES = 4  # type and count
_MAX_FILE_BYTES = 1 << 63
FRONT_BYTES = 32  # enough for the longest header and the type of the first chunk


@dataclass(frozen=True)
class FileIndex:
    """One file: its header, its type, its chunks, and the version that they belong to."""

    url: str
    stamp: Stamp
    type: str | None  #: "f64", ...; None: an empty file that does not name one
    header: bytes
    end: int  #: position after the last chunk, in bytes
    chunks: tuple[Chunk, ...]
    crcs: tuple[int, ...] = ()  #: CRC-32 of each chunk from the trailer; (): no trailer

    @property
    def count(self) -> int:
        """The count of numbers in the file."""
        return self.chunks[-1].first + self.chunks[-1].count if self.chunks else 0

    def stop(self, index: int) -> int:
        """The position after a chunk, in bytes."""
        return self.chunks[index + 1].offset if index + 1 < len(self.chunks) else self.end


class PcoIndex:
    """Positions of the chunks of Pco files: the result of ``numpact.dask.pco_index``.

    A Pco file without a trailer does not contain the positions of its chunks; they are found by
    scanning it. The index stores them: about 30 bytes for each chunk as JSON, and checksums for
    files with a trailer. It identifies the files by URL, size, and ETag or modification time. It
    contains no storage options. Immutable; threads may share it.
    """

    def __init__(self, files: tuple[FileIndex, ...], dtype: str | None = None) -> None:
        self._files = tuple(files)
        self._dtype = dtype
        self._by_url = {file.url: file for file in self._files}

    @property
    def files(self) -> tuple[FileIndex, ...]:
        return self._files

    @property
    def dtype(self) -> str | None:
        """The NumPy type of times and booleans that ``to_pco`` wrote; None for other numbers."""
        return self._dtype

    @property
    def urls(self) -> Collection[str]:
        """The URLs of the files, each once."""
        return self._by_url.keys()

    def get(self, url: str) -> FileIndex | None:
        """The entry of a file; None if there is none."""
        return self._by_url.get(url)

    def __iter__(self) -> Iterator[FileIndex]:
        return iter(self._files)

    def __len__(self) -> int:
        """The count of files."""
        return len(self._files)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PcoIndex):
            return NotImplemented
        return self._files == other._files and self._dtype == other._dtype

    def __hash__(self) -> int:
        return hash((self._files, self._dtype))

    def __repr__(self) -> str:
        chunks = sum(len(file.chunks) for file in self._files)
        numbers = sum(file.count for file in self._files)
        return f"<numpact PcoIndex: {len(self):,} files, {chunks:,} chunks, {numbers:,} numbers>"

    # ---- storing ----

    def to_json(self) -> str:
        """The index as JSON; equal indexes give equal text."""
        document: dict[str, Any] = {"format": _FORMAT, "version": _VERSION}
        if self._dtype is not None:
            document["dtype"] = self._dtype
        document["files"] = [_file_json(file) for file in self._files]
        return json.dumps(document, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Parses the result of ``to_json``.

        Raises:
            CorruptError: It is not an index, or the positions of chunks are impossible.
            UnsupportedVersionError: Written by a newer version.
        """
        content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(text)
        document = _core.json_value(content, "index")
        if not isinstance(document, dict) or document.get("format") != _FORMAT:
            raise CorruptError("index: is no index of Pco files")
        if document.get("version") != _VERSION:
            raise UnsupportedVersionError(f"index: version {document.get('version')!r}")
        dtype = document.get("dtype")
        if not isinstance(dtype, (str, type(None))):
            raise CorruptError("index: dtype is not text")
        try:
            files = tuple(_file_of(entry) for entry in document["files"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, Error):
                raise
            raise CorruptError(f"index: {type(error).__name__}: {error}") from None
        return cls(files, dtype)

    def save(self, url: Path, storage_options: StorageOptions | None = None) -> None:
        """Writes the JSON to a path or URL; replaces an existing file atomically."""
        locate(url, storage_options).replace(self.to_json().encode())

    @classmethod
    def load(cls, url: Path, storage_options: StorageOptions | None = None) -> Self:
        """Reads an index that ``save`` wrote; errors as for ``from_json``."""
        place = locate(url, storage_options)
        place.fs.invalidate_cache()
        return cls.from_json(place.read_all())


def as_index(
    index: PcoIndex | Path | None, storage_options: StorageOptions | None
) -> PcoIndex | None:
    """The argument ``index``: an index, or the path or URL of one."""
    if index is None or isinstance(index, PcoIndex):
        return index
    if isinstance(index, (str, os.PathLike)):
        return PcoIndex.load(index, storage_options)
    raise InvalidArgumentError(f"index must be a PcoIndex or its URL, not {type(index).__name__}")


# ---- JSON ----


def _steps(numbers: list[int]) -> list[int]:
    """Differences: these are shorter as text than the numbers."""
    return [b - a for a, b in zip([0, *numbers], numbers, strict=False)]


def _sums(steps: list[int]) -> list[int]:
    total, out = 0, []
    for step in steps:
        total += step
        out.append(total)
    return out


def _file_json(file: FileIndex) -> dict[str, Any]:
    entry = {
        "url": file.url,
        "size": file.stamp.size,
        "tag": file.stamp.tag,
        "type": file.type,
        "header": file.header.hex(),
        "end": file.end,
        "offset_steps": _steps([chunk.offset for chunk in file.chunks]),
        "metas": [chunk.page_offset - chunk.offset for chunk in file.chunks],
        "counts": [chunk.count for chunk in file.chunks],
    }
    return entry | ({"crcs": list(file.crcs)} if file.crcs else {})


def _whole_numbers(values: object) -> list[int]:
    if not isinstance(values, list) or not all(type(value) is int for value in values):
        raise CorruptError("index: a list of whole numbers is expected")
    return values


def _file_of(entry: Mapping[str, Any]) -> FileIndex:
    offsets = _sums(_whole_numbers(entry["offset_steps"]))
    metas = _whole_numbers(entry["metas"])
    counts = _whole_numbers(entry["counts"])
    crcs = _whole_numbers(entry.get("crcs", []))
    chunks: list[Chunk] = []
    first = 0
    for offset, meta, count in zip(offsets, metas, counts, strict=True):
        chunks.append(Chunk(offset, offset + meta, first, count))
        first += count
    url, tag, size, end = entry["url"], entry["tag"], entry["size"], entry["end"]
    header = bytes.fromhex(entry["header"])
    file = FileIndex(url, Stamp(size, tag), entry["type"], header, end, tuple(chunks), tuple(crcs))
    if not isinstance(url, str) or not isinstance(tag, str) or type(end) is not int:
        raise CorruptError("index: an entry has fields of the wrong type")
    if not 0 <= end < _MAX_FILE_BYTES:
        raise CorruptError(f"index: {url}: no file ends at byte {end}")
    if not (size is None or (type(size) is int and end < size)):
        raise CorruptError(f"index: {url}: size and chunks contradict each other")
    if file.type is None and chunks:
        raise CorruptError(f"index: {url}: chunks without a type")
    if file.type is not None and file.type not in TYPES:
        raise CorruptError(f"index: {url}: unknown type {file.type!r}")
    if crcs and len(crcs) != len(chunks):
        raise CorruptError(f"index: {url}: {len(crcs)} checksums of {len(chunks)} chunks")
    at = len(file.header)
    for index, chunk in enumerate(chunks):
        inside = at == chunk.offset < chunk.page_offset <= file.stop(index)
        if not inside or not 0 < chunk.count <= 1 << 24:
            raise CorruptError(f"index: {url}: chunk {index} lies where none can", chunk=index)
        at = file.stop(index)
    return file


# ---- finding chunks ----


def walk(place: Location, stamp: Stamp) -> FileIndex:
    """Determines the chunks of a file with one thread, from its trailer or by scanning the file.

    Raises:
        CorruptError and other Errors: It is not a valid Pco file; the message starts with the URL.
    """
    data = place.contents()
    if data is not None:
        return _named_index(place, stamp, data)
    if stamp.size is None:
        return _named_index(place, stamp, place.read_all())
    if stamp.size > min(_SMALL_BYTES, _MEMORY_BYTES):
        known = _by_tail(place, stamp, stamp.size)
        if known is not None:
            return known
    if stamp.size <= _MEMORY_BYTES:
        return _named_index(place, stamp, place.read(0, stamp.size))
    with tempfile.TemporaryFile(prefix="numpact-walk-") as copy:
        for start in range(0, stamp.size, _BLOCK_BYTES):
            copy.write(place.read(start, min(stamp.size, start + _BLOCK_BYTES)))
        copy.flush()
        return _named_index(place, stamp, mmap.mmap(copy.fileno(), 0, access=mmap.ACCESS_READ))


def _named_index(place: Location, stamp: Stamp, data: Buffer) -> FileIndex:
    with named_errors(place.url):
        return index_of(place.url, stamp, data)


def index_of(url: str, stamp: Stamp, data: Buffer) -> FileIndex:
    """The entry of a file in memory."""
    view = memoryview(data)
    try:
        raw, _ = _core.read_trailer(view)
    except (CorruptError, UnsupportedVersionError):
        raw = None
    known = None if raw is None else _by_trailer(url, stamp, view[:FRONT_BYTES], raw)
    return known or _walked(url, stamp, view)


def read_tail(place: Location, size: int) -> tuple[_core.RawTrailer | None, bytes]:
    """The trailer at the end of a remote file, and bytes that end with it.

    Without a usable trailer it is None.

    Args:
        place: The file.
        size: Its size in bytes.
    """
    start = max(0, size - min(_TAIL_BYTES, _BLOCK_BYTES))
    data = b""
    try:
        data = place.read(start, size)
        raw, missing = _core.read_trailer(data, start)
        if 0 < missing <= _MEMORY_BYTES:
            start -= missing
            data = place.read(start, size)
            raw, _ = _core.read_trailer(data, start)
    except (CorruptError, UnsupportedVersionError, InputOutputError):
        return None, data  # no valid trailer, or a server without support for ranges
    return raw, data


def _by_tail(place: Location, stamp: Stamp, size: int) -> FileIndex | None:
    """The entry by the trailer at the end of a remote file; None if it has no usable one."""
    raw, _ = read_tail(place, size)
    if raw is None:
        return None
    (front,) = fronts([place], FRONT_BYTES)
    with named_errors(place.url):
        return _by_trailer(place.url, stamp, front, raw)


def _by_trailer(url: str, stamp: Stamp, front: Buffer, raw: _core.RawTrailer) -> FileIndex | None:
    """The entry by a trailer; None if that does not belong to the file. Tasks check the chunks."""
    head = _core.read_header(front)
    header = bytes(memoryview(front)[: head["size_bytes"]])
    chunks = tuple(Chunk(*place) for place, *_ in raw["chunks"])
    crcs = tuple(chunk[2] for chunk in raw["chunks"])
    end = raw["file_bytes"] - 1
    begin = chunks[0].offset if chunks else end
    if begin != len(header) or (chunks and head["number_type"] != raw["type"]):
        return None
    if zlib.crc32(header) != raw["header_crc"]:
        msg = "checksum mismatch: the header has another checksum than the trailer says (at byte 0)"
        raise ChecksumError(msg, 0)
    return FileIndex(url, stamp, head["number_type"], header, end, chunks, crcs)


def _walked(url: str, stamp: Stamp, data: memoryview) -> FileIndex:
    with File(data, threads=1) as file:  # warns of what follows the file
        file._path = url
        chunks = tuple(file.chunks)
    head = _core.read_header(data)
    header = bytes(data[: head["size_bytes"]])
    end = len(header)
    if chunks:
        # Only the last chunk itself determines where it ends.
        last = _core.inspect(b"".join((header, data[chunks[-1].offset :])), 1)["chunks"][0]
        end = chunks[-1].offset + _CHUNK_HEAD_BYTES + last["meta_bytes"] + last["page_bytes"]
    return FileIndex(url, stamp, head["number_type"], header, end, chunks)
