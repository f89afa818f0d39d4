# SPDX-License-Identifier: Apache-2.0
"""Where the chunks of many files lie, found once and kept."""

from __future__ import annotations

import json
import mmap
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _core
from ._arrays import TYPES
from ._errors import CorruptError, Error, InvalidArgumentError, UnsupportedVersionError
from ._file import Chunk, File
from ._ranges import Location, Path, Stamp, StorageOptions, locate, named_errors

if TYPE_CHECKING:
    from typing_extensions import Buffer, Self

_FORMAT = "numpact-pco-index"
_VERSION = 1
# Files up to this size are walked in memory, larger ones that are not local in a temporary file.
_MEMORY_BYTES = 64 << 20
_PIECE_BYTES = 16 << 20
_CHUNK_HEAD_BYTES = 4  # type and count


@dataclass(frozen=True)
class FileIndex:
    """One file: its header, type and chunks, and the state that they were found in."""

    url: str
    stamp: Stamp
    type: str | None  #: "f64", ...; None: an empty file that does not name one
    header: bytes
    end: int  #: byte after the last chunk
    chunks: tuple[Chunk, ...]

    @property
    def count(self) -> int:
        """Numbers in the file."""
        return self.chunks[-1].first + self.chunks[-1].count if self.chunks else 0

    def stop(self, index: int) -> int:
        """The byte after a chunk."""
        return self.chunks[index + 1].offset if index + 1 < len(self.chunks) else self.end


class PcoIndex:
    """Where the chunks of Pco files lie: what ``numpact.dask.pco_index`` finds.

    A Pco file does not say where its chunks are, so somebody has to walk over it once. This keeps
    the result: some 30 bytes a chunk as JSON. It is bound to the files by their URL, size and ETag
    or time of change, and holds no storage options. Immutable.
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
        """What the numbers mean, if ``to_pco`` wrote the files: "datetime64[ns]", "bool", ..."""
        return self._dtype

    def get(self, url: str) -> FileIndex | None:
        """The entry of a file."""
        return self._by_url.get(url)

    def __iter__(self) -> Iterator[FileIndex]:
        return iter(self._files)

    def __len__(self) -> int:
        """How many files."""
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
        return f"<numpact PcoIndex: {len(self)} files, {chunks} chunks, {numbers} numbers>"

    # ---- kept ----

    def to_json(self) -> str:
        """The index as text, the same for equal indexes."""
        document: dict[str, Any] = {"format": _FORMAT, "version": _VERSION}
        if self._dtype is not None:
            document["dtype"] = self._dtype
        document["files"] = [_file_json(file) for file in self._files]
        return json.dumps(document, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Reads what ``to_json`` wrote.

        Raises:
            CorruptError: Something else, or chunks that cannot lie as it says.
            UnsupportedVersionError: Written by a newer version.
        """
        try:
            document = json.loads(text)
        except ValueError as error:
            raise CorruptError(f"index: no JSON: {error}") from None
        if not isinstance(document, dict) or document.get("format") != _FORMAT:
            raise CorruptError("index: is no index of Pco files")
        if document.get("version") != _VERSION:
            raise UnsupportedVersionError(f"index: version {document.get('version')!r}")
        dtype = document.get("dtype")
        if not isinstance(dtype, (str, type(None))):
            raise CorruptError("index: dtype is no text")
        try:
            files = tuple(_file_of(entry) for entry in document["files"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, Error):
                raise
            raise CorruptError(f"index: {type(error).__name__}: {error}") from None
        return cls(files, dtype)

    def save(self, url: Path, storage_options: StorageOptions | None = None) -> None:
        """Writes the JSON to a path or URL, replacing what is there in one step."""
        locate(url, storage_options).replace(self.to_json().encode())

    @classmethod
    def load(cls, url: Path, storage_options: StorageOptions | None = None) -> Self:
        """Reads what ``save`` wrote."""
        return cls.from_json(locate(url, storage_options).read_all())


def as_index(
    index: PcoIndex | Path | None, storage_options: StorageOptions | None
) -> PcoIndex | None:
    """An index, or the one that lies at a path or URL."""
    if index is None or isinstance(index, PcoIndex):
        return index
    if isinstance(index, (str, os.PathLike)):
        return PcoIndex.load(index, storage_options)
    raise InvalidArgumentError(f"index must be a PcoIndex or its URL, not {type(index).__name__}")


# ---- JSON ----


def _steps(numbers: list[int]) -> list[int]:
    """Differences: shorter as text than the numbers themselves."""
    return [b - a for a, b in zip([0, *numbers], numbers, strict=False)]


def _sums(steps: list[int]) -> list[int]:
    total, out = 0, []
    for step in steps:
        total += step
        out.append(total)
    return out


def _file_json(file: FileIndex) -> dict[str, Any]:
    return {
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


def _whole_numbers(values: object) -> list[int]:
    if not isinstance(values, list) or not all(type(value) is int for value in values):
        raise CorruptError("index: a list of whole numbers is expected")
    return values


def _file_of(entry: Mapping[str, Any]) -> FileIndex:
    offsets = _sums(_whole_numbers(entry["offset_steps"]))
    metas = _whole_numbers(entry["metas"])
    counts = _whole_numbers(entry["counts"])
    chunks: list[Chunk] = []
    first = 0
    for offset, meta, count in zip(offsets, metas, counts, strict=True):
        chunks.append(Chunk(offset, offset + meta, first, count))
        first += count
    url, tag, size, end = entry["url"], entry["tag"], entry["size"], entry["end"]
    file = FileIndex(
        url, Stamp(size, tag), entry["type"], bytes.fromhex(entry["header"]), end, tuple(chunks)
    )
    if not isinstance(url, str) or not isinstance(tag, str) or type(end) is not int:
        raise CorruptError("index: an entry has fields of the wrong type")
    if not (size is None or (type(size) is int and end < size)):
        raise CorruptError(f"index: {url}: size and chunks contradict each other")
    if file.type is None and chunks:
        raise CorruptError(f"index: {url}: chunks without a type")
    if file.type is not None and file.type not in TYPES:
        raise CorruptError(f"index: {url}: unknown type {file.type!r}")
    at = len(file.header)
    for index, chunk in enumerate(chunks):
        inside = at == chunk.offset < chunk.page_offset <= file.stop(index)
        if not inside or not 0 < chunk.count <= 1 << 24:
            raise CorruptError(f"index: {url}: chunk {index} lies where none can", chunk=index)
        at = file.stop(index)
    return file


# ---- the walk ----


def walk(place: Location, stamp: Stamp) -> FileIndex:
    """Finds the chunks of a file, with one thread, by walking over all of it.

    Raises:
        CorruptError and other Errors, with the URL in front, for what is no Pco file.
    """
    local = place.local_path
    if local is not None:
        with named_errors(place.url), File(local, threads=1) as file:
            return _indexed(place.url, stamp, file, memoryview(file._data or b""))
    if stamp.size is not None and stamp.size <= _MEMORY_BYTES:
        return _walked(place, stamp, place.read(0, stamp.size))
    if stamp.size is None:
        return _walked(place, stamp, place.read_all())
    with tempfile.TemporaryFile(prefix="numpact-walk-") as copy:
        for start in range(0, stamp.size, _PIECE_BYTES):
            copy.write(place.read(start, min(stamp.size, start + _PIECE_BYTES)))
        copy.flush()
        return _walked(place, stamp, mmap.mmap(copy.fileno(), 0, access=mmap.ACCESS_READ))


def _walked(place: Location, stamp: Stamp, data: Buffer) -> FileIndex:
    with named_errors(place.url), File(data, threads=1) as file:
        return _indexed(place.url, stamp, file, memoryview(data))


def index_of(url: str, stamp: Stamp, data: bytes) -> FileIndex:
    """The entry of a file that is in memory."""
    with File(data, threads=1) as file:
        return _indexed(url, stamp, file, memoryview(data))


def _indexed(url: str, stamp: Stamp, file: File, data: memoryview) -> FileIndex:
    chunks = tuple(file.chunks)
    head = _core.read_header(data)
    header = bytes(data[: head["size_bytes"]])
    end = len(header)
    if chunks:
        # Nothing says where the last chunk ends but itself.
        last = _core.inspect(b"".join((header, data[chunks[-1].offset :])), 1)["chunks"][0]
        end = chunks[-1].offset + _CHUNK_HEAD_BYTES + last["meta_bytes"] + last["page_bytes"]
    return FileIndex(url, stamp, head["number_type"], header, end, chunks)
