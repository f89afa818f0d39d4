# SPDX-License-Identifier: Apache-2.0
"""Files of other columns whose bytes are checked before use (docs/format/table-folder.md)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .. import _core
from .._errors import ChecksumError, CorruptError
from .manifest import Part

if TYPE_CHECKING:
    from typing_extensions import Buffer

#: Rows of each record batch but the last one.
BATCH_ROWS = 1 << 16
# A file of a store up to this size is fetched whole: a request takes longer than these bytes.
_WHOLE_BYTES = 1 << 20

#: Gives the bytes of a file from a position to before another one.
Fetch = Callable[[int, int], Any]


@dataclass(frozen=True)
class Blocks:
    """Blocks of a file and their checksums. Can be pickled."""

    rows: int  #: of the whole file
    bytes: int
    known: tuple[tuple[int, int, int, int], ...]  #: index, first byte, end and CRC-32, in order
    count: int  #: of blocks that the file has
    has_vectors: bool  #: it is one of CVC


def blocks_of(part: Part, first: int = 0, count: int | None = None) -> Blocks | None:
    """The blocks that ``count`` rows from ``first`` on need, or all; None: without checksums."""
    if not part.ends:
        return None
    spans = pairwise((0, *part.ends))
    known = [(i, *span, crc) for i, (span, crc) in enumerate(zip(spans, part.crc32, strict=True))]
    if count is not None and not part.has_vectors:
        begin, end = first // BATCH_ROWS + 1, -(-(first + count) // BATCH_ROWS) + 1
        known = [known[0], *known[begin:end], known[-1]]
    return Blocks(part.rows, part.bytes, tuple(known), len(part.ends), part.has_vectors)


class CheckedFile:
    """A file object for pyarrow that gives bytes of blocks whose checksum matches.

    Thread-safe but for its position: ``between`` may be called while a thread reads the file.

    The first and the last block, of vectors the first, are checked when it is made, since they say
    what the whole file is. Each other block is fetched and checked as a whole when bytes of it are
    read.

    Args:
        fetch: Gives the bytes of the file.
        size: Bytes of the file; None: unknown.
        blocks: Those that may be read. The manifest has checked that they follow each other.
        place: How messages call the file.
        is_near: The file is in memory: fetching costs nothing.

    Raises:
        CorruptError: The file has another size than the manifest says.
        ChecksumError: The first or the last block has another checksum.
    """

    closed = False

    def __init__(
        self, fetch: Fetch, size: int | None, blocks: Blocks, place: str, *, is_near: bool
    ) -> None:
        if size is not None and size != blocks.bytes:
            raise CorruptError(f"{place}: has {size} bytes, the manifest says {blocks.bytes}")
        self._fetch = fetch
        self.size = blocks.bytes  #: of the file
        self._rows = blocks.rows
        self._count = blocks.count
        self._has_vectors = blocks.has_vectors
        self._known = blocks.known
        self._ends = [end for _, _, end, _ in blocks.known]
        self._place = place
        self._is_near = is_near
        self._at = 0
        self._held: dict[int, memoryview] = {}  # checked blocks that were fetched last
        self._pinned: dict[int, memoryview] = {}  # the first and the last block of a store's file
        if not is_near and blocks.bytes <= _WHOLE_BYTES and len(blocks.known) == blocks.count:
            self._pinned = self._checked(0, len(blocks.known))
            return
        for at in (0,) if blocks.has_vectors else (len(blocks.known) - 1, 0):
            checked = self._checked(at, at + 1)
            if not is_near:
                self._pinned |= checked

    def expect(self, first: int, stop: int) -> None:
        """Fetches the batches from ``first`` to before ``stop`` by one request, unless the last one
        did."""
        if self._is_near or len(self._pinned) == len(self._known):
            return
        indices = [index for index, _, _, _ in self._known]
        at = bisect_right(indices, first)
        if not self._held.keys() >= set(range(at, at + stop - first)):
            self._held = self._checked(at, at + stop - first)

    def between(self, start: int, stop: int) -> Any:
        """The bytes from ``start`` to before ``stop``, or the end of the file."""
        stop = min(stop, self.size)
        parts: list[memoryview] = []
        while start < stop:
            at = bisect_right(self._ends, start)
            _, begin, end, _ = self._known[at]
            if start < begin:
                raise CorruptError(f"{self._place}: its rows are not where the manifest says")
            parts.append(self._block(at)[start - begin : min(stop, end) - begin])
            start = min(stop, end)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    # ---- as a file object ----

    def read(self, count: int = -1) -> Any:
        start = self._at
        self._at = max(start, self.size if count < 0 else min(start + count, self.size))
        return self.between(start, self._at)

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (0, self._at, self.size)[whence]
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

    # ---- as ranges of a file of CVC ----

    @property
    def name(self) -> str:
        return self._place

    def read_at(self, offset: int, size: int, /) -> Any:
        """Of one block: who reads the header asks for more than that, without need."""
        at = min(bisect_right(self._ends, offset), len(self._ends) - 1)
        return self.between(offset, min(offset + size, self._ends[at]))

    def begin(self) -> None:
        return

    def check(self) -> None:
        return

    # ---- blocks, by their position among those that are known ----

    def _block(self, at: int) -> memoryview:
        for blocks in (self._pinned, self._held):
            if at in blocks:
                return blocks[at]
        self._held = held = self._checked(at, at + 1)
        return held[at]

    def _checked(self, first: int, stop: int) -> dict[int, memoryview]:
        """Blocks that follow each other in the file, fetched at once."""
        start, end = self._known[first][1], self._known[stop - 1][2]
        data = memoryview(self._fetch(start, end))
        if len(data) != end - start:
            raise CorruptError(
                f"{self._place}: ends at byte {start + len(data)}, the manifest says {self.size}"
            )
        blocks: dict[int, memoryview] = {}
        for at in range(first, stop):
            index, begin, end, crc = self._known[at]
            block = data[begin - start : end - start]
            if _core.crc32(block) != crc:
                raise ChecksumError(
                    f"{self._place}: {self._name_of(index)} another checksum than the manifest "
                    "says",
                    begin,
                )
            blocks[at] = block
        return blocks

    def _name_of(self, index: int) -> str:
        if self._has_vectors:
            return f"chunk {index - 1} has" if index else "the header of the file has"
        if index == 0:
            return "the beginning of the file (schema and dictionaries) has"
        if index == self._count - 1:
            return "the end of the file (index of its batches) has"
        first = (index - 1) * BATCH_ROWS
        return f"rows {first} to {min(first + BATCH_ROWS, self._rows) - 1} have"


def in_memory(mapped: Buffer, blocks: Blocks, place: str) -> CheckedFile:
    """A file whose bytes are in memory."""
    view = memoryview(mapped)
    return CheckedFile(lambda a, b: view[a:b], len(view), blocks, place, is_near=True)
