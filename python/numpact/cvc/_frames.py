# SPDX-License-Identifier: Apache-2.0
"""Assembles files from existing headers and payloads, without decoding."""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from .. import _core
from .._errors import ChecksumError, CorruptError, InvalidArgumentError, LimitExceededError
from .._file import contents
from .._sink import sink_of
from ._info import Info
from ._json import header_for_writing
from ._reader import Reader

if TYPE_CHECKING:
    Path = str | os.PathLike[str]

_MAX_PAYLOAD = (1 << 32) - 1


class Payloads:
    """The payloads of a file's chunks, without copies."""

    def __init__(
        self, path: Path, max_output: int | None = None, max_memory: int | None = None
    ) -> None:
        self._name = os.fsdecode(path)
        self._data = memoryview(contents(path)).cast("B")
        self.reader = Reader(self._data, max_output=max_output, max_memory=max_memory)

    @property
    def info(self) -> Info:
        return self.reader.info

    def __getitem__(self, chunk: int) -> memoryview:
        found = self.info.chunks[chunk]
        # The reader has determined the positions of all chunks.
        if found.offset is None or found.payload_bytes is None:
            raise InvalidArgumentError(f"the place of chunk {chunk} is not known")
        start = found.offset + self.info.record_head_bytes
        return self._data[start : start + found.payload_bytes]

    def stored_checksum(self, chunk: int) -> int:
        """The checksum of a payload in the file, for versions with checksums."""
        (stored,) = struct.unpack_from("<I", self._data, (self.info.chunks[chunk].offset or 0) + 4)
        return int(stored)

    def check(self) -> None:
        """Checks all chunks, before a new file is made of them.

        New checksums over damaged bytes would hide the damage. Files of version 0.1 have no
        checksums: their chunks are decoded.

        Raises:
            ChecksumError, CorruptError: The first damaged chunk; the message has the file, the
                chunk and its position.
        """
        if self.info.version >= (1, 0):
            for i, chunk in enumerate(self.info.chunks):
                if zlib.crc32(self[i]) != self.stored_checksum(i):
                    self._refuse(ChecksumError, i, chunk.offset, "its checksum does not match")
            return
        for damage in self.reader.verify():
            place = self.info.chunks[damage.chunk].offset
            self._refuse(CorruptError, damage.chunk, place, damage.reason)

    def _refuse(
        self, kind: type[CorruptError], chunk: int, offset: int | None, reason: str
    ) -> NoReturn:
        raise kind(
            f"{self._name}: chunk {chunk} is damaged (at byte {offset}): {reason}. "
            "Reader.read(on_corruption='drop') reads the other rows",
            offset,
            chunk,
        )

    def slice(self, chunk: int, column: int) -> memoryview:
        """The bytes of one column."""
        found = self.info.chunks[chunk].slices[column]
        end = None if found.size is None else found.offset + found.size
        return self[chunk][found.offset : end]


def front(version: tuple[int, int], header: dict[str, Any]) -> bytes:
    """The bytes before the first record of a file with checksums."""
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode("ascii")
    return struct.pack("<4sHHI", b"CVCF", *version, len(text)) + text


def record_head(payload: bytes | memoryview) -> bytes:
    """The bytes before a payload: its length and checksum."""
    if len(payload) > _MAX_PAYLOAD:
        raise LimitExceededError("a chunk takes more than 4 GiB: make them shorter")
    return struct.pack("<II", len(payload), zlib.crc32(payload))


def write_file(
    path: Path,
    version: tuple[int, int],
    header: dict[str, Any],
    payloads: Iterable[bytes | memoryview],
    lock: _core.FileLock | None = None,
) -> None:
    """Writes a file with checksums atomically; ``lock`` as for ``sink_of``."""
    header = header_for_writing(header)
    target = sink_of(os.fspath(path), lock=lock)
    try:
        target.write(front(version, header))
        for payload in payloads:
            target.write(record_head(payload))
            target.write(payload)
        target.commit()
    except BaseException:
        target.abort()
        raise
