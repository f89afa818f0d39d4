# SPDX-License-Identifier: Apache-2.0
"""A file's inside as text."""

from __future__ import annotations

from ._inspect import ChunkInfo, FileInfo

MOST_CHUNKS = 8


def _line(index: int, chunk: ChunkInfo) -> str:
    return (
        f"  chunk {index}: {chunk.count:,} x {chunk.type}, {chunk.mode}, delta {chunk.delta}, "
        f"{chunk.bytes:,} bytes, {chunk.bits_per_number:.2f} bits a number, "
        f"bins: {chunk.bins_text()}"
    )


def _rest(info: FileInfo) -> str:
    size = f"  {info.trailing_bytes:,} bytes"
    if info.trailer == "unrecognised":
        return f"{size} follow that are not part of the file"
    if info.trailer == "damaged":
        return f"{size} of trailer, which is damaged"
    every = info.restart_every
    return f"{size} of trailer{f', restart points every {every:,} numbers' if every else ''}"


def as_text(info: FileInfo) -> str:
    major, minor = info.format_version
    head = (
        f"Pco {major}.{minor}: {info.count:,} x {info.type or 'no type'}, "
        f"{info.file_bytes:,} bytes, {info.bits_per_number:.2f} bits a number, "
        f"{info.ratio:.2f} times smaller, {info.chunk_count} chunk"
        f"{'' if info.chunk_count == 1 else 's'}"
    )
    lines = [head]
    lines += [_line(i, chunk) for i, chunk in enumerate(info.chunks[:MOST_CHUNKS])]
    shown = min(MOST_CHUNKS, len(info.chunks))
    if info.chunk_count > shown:
        lines.append(f"  and {info.chunk_count - shown} more")
    if info.trailing_bytes:
        lines.append(_rest(info))
    return "\n".join(lines)
