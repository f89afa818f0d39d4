# SPDX-License-Identifier: Apache-2.0
"""The most bytes that a file may take: Classic mode with one full-width bin in every chunk."""

from __future__ import annotations

from collections.abc import Sequence

from numpact_ctypes import DTYPES

OFFSET_WIDTH_BITS = {8: 4, 16: 5, 32: 6, 64: 7}


def type_bits(type_name: str) -> int:
    return DTYPES[type_name].itemsize * 8


def _bytes(bits: int) -> int:
    return -(-bits // 8)


def meta_bound(type_name: str) -> int:
    """Mode, delta, size log, bin count, lower, offset bits (a weight of no bits)."""
    bits = type_bits(type_name)
    return _bytes(4 + 4 + 4 + 15 + bits + OFFSET_WIDTH_BITS[bits])


def page_bound(type_name: str, count: int) -> int:
    return count * type_bits(type_name) // 8


def header_bound(count: int) -> int:
    """Magic, standalone version, uniform type (zero or not), n_hint, format version."""
    return 4 + 1 + 1 + _bytes(6 + max(1, count.bit_length())) + 2


def file_bound(type_name: str, chunk_counts: Sequence[int]) -> int:
    chunks = sum(4 + meta_bound(type_name) + page_bound(type_name, n) for n in chunk_counts)
    return header_bound(sum(chunk_counts)) + chunks + 1


def automatic_size(level: int) -> int:
    """The most numbers in a chunk under automatic paging."""
    return 1 << (18 if level <= 5 else 20)


def automatic_sizes(count: int, level: int) -> list[int]:
    """The runs of automatic paging: four instead of three, the last of more halved."""
    runs = -(-count // automatic_size(level))
    shares = _shares(count, runs + (runs == 3))
    if runs > 4:
        last = shares.pop()
        shares += [last - last // 2, last // 2]
    return shares


def equal_sizes(count: int, largest: int) -> list[int]:
    """How equal_pages_up_to cuts, in no particular order."""
    return _shares(count, -(-count // largest))


def _shares(count: int, parts: int) -> list[int]:
    return [count // parts + (i < count % parts) for i in range(parts)]
