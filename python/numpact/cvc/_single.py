# SPDX-License-Identifier: Apache-2.0
"""Reads single chunks of remote CVC files: each is decoded as a small file."""

from __future__ import annotations

import json
import os
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._errors import CorruptError, InvalidArgumentError
from .._remote.locations import Location, StorageOptions, locate, named_errors
from .._specs import checked_limit, core_limit
from ._collection import INDEX
from ._frames import front, record_head
from ._info import Info
from ._reader import Reader

if TYPE_CHECKING:
    from .._types import Array

_LEAVE_OUT = ("chunks", "columns", "mmap_optimized", "num_vectors", "sections", "metadata")


@dataclass(frozen=True)
class ChunkPart:
    """One column of one chunk: the position of its bytes, and a header for them. Can be pickled."""

    place: Location
    start: int
    stop: int
    is_record: bool  #: the bytes are a complete record with its checksum; else a column's slice
    has_checksums: bool
    header: dict[str, Any]
    rows: int
    max_output: int | None = None
    max_memory: int | None = None

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
            reader = Reader(frame + data, max_output=self.max_output, max_memory=self.max_memory)
            return reader.read(dtype=dtype, verify=self.is_record, threads=1)


class RemoteFile:
    """The header of a CVC file in a file system of fsspec."""

    def __init__(
        self,
        url: str | os.PathLike[str],
        options: StorageOptions | None = None,
        max_output: int | None = None,
        max_memory: int | None = None,
    ) -> None:
        self._limits = (core_limit(max_output), checked_limit("max_memory", max_memory))
        self.place = locate(url, options)
        local = self.place.local_path
        if local is not None and os.path.isdir(local):
            raise InvalidArgumentError(
                f"{local}: is a folder without {INDEX}, not a collection of vectors"
            )
        with named_errors(self.place.url):
            self.info: Info = Reader(self.place, max_memory=max_memory).info
        self.header: dict[str, Any] = json.loads(self.info.header)

    def parts(self, column: int) -> list[ChunkPart]:
        """A part for each chunk; of a columnar file only the slice of the column."""
        return [self._part(chunk, column) for chunk in range(len(self.info.chunks))]

    def _part(self, chunk: int, column: int) -> ChunkPart:
        described = self.info.chunks[chunk]
        raw = dict(self.header["chunks"][chunk])
        for key in ("file_offset", "metadata", "sections"):
            raw.pop(key, None)
        header = {key: self.header[key] for key in self.header if key not in _LEAVE_OUT}
        header["num_vectors"] = described.rows
        # The reader has determined the positions of all chunks.
        start = described.offset or 0
        stop = start + self.info.record_head_bytes + (described.payload_bytes or 0)
        is_record = True
        if self.info.is_columnar:
            name = self.info.columns[column].name
            entry = dict(raw["columns"][name])
            if len(self.info.columns) > 1:
                part = described.slices[column]
                start += self.info.record_head_bytes + part.offset
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
            *self._limits,
        )
