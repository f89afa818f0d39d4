# SPDX-License-Identifier: Apache-2.0
"""Standalone files, in both directions: ours read by the reference, the reference's by us."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpact_ctypes as numpact
import numpy as np
import pytest
import reference
from cases import (
    SPECS,
    USUAL_SPECS,
    Case,
    Reporter,
    expect_same,
    random_case,
    random_level,
    random_spec,
)
from distributions import distributions
from numpact_ctypes import DTYPES, Config
from size_bounds import automatic_size, automatic_sizes, equal_sizes, file_bound

SLACK = 300  # numbers of capacity past the count, so that a reader could write too many


def check_sizes(case: Case, chunk_counts: list[int]) -> None:
    """The numbers in each chunk, which automatic paging chooses within the level's limit."""
    if case.config.page_sizes is not None:
        assert chunk_counts == list(case.config.page_sizes)
    elif case.config.max_page_n is not None:
        # The order of nearly equal pages is not fixed.
        expected = equal_sizes(case.numbers.size, case.config.max_page_n)
        assert sorted(chunk_counts) == sorted(expected)
    else:
        assert sum(chunk_counts) == case.numbers.size
        assert all(0 < count <= automatic_size(case.config.level) for count in chunk_counts)


def check_description(case: Case, file: bytes) -> None:
    """Header, count and inspection agree with what was put in, and the size is bounded."""
    header, info = numpact.read_header(file), numpact.inspect(file)
    count, type_byte = case.numbers.size, numpact.TYPE_BYTES[case.type]
    uniform = case.config.uniform_type
    assert header.n_hint == count
    assert header.uniform_type == (type_byte if uniform else 0)
    assert header.number_type == (type_byte if uniform or count else 0)
    assert (header.standalone_version, header.format_major, header.format_minor) == (3, 4, 1)
    assert numpact.count_numbers(file) == count
    assert (info["count"], info["file_bytes"], info["trailing_bytes"]) == (count, len(file), 0)
    chunk_counts = [chunk["count"] for chunk in info["chunks"]]
    check_sizes(case, chunk_counts)
    # Chunks that are cut further may take no more than what they were cut from.
    runs = chunk_counts
    if case.config.max_page_n is not None:
        runs = equal_sizes(count, case.config.max_page_n)
    elif case.config.page_sizes is None:
        runs = automatic_sizes(count, case.config.level)
    bound = file_bound(case.type, runs)
    assert len(file) <= bound, f"{len(file)} bytes, Classic with one bin takes {bound}"
    assert numpact.compress_bound(case.numbers, case.config) >= bound


def check_ours(case: Case) -> None:
    file = numpact.compress(case.numbers, case.config)
    dtype, count = case.numbers.dtype, case.numbers.size
    expect_same("ours -> ours", numpact.decompress(file, dtype, count), case)
    expect_same("ours -> ours, room", numpact.decompress(file, dtype, count + SLACK), case)
    expect_same("ours -> pcodec", reference.decompress(file, dtype, count + SLACK), case)
    check_description(case, file)


def check_theirs(case: Case) -> None:
    try:
        file = reference.compress(case.numbers, case.config)
    except reference.Refused:
        assert reference.cannot_write(case.config)
        return
    dtype, count = case.numbers.dtype, case.numbers.size
    expect_same("pcodec -> ours", numpact.decompress(file, dtype, count), case)
    expect_same("pcodec -> ours, room", numpact.decompress(file, dtype, count + SLACK), case)
    assert numpact.count_numbers(file) == count
    info = numpact.inspect(file)
    assert (info["count"], info["file_bytes"]) == (count, len(file))


def check(case: Case) -> None:
    check_ours(case)
    check_theirs(case)


@pytest.mark.parametrize(
    ("type_name", "mode", "delta"),
    [pytest.param(*s, marks=[] if s in USUAL_SPECS else [pytest.mark.slow]) for s in SPECS],
)
def test_spec(
    type_name: str, mode: str, delta: str, rng: np.random.Generator, spec_effort: int,
    tmp_path: Path
) -> None:
    for number in range(100 * spec_effort):
        case = random_case(rng, type_name, mode, delta)
        with Reporter(case, number, tmp_path):
            check(case)


KINDS = [(t, make.__name__) for t in DTYPES for make in distributions(DTYPES[t])]


@pytest.mark.parametrize(("type_name", "kind"), KINDS)
def test_automatic(
    type_name: str, kind: str, rng: np.random.Generator, effort: int, tmp_path: Path
) -> None:
    """The usual calls: every kind of numbers, no spec, several lengths."""
    dtype = DTYPES[type_name]
    make = next(m for m in distributions(dtype) if m.__name__ == kind)
    counts = [1, 256, 257, 5000, int(rng.integers(2, 12000))] * effort
    for number, count in enumerate(counts):
        config = Config(level=random_level(rng))
        case = Case(type_name, kind, make(rng, dtype, count), config)
        with Reporter(case, number, tmp_path):
            check(case)


@pytest.mark.parametrize("type_name", DTYPES)
def test_levels(
    type_name: str, rng: np.random.Generator, effort: int, tmp_path: Path
) -> None:
    for number, level in enumerate(list(range(13)) * 5 * effort):
        mode, delta = random_spec(rng, type_name)
        case = random_case(rng, type_name, mode, delta)
        case = replace(case, config=replace(case.config, level=level))
        with Reporter(case, number, tmp_path):
            check(case)


@pytest.mark.parametrize("type_name", DTYPES)
def test_default_paging(
    type_name: str, rng: np.random.Generator, effort: int, tmp_path: Path
) -> None:
    """Counts about the longest chunks: 2^18 numbers at low levels."""
    dtype = DTYPES[type_name]
    available = distributions(dtype)
    for number in range(4 * effort):
        make = available[rng.integers(0, len(available))]
        count = int(rng.choice([2**18 - 1, 2**18, 2**18 + 1, 2**19 + 3]))
        config = Config(level=int(rng.choice([1, 5, 8])))
        case = Case(type_name, make.__name__, make(rng, dtype, count), config)
        with Reporter(case, number, tmp_path):
            check(case)


@pytest.mark.parametrize("type_name", DTYPES)
@pytest.mark.parametrize("uniform", [True, False])
def test_empty(type_name: str, uniform: bool) -> None:
    dtype = DTYPES[type_name]
    empty = np.empty(0, dtype)
    file = numpact.compress(empty, Config(uniform_type=uniform))
    header = numpact.read_header(file)
    assert header.uniform_type == (numpact.type_byte(empty) if uniform else 0)
    assert numpact.decompress(file, dtype, 10).size == 0
    read = reference.standalone.simple_decompress(file)
    if uniform:
        assert read.dtype == dtype and read.size == 0
    else:
        assert read is None
    theirs = reference.compress(empty)
    assert numpact.decompress(theirs, dtype, 0).size == 0
    assert numpact.count_numbers(theirs) == 0


@pytest.mark.parametrize("type_name", DTYPES)
def test_repeated_calls_give_the_same_bytes(type_name: str, rng: np.random.Generator) -> None:
    """A context that served other calls changes nothing."""
    for _ in range(5):
        case = random_case(rng, type_name, *random_spec(rng, type_name))
        compressor = numpact.Compressor(case.numbers, case.config)
        first = compressor.result(compressor.run())
        again = compressor.result(compressor.run())
        assert first == again == numpact.compress(case.numbers, case.config), str(case)


@pytest.mark.slow
def test_largest_chunk(rng: np.random.Generator) -> None:
    numbers = np.cumsum(rng.integers(0, 3, 2**24)).astype(np.uint32)
    file = numpact.compress(numbers, Config(max_page_n=2**24))
    assert len(numpact.inspect(file)["chunks"]) == 1
    for read in (numpact.decompress, reference.decompress):
        assert np.array_equal(read(file, numbers.dtype, numbers.size), numbers)
