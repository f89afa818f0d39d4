# SPDX-License-Identifier: Apache-2.0
"""Small files that hold very much, and memory that must not pile up."""

from __future__ import annotations

import gc
import io
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from processor_time import seconds_of

import numpact


def bomb(chunk_n: int) -> bytes:
    """Chunks of the largest size, all of one number: 21 bytes each stand for 128 MiB."""
    return HEAD + CHUNK * chunk_n + b"\0"


MAX_N = 1 << 24
ONE = numpact.compress(np.zeros(MAX_N, np.int64), level=0, delta="none", paging=MAX_N)
BEGIN = numpact.inspect(ONE).chunks[0].offset
HEAD, CHUNK = ONE[:BEGIN], ONE[BEGIN:-1]
BOMB = bomb(16)


def rss() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def test_the_bomb_is_one() -> None:
    assert len(BOMB) < 400
    assert len(CHUNK) < 30
    with pytest.raises(numpact.LimitExceededError):
        numpact.decompress(ONE, max_output=8 * MAX_N - 1)
    assert numpact.decompress(ONE, max_output=8 * MAX_N).size == MAX_N


@linux
@pytest.mark.parametrize("threads", [1, 2, None])
@pytest.mark.parametrize(
    "read",
    [
        lambda threads: numpact.decompress(BOMB, max_output=10**6, threads=threads),
        lambda threads: len(numpact.open(BOMB, max_output=10**6, threads=threads)),
        lambda threads: numpact.inspect(BOMB, max_output=10**6, threads=threads),
        lambda threads: numpact.decompress_arrow(BOMB, threads, 10**6),
        lambda threads: numpact.decompress(BOMB, np.empty(10, np.int64), threads, 10**6),
    ],
    ids=["decompress", "open", "inspect", "decompress_arrow", "out"],
)
def test_bombs_are_refused_at_once(read: Any, threads: int | None) -> None:
    before = rss()
    refused_at_once(lambda: read(threads), numpact.LimitExceededError)
    assert rss() - before < 20 << 20


def refused_at_once(read: Callable[[], object], error: type[Exception]) -> None:
    """It takes no more of a processor than a small part of a walk over the bomb."""

    def refused() -> None:
        with pytest.raises(error):
            read()

    assert seconds_of(refused) < max(0.1, seconds_of(lambda: numpact.inspect(BOMB)) / 4)


def test_a_bomb_into_a_small_array_is_refused_at_once() -> None:
    refused_at_once(
        lambda: numpact.decompress_into(BOMB, np.empty(1000, np.int64)),
        numpact.OutputTooSmallError,
    )


def test_one_number_of_a_bomb() -> None:
    chunks = numpact.open(ONE).chunks
    file = numpact.open(ONE, chunks=chunks)
    assert file[5] == 0
    with pytest.raises(numpact.LimitExceededError):
        len(numpact.open(ONE, chunks=chunks, max_output=1000))


@pytest.mark.parametrize("limit", [0, 1, 7999, 8000, 8001, 2**64, 2**100, 1e9])
def test_the_limit_is_exact(limit: Any) -> None:
    packed = numpact.compress(np.arange(1000))
    if limit < 8000:
        with pytest.raises(numpact.LimitExceededError):
            numpact.decompress(packed, max_output=limit)
    else:
        assert numpact.decompress(packed, max_output=limit).size == 1000


@pytest.mark.parametrize("limit", [-1, "x", float("nan"), []])
def test_limits_that_make_no_sense(limit: Any) -> None:
    with pytest.raises(numpact.InvalidArgumentError, match="max_output"):
        numpact.decompress(numpact.compress([1]), max_output=limit)


NUMBERS = np.random.default_rng(1).integers(0, 1000, 400_000)
PACKED = numpact.compress(NUMBERS)


def _failing() -> None:
    try:
        numpact.decompress(PACKED[:-1])
    except numpact.TruncatedError:
        return
    raise AssertionError


@linux
@pytest.mark.parametrize(
    "work",
    [
        lambda: numpact.decompress(PACKED),
        lambda: numpact.decompress(PACKED, threads=2),
        lambda: numpact.decompress_into(PACKED, np.empty_like(NUMBERS)),
        lambda: numpact.compress(NUMBERS, level=1),
        lambda: numpact.compress(NUMBERS[::2], level=1),
        lambda: numpact.open(PACKED)[::1000],
        lambda: numpact.inspect(PACKED),
        _failing,
    ],
    ids=["decompress", "threads", "into", "compress", "strided", "open", "inspect", "error"],
)
def test_memory_does_not_pile_up(work: Any) -> None:
    for _ in range(10):
        work()
    gc.collect()
    before = rss()
    for _ in range(30):
        work()
    gc.collect()
    # A leak of results would be 30 times 3 MB.
    assert rss() - before < 12 << 20


def test_nobody_keeps_references() -> None:
    out = np.empty_like(NUMBERS)
    buf = bytearray(PACKED)
    counts = [sys.getrefcount(x) for x in (NUMBERS, PACKED, out, buf)]
    for _ in range(30):
        numpact.decompress(PACKED)
        numpact.decompress_into(buf, out)
        numpact.compress(NUMBERS, level=0)
        _failing()
        with pytest.raises(numpact.TypeMismatchError):
            numpact.decompress_into(buf, np.empty(NUMBERS.size))
        numpact.open(buf)[3]
    gc.collect()
    assert [sys.getrefcount(x) for x in (NUMBERS, PACKED, out, buf)] == counts
    buf.clear()  # no buffer is held either


@linux
def test_a_writer_takes_the_memory_of_few_chunks() -> None:
    class Nowhere(io.RawIOBase):
        size = 0

        def writable(self) -> bool:
            return True

        def write(self, data: Any) -> int:
            self.size += len(data)
            return len(data)

    sink = Nowhere()
    numbers = np.random.default_rng(3).normal(size=1 << 20)
    with numpact.Writer(sink, "float64", level=0, threads=2) as writer:
        writer.write(numbers)
        before = rss()
        for _ in range(39):
            writer.write(numbers)
    # 335 MB were passed, and nearly as much when compressed.
    assert sink.size > 250 << 20
    assert rss() - before < 64 << 20
