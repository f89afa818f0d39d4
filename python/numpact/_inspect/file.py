# SPDX-License-Identifier: Apache-2.0
"""The description of a file, and its summary as text and as HTML."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any, Literal

from .chunks import ChunkInfo, chunk_info
from .html import chunk_table
from .text import chunk_lines

TrailerState = Literal["none", "sound", "damaged", "unrecognised"]


@dataclass(frozen=True)
class FileInfo:
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

    def __str__(self) -> str:
        major, minor = self.format_version
        plural = "" if self.chunk_count == 1 else "s"
        head = (
            f"Pco {major}.{minor}: {self.count:,} x {self.type or 'no type'}, "
            f"{self.file_bytes:,} bytes, {self.bits_per_number:.2f} bits a number, "
            f"{self.ratio:.2f} times smaller, {self.chunk_count} chunk{plural}"
        )
        lines = [head, *chunk_lines(self.chunks, self.chunk_count)]
        if self.trailing_bytes:
            lines.append(self._trailing_text())
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _trailing_text(self) -> str:
        size = f"  {self.trailing_bytes:,} bytes"
        if self.trailer == "unrecognised":
            return f"{size} follow that are not part of the file"
        if self.trailer == "damaged":
            return f"{size} of trailer, which is damaged"
        every = self.restart_every
        return f"{size} of trailer{f', restart points every {every:,} numbers' if every else ''}"

    def _repr_html_(self) -> str:
        major, minor = self.format_version
        summary = (
            f"<b>Pco {major}.{minor}</b>: {self.count:,} x {escape(self.type or 'no type')}, "
            f"{self.file_bytes:,} bytes, {self.bits_per_number:.2f} bits a number, "
            f"{self.ratio:.2f} times smaller"
        )
        return f"<div><p>{summary}</p>{chunk_table(self.chunks, self.chunk_count)}</div>"


def file_info(raw: dict[str, Any]) -> FileInfo:
    """A description of a file from ``_core``; removes entries of ``raw``."""
    chunks = [chunk_info(chunk) for chunk in raw.pop("chunks")]
    return FileInfo(chunks=chunks, **raw)
