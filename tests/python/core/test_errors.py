# SPDX-License-Identifier: Apache-2.0
"""Exceptions: one class a kind, with places, and as picklable as any."""

from __future__ import annotations

import contextlib
import copy
import pickle
from typing import Any

import numpy as np
import pytest

import numpact

KINDS = {
    numpact.InvalidArgumentError: ("invalid argument", ValueError),
    numpact.TypeMismatchError: ("type mismatch", TypeError),
    numpact.OutputTooSmallError: ("output too small", ValueError),
    numpact.CorruptError: ("corrupt", RuntimeError),
    numpact.TruncatedError: ("truncated", numpact.CorruptError),
    numpact.UnsupportedVersionError: ("unsupported version", RuntimeError),
    numpact.ChecksumError: ("checksum", numpact.CorruptError),
    numpact.LimitExceededError: ("limit exceeded", RuntimeError),
    numpact.OutOfMemoryError: ("out of memory", MemoryError),
    numpact.InputOutputError: ("io", OSError),
    numpact.LockTimeoutError: ("timed out", TimeoutError),
    numpact.CancelledError: ("cancelled", RuntimeError),
    numpact.UnavailableError: ("unavailable", RuntimeError),
    numpact.DeviceError: ("device", RuntimeError),
}


@pytest.mark.parametrize("kind", KINDS)
def test_hierarchy(kind: type[numpact.Error]) -> None:
    words, base = KINDS[kind]
    assert issubclass(kind, base)
    assert issubclass(kind, numpact.Error)
    assert issubclass(kind, RuntimeError)
    assert kind.kind == words
    assert kind.__doc__


@pytest.mark.parametrize("kind", [numpact.Error, *KINDS])
def test_copies(kind: type[numpact.Error]) -> None:
    error: Any = kind("what was wrong", 17, 3)
    error.__dict__["hint"] = "more"
    copies: list[Any] = [pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)]
    for copied in copies:
        assert (copied.offset, copied.chunk, copied.hint) == (17, 3, "more")
        assert str(copied) == "what was wrong"
        assert type(copied) is kind
    assert (kind("").offset, kind("").chunk) == (None, None)


def _chunks() -> bytes:
    return numpact.compress(np.random.default_rng(0).integers(0, 999, 3000), paging=1000)


def test_the_place_of_damage() -> None:
    file = _chunks()
    second = numpact.inspect(file).chunks[1].offset
    damaged = bytearray(file)
    damaged[second + 4 : second + 30] = b"\xff" * 26
    with pytest.raises(numpact.CorruptError) as caught:
        numpact.decompress(damaged)
    error = caught.value
    assert error.chunk == 1
    assert error.offset is not None
    assert second <= error.offset <= second + 30
    assert f"byte {error.offset}" in str(error)
    assert "chunk 1" in str(error)


def test_every_truncation_is_one() -> None:
    file = _chunks()
    for size in [*range(60), *range(60, len(file), 37), len(file) - 1]:
        with pytest.raises(numpact.TruncatedError) as caught:
            numpact.decompress(file[:size])
        assert caught.value.offset is None or caught.value.offset <= size
        with pytest.raises(numpact.TruncatedError):
            len(numpact.open(file[:size]))
        with pytest.raises(numpact.TruncatedError):
            numpact.inspect(file[:size])


def test_mutants_give_numbers_or_errors() -> None:
    file = numpact.compress(np.arange(500) % 37, delta="none")
    damage = (
        numpact.CorruptError,
        numpact.UnsupportedVersionError,
        numpact.LimitExceededError,
        numpact.TypeMismatchError,
    )
    for place in range(len(file)):
        mutant = bytearray(file)
        mutant[place] ^= 0xA5
        with contextlib.suppress(*damage):
            numpact.decompress(mutant, max_output=1 << 20)


def test_newer_versions() -> None:
    file = bytearray(_chunks())
    file[4] = 9
    with pytest.raises(numpact.UnsupportedVersionError, match="newer than 3"):
        numpact.decompress(file)
