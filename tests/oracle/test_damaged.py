# SPDX-License-Identifier: Apache-2.0
"""Cut and damaged files: what the reference refuses we refuse, what it reads we read the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpact_ctypes as numpact
import numpy as np
import pytest
import reference
from cases import SPECS, delta_order, mode_value, same_bits
from distributions import distributions
from numpact_ctypes import DTYPES, Config

CAPACITY = 700  # numbers: more than any file has before it is damaged


def small_file(rng: np.random.Generator, type_name: str, mode: str, delta: str) -> bytes:
    dtype = DTYPES[type_name]
    available = distributions(dtype)
    make = available[rng.integers(0, len(available))]
    config = Config(
        level=int(rng.integers(0, 9)),
        mode=mode,
        mode_value=mode_value(rng, mode, dtype),
        delta=delta,
        delta_order=delta_order(rng, delta),
        max_page_n=int(rng.integers(200, 600)),
    )
    numbers = make(rng, dtype, int(rng.integers(1, 600)))
    if rng.random() < 0.5 or reference.cannot_write(config):
        return numpact.compress(numbers, config)
    return reference.compress(numbers, config)


def damaged(rng: np.random.Generator, file: bytes) -> bytes:
    """One to three bits flipped, most of them near the front, where they mean the most."""
    data = bytearray(file)
    for _ in range(int(rng.integers(1, 4))):
        reach = len(data) if rng.random() < 0.4 else min(len(data), 80)
        bit = int(rng.integers(0, reach * 8))
        data[bit // 8] ^= 1 << (bit % 8)
    return bytes(data)


Reader = Callable[[bytes, np.dtype, int], np.ndarray | None]


def outcome(read: Reader, file: bytes, dtype: np.dtype) -> np.ndarray | str:
    """The numbers, or why there are none."""
    try:
        numbers = read(file, dtype, CAPACITY)
    except numpact.NumpactError as error:
        return error.kind
    except reference.Refused:
        return "refused"
    return "output_too_small" if numbers is None else numbers


def difference(file: bytes, dtype: np.dtype) -> str | None:
    """How reading `file` differs from what the reference makes of it."""
    theirs = outcome(reference.decompress, file, dtype)
    ours = outcome(numpact.decompress, file, dtype)
    if isinstance(theirs, str):
        read = isinstance(ours, np.ndarray)
        return f"pcodec: {theirs}, we read {ours.size} numbers" if read else None
    if isinstance(ours, str):
        # The reference fits a typed file without numbers into any array.
        if theirs.size == 0 and ours == "type_mismatch":
            return None
        return f"pcodec reads {theirs.size} numbers, ours: {ours}"
    if not same_bits(ours, theirs):
        return "the numbers differ"
    counts = numpact.count_numbers(file), numpact.inspect(file)["count"]
    return None if counts == (ours.size, ours.size) else f"{ours.size} numbers, counted {counts}"


def keep_and_fail(problem: str, file: bytes, folder: Path) -> None:
    path = folder / "damaged.pco"
    path.write_bytes(file)
    pytest.fail(f"{problem}\nfile kept in {path}", pytrace=False)


@pytest.mark.parametrize(("type_name", "mode", "delta"), SPECS)
def test_damaged(
    type_name: str, mode: str, delta: str, rng: np.random.Generator, spec_effort: int,
    tmp_path: Path
) -> None:
    for number in range(10 * spec_effort):
        file = small_file(rng, type_name, mode, delta)
        for step in range(30):
            bad = damaged(rng, file)
            problem = difference(bad, DTYPES[type_name])
            if problem:
                keep_and_fail(f"file {number}, damage {step}: {problem}", bad, tmp_path)


def kind_of_error(walk: Callable[[bytes], object], file: bytes) -> str:
    try:
        walk(file)
    except numpact.NumpactError as error:
        return error.kind
    return "none"


@pytest.mark.parametrize("type_name", DTYPES)
def test_cut(type_name: str, rng: np.random.Generator, tmp_path: Path) -> None:
    """Every proper prefix of a file is truncated, and said to be."""
    file = small_file(rng, type_name, "auto", "auto")
    walks: list[Callable[[bytes], object]] = [
        lambda cut: numpact.decompress(cut, DTYPES[type_name], CAPACITY),
        numpact.count_numbers,
        numpact.inspect,
    ]
    for length in range(len(file)):
        kinds = [kind_of_error(walk, file[:length]) for walk in walks]
        if kinds != ["truncated"] * 3:
            keep_and_fail(f"cut at {length} of {len(file)}: {kinds}", file, tmp_path)
