# SPDX-License-Identifier: Apache-2.0
"""Trailers whose counts are not those of the file, under checksums that match."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
import pytest

import numpact

NUMBERS = np.random.default_rng(3).normal(100, 5, 10_000).round(2)
FILE = numpact.compress(NUMBERS, paging=1000, trailer=True)
TRAILER = numpact.read_trailer(FILE)

READS = {
    "decompress": lambda f, t: numpact.decompress(f, trailer=t),
    "threads": lambda f, t: numpact.decompress(f, threads=2, trailer=t),
    "with_progress": lambda f, t: numpact.decompress(f, trailer=t, progress=lambda _: None),
    "out": lambda f, t: numpact.decompress(f, np.empty(NUMBERS.size), trailer=t),
    "open": lambda f, t: numpact.open(f, trailer=t)[:],
    "by_chunk": lambda f, t: np.concatenate(list(numpact.open(f, trailer=t))),
}


def with_counts(*changes: tuple[int, int]) -> bytes:
    """With counts of chunks changed in the trailer, under its own checksums that match."""
    assert TRAILER is not None
    file = bytearray(FILE)
    body, footer = TRAILER.file_bytes, len(FILE) - 24
    for chunk, more in changes:
        for at, kind in ((body + 24, "<Q"), (body + 32 + 40 * chunk + 8, "<I")):
            (count,) = struct.unpack_from(kind, file, at)
            struct.pack_into(kind, file, at, count + more)
    struct.pack_into("<I", file, footer + 8, zlib.crc32(file[body:footer]))
    struct.pack_into("<I", file, footer + 12, zlib.crc32(file[footer : footer + 12]))
    return bytes(file)


@pytest.mark.parametrize("read", READS.values(), ids=READS)
@pytest.mark.parametrize("changes", [[(3, 1)], [(9, -1)], [(2, 5), (6, -5)]])
def test_counts_that_contradict_the_file(read: Any, changes: list[tuple[int, int]]) -> None:
    lying = with_counts(*changes)
    found = numpact.read_trailer(lying)
    assert found is not None
    assert found.count == NUMBERS.size + sum(more for _, more in changes)
    for policy in ("use", "require"):
        with pytest.raises(numpact.CorruptError, match="trailer contradicts"):
            read(lying, policy)
    np.testing.assert_array_equal(read(lying, "ignore"), NUMBERS)
    if found.count != NUMBERS.size:
        assert numpact.inspect(lying).trailer == "damaged"
