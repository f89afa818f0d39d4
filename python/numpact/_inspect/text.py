# SPDX-License-Identifier: Apache-2.0
"""Chunks as lines of text."""

from __future__ import annotations

from .chunks import ChunkInfo

MAX_SHOWN_CHUNKS = 8  #: a summary fits on a screen


def _line(index: int, chunk: ChunkInfo) -> str:
    return (
        f"  chunk {index}: {chunk.count:,} x {chunk.type}, {chunk.mode}, delta {chunk.delta}, "
        f"{chunk.bytes:,} bytes, {chunk.bits_per_number:.2f} bits a number, "
        f"bins: {chunk.bins_text()}"
    )


def chunk_lines(chunks: list[ChunkInfo], chunk_count: int) -> list[str]:
    """The first chunks, a line each, and how many follow.

    Args:
        chunks: Those that are described.
        chunk_count: All chunks of the file.
    """
    shown = chunks[:MAX_SHOWN_CHUNKS]
    lines = [_line(index, chunk) for index, chunk in enumerate(shown)]
    if chunk_count > len(shown):
        lines.append(f"  and {chunk_count - len(shown)} more")
    return lines
