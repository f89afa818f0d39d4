# SPDX-License-Identifier: Apache-2.0
"""Files of Arrow IPC whose bytes are checked before they are used (docs/format/table-folder.md)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from .. import _core
from .._errors import ChecksumError, CorruptError
from .._remote.manifest import Part

#: Rows of each record batch but the last one.
BATCH_ROWS = 1 << 16
# A file of a store up to this size is fetched whole: a request takes longer than these bytes.
_WHOLE_BYTES = 1 << 20

#: Gives the bytes of a file from a position to before another one.
Fetch = Callable[[int, int], Any]


class CheckedFile:
    """A file object for pyarrow that gives bytes of blocks whose checksum matches. Not thread-safe.

    The first and the last block are checked when it is made, so that what they say of the whole
    column is never believed. Each other block is fetched and checked as a whole when bytes of it
    are read.

    Args:
        fetch: Gives the bytes of the file.
        size: Bytes of the file; None: unknown.
        part: The checksums, which the manifest has checked: the ends increase up to the size.
        place: How messages call the file.
        is_near: The file is in memory: fetching costs nothing.

    Raises:
        CorruptError: The file has another size than the manifest says.
        ChecksumError: The first or the last block has another checksum.
    """

    closed = False

    def __init__(
        self, fetch: Fetch, size: int | None, part: Part, place: str, *, is_near: bool
    ) -> None:
        if size is not None and size != part.bytes:
            raise CorruptError(f"{place}: has {size} bytes, the manifest says {part.bytes}")
        self._fetch = fetch
        self._part = part
        self._place = place
        self._is_near = is_near
        self._at = 0
        self._held: dict[int, memoryview] = {}  # checked blocks of the last range
        self._ends: dict[int, memoryview] = {}  # the first and the last block of a store's file
        if not is_near and part.bytes <= _WHOLE_BYTES:
            self._ends = self._checked(0, len(part.ends))
            return
        for index in (len(part.ends) - 1, 0):
            blocks = self._checked(index, index + 1)
            if not is_near:
                self._ends |= blocks

    def expect(self, first: int, stop: int) -> None:
        """Fetches the batches from ``first`` to before ``stop`` by one request."""
        if self._is_near or all(index + 1 in self._ends for index in range(first, stop)):
            return
        self._held = self._checked(first + 1, stop + 1)

    # ---- as a file object ----

    def read(self, count: int = -1) -> Any:
        stop = self._part.bytes if count < 0 else min(self._at + count, self._part.bytes)
        parts: list[memoryview] = []
        while self._at < stop:
            index = bisect_right(self._part.ends, self._at)
            begin, end = self._span(index)
            block = self._block(index)
            parts.append(block[self._at - begin : min(stop, end) - begin])
            self._at = min(stop, end)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (0, self._at, self._part.bytes)[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def writable(self) -> bool:
        return False

    def close(self) -> None:
        return

    # ---- blocks ----

    def _span(self, index: int) -> tuple[int, int]:
        ends = self._part.ends
        return ends[index - 1] if index else 0, ends[index]

    def _block(self, index: int) -> memoryview:
        for blocks in (self._ends, self._held):
            if index in blocks:
                return blocks[index]
        self._held = self._checked(index, index + 1)
        return self._held[index]

    def _checked(self, first: int, stop: int) -> dict[int, memoryview]:
        """Blocks of the file, fetched at once."""
        start, end = self._span(first)[0], self._span(stop - 1)[1]
        data = memoryview(self._fetch(start, end))
        if len(data) != end - start:
            raise CorruptError(
                f"{self._place}: ends at byte {start + len(data)}, the manifest says "
                f"{self._part.bytes}"
            )
        blocks: dict[int, memoryview] = {}
        for index in range(first, stop):
            a, b = self._span(index)
            block = data[a - start : b - start]
            if _core.crc32(block) != self._part.crc32[index]:
                raise ChecksumError(
                    f"{self._place}: the checksum of {self._name_of(index)} does not match: the "
                    "file is damaged",
                    a,
                )
            blocks[index] = block
        return blocks

    def _name_of(self, index: int) -> str:
        if index == 0:
            return "its beginning, the schema and dictionaries,"
        if index == len(self._part.ends) - 1:
            return "its end, the index of its batches,"
        first = (index - 1) * BATCH_ROWS
        return f"rows {first} to {min(first + BATCH_ROWS, self._part.rows) - 1}"
