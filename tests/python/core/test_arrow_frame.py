# SPDX-License-Identifier: Apache-2.0
"""The frame of compress_arrow: layout as documented, damage, and heads that lie."""

from __future__ import annotations

import re
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import numpact
from numpact import _arrow_frame

HEAD = struct.Struct("<4sBBHQQQQ")


def framed(format: str, validity: list[bool], numbers: Any) -> bytes:
    mask = np.array(validity, bool)
    whole: bytes = _arrow_frame.pack(
        format, mask.size, None if mask.all() else mask, numpact.compress(numbers)
    )
    return whole


SOUND = framed("l", [True, True, False, True, False], np.array([5, 6, 7]))


def rebuilt(**changes: Any) -> bytes:
    """The sound frame with other fields, and a checksum that is right."""
    _, version, zero, name_size, length, nulls, runs_size, _ = HEAD.unpack_from(SOUND)
    at = HEAD.size + name_size
    parts: dict[str, Any] = {
        "version": version,
        "zero": zero,
        "format": SOUND[HEAD.size : at],
        "length": length,
        "nulls": nulls,
        "runs": SOUND[at : at + runs_size],
        "numbers": SOUND[at + runs_size : -4],
    }
    parts.update(changes)
    runs, numbers = parts["runs"], parts["numbers"]
    body: bytes = HEAD.pack(
        b"npac", parts["version"], parts["zero"], len(parts["format"]), parts["length"],
        parts["nulls"], parts.get("runs_size", len(runs)), parts.get("numbers_size", len(numbers)),
    )  # fmt: skip
    body += parts["format"] + runs + numbers
    return body + struct.pack("<I", zlib.crc32(body))


def runs(*lengths: int) -> bytes:
    return numpact.compress(np.array(lengths, np.uint64))


def test_the_layout_is_the_documented_one() -> None:
    assert rebuilt() == SOUND
    magic, version, zero, name_size, length, nulls, runs_size, numbers_size = HEAD.unpack_from(
        SOUND
    )
    assert (magic, version, zero, name_size, length, nulls) == (b"npac", 1, 0, 1, 5, 2)
    assert SOUND[40:41] == b"l"
    assert numpact.decompress(SOUND[41 : 41 + runs_size]).tolist() == [2, 1, 1, 1]
    numbers = SOUND[41 + runs_size : 41 + runs_size + numbers_size]
    assert numpact.decompress(numbers).tolist() == [5, 6, 7]
    assert SOUND[-4:] == zlib.crc32(SOUND[:-4]).to_bytes(4, "little")
    found = numpact.decompress_arrow(SOUND)
    assert found.values.tolist() == [5, 6, 0, 7, 0]


def test_every_truncation_is_an_error() -> None:
    for size in range(len(SOUND)):
        # Without all of its magic bytes it is not known to be a frame.
        with pytest.raises(numpact.TruncatedError if size >= 4 else numpact.CorruptError):
            numpact.decompress_arrow(SOUND[:size])


def test_bytes_behind_are_an_error() -> None:
    with pytest.raises(numpact.CorruptError, match="follow"):
        numpact.decompress_arrow(SOUND + b"\0")


def test_every_mutant_is_an_error() -> None:
    for place in range(len(SOUND)):
        for mask in (0x01, 0x10, 0x80, 0xFF, 0x5A):
            mutant = bytearray(SOUND)
            mutant[place] ^= mask
            with pytest.raises(numpact.Error):
                numpact.decompress_arrow(mutant)


@pytest.mark.parametrize(
    "changes",
    [
        {"zero": 1}, {"nulls": 6}, {"nulls": 0}, {"runs": b""}, {"nulls": 3}, {"nulls": 1},
        {"length": 4}, {"length": 6}, {"length": 0}, {"length": 2**64 - 1},
        {"length": 2**63, "nulls": 2**63 - 3},
        {"format": b""}, {"format": b"u"}, {"format": b"\xff"}, {"format": b"f"},
        {"format": b"ts"}, {"format": b"tsx:"}, {"format": b"tsn:\0UTC"}, {"format": b"L"},
        {"format": b"+s"},
        {"runs": b"x"}, {"runs": numpact.compress(np.array([2, 1, 1, 1]))},
        {"runs": runs()}, {"runs": runs(2, 1, 1)}, {"runs": runs(2, 1, 1, 2)},
        {"runs": runs(2, 0, 0, 1, 1, 1)}, {"runs": runs(3, 2, 0)}, {"runs": runs(0, 3, 2)},
        {"runs": runs(*[1] * 5000)},
        {"runs": runs(2**64 - 1, 1, 5)}, {"runs": runs(2**63, 2**63, 3, 2)},
        {"runs": runs(2, 2**64 - 1, 2, 2)},
        {"numbers": b""}, {"numbers": numpact.compress(np.arange(2))},
        {"numbers": numpact.compress(np.arange(4))},
        {"numbers": numpact.compress(np.arange(10**6))},
        {"numbers": numpact.compress(np.arange(3.0))},
        {"numbers_size": 2**64 - 1}, {"runs_size": 2**64 - 1}, {"runs_size": 0},
        {"runs_size": 2**63, "numbers_size": 2**63},
    ],
    ids=lambda changes: str(changes)[:60],
)  # fmt: skip
def test_heads_that_lie(changes: dict[str, Any]) -> None:
    # A size that only this machine cannot hold is not damage.
    with pytest.raises((numpact.CorruptError, numpact.OutOfMemoryError)):
        numpact.decompress_arrow(rebuilt(**changes))


def test_versions_to_come() -> None:
    with pytest.raises(numpact.UnsupportedVersionError, match="version 2"):
        numpact.decompress_arrow(rebuilt(version=2))


def test_booleans_of_other_kinds() -> None:
    for numbers in ([0, 2, 1], [255, 0, 0]):
        hostile = rebuilt(format=b"b", numbers=numpact.compress(np.array(numbers, np.uint8)))
        with pytest.raises(numpact.CorruptError, match="booleans"):
            numpact.decompress_arrow(hostile)


@pytest.mark.parametrize("length", [2**40, 2**52, 2**62, 2**63 - 1, 2**64 - 1])
def test_rows_beyond_all_memory(length: int) -> None:
    """A column of nulls alone is small, however long it claims to be."""
    nothing = numpact.compress(np.empty(0, np.int64))
    bomb = rebuilt(length=length, nulls=length, runs=runs(0, length), numbers=nothing)
    with pytest.raises(numpact.LimitExceededError):
        numpact.decompress_arrow(bomb, max_output=10**6)
    if length > 2**50:  # what can be had depends on the machine below
        with pytest.raises(numpact.OutOfMemoryError) as caught:
            numpact.decompress_arrow(bomb)
        assert isinstance(caught.value, MemoryError)


def test_max_output_counts_nulls() -> None:
    assert len(numpact.decompress_arrow(SOUND, max_output=40)) == 5
    with pytest.raises(numpact.LimitExceededError):
        numpact.decompress_arrow(SOUND, max_output=39)


def test_errors_inside_tell_the_place_in_the_frame() -> None:
    damaged = rebuilt(numbers=b"?co!" + bytes(30))
    with pytest.raises(numpact.CorruptError) as caught:
        numpact.decompress_arrow(damaged)
    runs_size = HEAD.unpack_from(damaged)[6]
    assert caught.value.offset == HEAD.size + 1 + runs_size


def test_the_example_of_the_document() -> None:
    text = (Path(__file__).parents[3] / "docs" / "format" / "arrow-column.md").read_text()
    rows = re.findall(r"^\| `((?:[0-9a-f]{2} ?)+)` \|", text.split("byte by byte\n", 1)[1], re.M)
    frame = bytes.fromhex(" ".join(rows))
    found = numpact.decompress_arrow(frame)
    assert found.format == "l"
    assert found.values.tolist() == [5, 6, 0, 7, 0]
    assert found.validity is not None
    assert found.validity.tolist() == [True, True, False, True, False]
    # All but the files inside, whose bytes are up to their encoder.
    runs_size, numbers_size = HEAD.unpack_from(frame)[6:]
    numbers = len(frame) - 4 - numbers_size
    files = {"runs": frame[numbers - runs_size : numbers], "numbers": frame[numbers:-4]}
    assert rebuilt(**files) == frame
