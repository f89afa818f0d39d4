# SPDX-License-Identifier: Apache-2.0
"""The description of a file, which prints as a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from .._views import MAX_SHOWN_ROWS, Report, Table, View, count_text
from .chunks import CHUNK_TITLES, ChunkInfo, chunk_cells, chunk_info
from .html import figures_of

TrailerState = Literal["none", "sound", "damaged", "unrecognised"]


@dataclass(frozen=True, repr=False)
class FileInfo(Report):
    """The result of ``numpact.inspect``."""

    standalone_version: int
    format_version: tuple[int, int]
    type: str | None  #: None: an empty file that does not name one
    uniform_type: str | None  #: the type in the header; None: the header has none
    n_hint: int  #: the count of numbers that the header claims
    chunk_count: int  #: all chunks of the file
    count: int  #: the count of numbers that were found
    file_bytes: int  #: without bytes after the end of the file
    trailing_bytes: int  #: after the end of the file: a trailer or unknown bytes
    trailer: TrailerState  #: by its own checksums; ``verify`` compares it with the file
    restart_every: int | None  #: numbers between restart points of the trailer; None: no points
    #: The chunks in order. The list is incomplete if descriptions of all
    #: (tiny) chunks would take much more memory than the file.
    chunks: list[ChunkInfo]

    @property
    def raw_bytes(self) -> int:
        """Size of the numbers in memory, in bytes."""
        return self.count * (int(self.type[1:]) // 8 if self.type else 0)

    @property
    def ratio(self) -> float:
        """``raw_bytes`` divided by ``file_bytes``; 0 for no bytes."""
        return self.raw_bytes / self.file_bytes if self.file_bytes else 0.0

    @property
    def bits_per_number(self) -> float:
        return self.file_bytes * 8 / self.count if self.count else 0.0

    def plot(self, chunk: int = 0, *, dtype: str | None = None) -> Any:
        """Draws the bins of a chunk with matplotlib, a panel for each latent variable.

        A box for each bin is as wide as its range; its height is the share of the latents per
        value, its colour the offset bits. The axis has the numbers of the file, for deltas the
        differences. Axes are logarithmic where bins differ strongly. NaN and infinities are not
        drawn; their share is stated.

        Args:
            chunk: Its index.
            dtype: The type of times that the numbers are, as "datetime64[ns]".

        Returns:
            A ``matplotlib.figure.Figure``; ``savefig`` writes it as SVG, PNG or PDF.

        Raises:
            IndexError: There is no such chunk.
            ImportError: matplotlib is not installed.
        """
        from .._plots import plot_bins

        return plot_bins(self.chunks[chunk], f"chunk {chunk}", dtype)

    def _view(self) -> View:
        major, minor = self.format_version
        behind = f"; {self._trailing_text()}" if self.trailing_bytes else ""
        shown = self.chunks[:MAX_SHOWN_ROWS]
        rows = [chunk_cells(index, chunk) for index, chunk in enumerate(shown)]
        return View(
            f"Pco {major}.{minor}: {self.count:,} x {self.type or 'no type'}, "
            f"{self.file_bytes:,} bytes, {self.bits_per_number:.2f} bits a number, "
            f"{self.ratio:.2f} times smaller, {count_text(self.chunk_count, 'chunk')}{behind}",
            (),
            [Table("", CHUNK_TITLES, rows, self.chunk_count)] if rows else [],
            figures_of(shown),
        )

    def _trailing_text(self) -> str:
        size = f"{self.trailing_bytes:,} bytes"
        if self.trailer == "unrecognised":
            return f"{size} follow that are not part of the file"
        if self.trailer == "damaged":
            return f"{size} of trailer, which is damaged"
        every = self.restart_every
        return f"{size} of trailer{f', restart points every {every:,} numbers' if every else ''}"


def file_info(raw: dict[str, Any]) -> FileInfo:
    """A description of a file from ``_core``; removes entries of ``raw``."""
    chunks = [chunk_info(chunk) for chunk in raw.pop("chunks")]
    return FileInfo(chunks=chunks, **raw)
