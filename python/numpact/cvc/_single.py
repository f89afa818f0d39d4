# SPDX-License-Identifier: Apache-2.0
"""Chunks of CVC files by themselves: each becomes a small file of its own."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _core
from .._errors import CorruptError
from .._ranges import Location, StorageOptions, locate, named_errors
from ._frames import front, record_head
from ._info import Info, make_info
from ._reader import Reader

if TYPE_CHECKING:
    import os

    import numpy.typing as npt

    Array = npt.NDArray[Any]

_FIRST_READ = 1 << 16
_LEAVE_OUT = ("chunks", "columns", "mmap_optimized", "num_vectors", "sections", "metadata")


@dataclass(frozen=True)
class ChunkPart:
    """One column of one chunk: where its bytes are, and a header that describes them alone."""

    place: Location
    start: int
    stop: int
    is_record: bool  #: the bytes are a whole record, with its checksum; else a column's slice
    has_checksums: bool
    header: dict[str, Any]
    rows: int

    def load(self, dtype: str) -> Array:
        """Fetches the bytes by one request, and decodes them with one thread."""
        data = self.place.read(self.start, self.stop)
        frame = front((2, 0), self.header)
        if not self.is_record:
            frame += record_head(data)
        elif not self.has_checksums:
            payload = memoryview(data)[4:]
            if struct.unpack_from("<I", data)[0] != len(payload):
                raise CorruptError(f"{self.place.url}: a chunk is not as long as its header says")
            frame += record_head(payload)
            data = bytes(payload)
        with named_errors(self.place.url, self.start):
            return Reader(frame + data).read(dtype=dtype, verify=self.is_record, threads=1)


class RemoteFile:
    """A CVC file anywhere that fsspec reaches, of which the header was read."""

    def __init__(self, url: str | os.PathLike[str], options: StorageOptions | None = None) -> None:
        self.place = locate(url, options)
        self.size = self.place.stamp().size
        with named_errors(self.place.url):
            prefix = self._prefix()
            self.info: Info = make_info(_core.CvcHeader(prefix, self.size).info())
            self.header: dict[str, Any] = json.loads(self.info.header)

    def _prefix(self) -> bytes:
        """As many bytes from the start as the header needs: one request, or two for a long one."""
        end = _FIRST_READ if self.size is None else min(_FIRST_READ, self.size)
        prefix = self.place.read(0, end)
        while (needed := _core.cvc_header_bytes(prefix)) > len(prefix):
            if self.size is not None and needed > self.size:
                break  # parsing says so
            prefix += self.place.read(len(prefix), needed)
        return prefix

    def parts(self, column: int) -> list[ChunkPart]:
        """A part for each chunk. Only the slice of the column is fetched where that is smaller."""
        return [self._part(chunk, *where, column) for chunk, where in enumerate(self._records())]

    def _records(self) -> list[tuple[int, int]]:
        """Place and payload size of every record; lossless ones tell their size themselves."""
        found = []
        head = self.info.record_head_bytes
        offset = self.info.header_bytes
        for chunk in self.info.chunks:
            if chunk.offset is not None:
                offset = chunk.offset
            size = chunk.payload_bytes
            if size is None:
                (size,) = struct.unpack("<I", self.place.read(offset, offset + 4))
            found.append((offset, size))
            offset += head + size
        return found

    def _part(self, chunk: int, offset: int, size: int, column: int) -> ChunkPart:
        described = self.info.chunks[chunk]
        raw = dict(self.header["chunks"][chunk])
        for key in ("file_offset", "metadata", "sections"):
            raw.pop(key, None)
        header = {key: self.header[key] for key in self.header if key not in _LEAVE_OUT}
        header["num_vectors"] = described.rows
        start, stop, is_record = offset, offset + self.info.record_head_bytes + size, True
        if self.info.is_columnar:
            name = self.info.columns[column].name
            entry = dict(raw["columns"][name])
            if len(self.info.columns) > 1:
                part = described.slices[column]
                start = offset + self.info.record_head_bytes + part.offset
                stop, is_record = start + (part.size or 0), False
                entry["offset"] = 0
            raw["columns"] = {name: entry}
            header["columns"] = [self.header["columns"][column]]
        header["chunks"] = [raw]
        return ChunkPart(
            self.place,
            start,
            stop,
            is_record,
            self.info.version >= (1, 0),
            header,
            described.rows,
        )
