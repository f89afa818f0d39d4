# SPDX-License-Identifier: Apache-2.0
"""A file's inside as text."""

from __future__ import annotations

from ._inspect import ChunkInfo, FileInfo

MOST_CHUNKS = 8


def _line(index: int, chunk: ChunkInfo) -> str:
    per_number = chunk.bytes * 8 / chunk.count if chunk.count else 0.0
    bins = ", ".join(f"{v.variable} {len(v.bins)}" for v in chunk.variables)
    return (
        f"  chunk {index}: {chunk.count:,} x {chunk.type}, {chunk.mode}, delta {chunk.delta}, "
        f"{chunk.bytes:,} bytes, {per_number:.2f} bits a number, bins: {bins}"
    )


def as_text(info: FileInfo) -> str:
    major, minor = info.format_version
    head = (
        f"Pco {major}.{minor}: {info.count:,} x {info.type or 'no type'}, "
        f"{info.file_bytes:,} bytes, {info.bits_per_number:.2f} bits a number, "
        f"{info.ratio:.2f} times smaller, {len(info.chunks)} chunk"
        f"{'' if len(info.chunks) == 1 else 's'}"
    )
    lines = [head]
    lines += [_line(i, chunk) for i, chunk in enumerate(info.chunks[:MOST_CHUNKS])]
    if len(info.chunks) > MOST_CHUNKS:
        lines.append(f"  and {len(info.chunks) - MOST_CHUNKS} more")
    if info.trailing_bytes:
        lines.append(f"  {info.trailing_bytes:,} bytes follow that are not part of the file")
    return "\n".join(lines)
