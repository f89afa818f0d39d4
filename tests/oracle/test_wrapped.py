# SPDX-License-Identifier: Apache-2.0
"""The wrapped format, in both directions: header, metadata and pages in any order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpact_ctypes as numpact
import numpy as np
import pytest
import reference
import wrapped_ctypes
from cases import SPECS, Case, Reporter, expect_same, random_case, random_sizes
from size_bounds import meta_bound, page_bound

JUNK = bytes(range(200, 256)) * 4  # what may follow in the engine's own file


def cut_into_pages(rng: np.random.Generator, case: Case) -> Case:
    config = replace(case.config, page_sizes=random_sizes(rng, case.numbers.size), max_page_n=None)
    return replace(case, config=config)


def shuffled_pages(rng: np.random.Generator, sizes: list[int]) -> list[tuple[int, int, int]]:
    """(page, first number, numbers) in random order."""
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return [(int(p), int(starts[p]), int(sizes[p])) for p in rng.permutation(len(sizes))]


def check_ours(rng: np.random.Generator, case: Case) -> None:
    encoder = wrapped_ctypes.ChunkEncoder(case.numbers, case.config)
    sizes, meta, header = encoder.page_sizes(), encoder.meta(), wrapped_ctypes.wrapped_header()
    assert sizes == list(case.config.page_sizes or [])
    dtype = case.numbers.dtype
    theirs = reference.ChunkReader(header + JUNK, meta + JUNK, case.type, dtype)
    assert (theirs.header_size, theirs.meta_size) == (len(header), len(meta))
    ours = wrapped_ctypes.ChunkDecoder(meta + JUNK, case.type)
    assert ours.meta_size == len(meta)
    by_ours, by_theirs = np.zeros_like(case.numbers), np.zeros_like(case.numbers)
    total = len(meta)
    for page, start, count in shuffled_pages(rng, sizes):
        data = encoder.page(page)
        total += len(data)
        part, consumed = theirs.page(data + JUNK, count)
        assert consumed == len(data)
        by_theirs[start : start + count] = part
        part, consumed = ours.page(data + JUNK, count)
        assert consumed == len(data)
        by_ours[start : start + count] = part
    expect_same("ours -> pcodec", by_theirs, case)
    expect_same("ours -> ours", by_ours, case)
    bound = meta_bound(case.type) + sum(page_bound(case.type, count) for count in sizes)
    assert total <= bound, f"{total} bytes, Classic with one bin takes {bound}"


def check_theirs(rng: np.random.Generator, case: Case) -> None:
    try:
        chunk = reference.Chunk(case.numbers, case.config)
    except reference.Refused:
        assert reference.cannot_write(case.config)
        return
    major, minor, consumed = wrapped_ctypes.read_wrapped_header(chunk.header + JUNK)
    assert consumed == len(chunk.header)
    decoder = wrapped_ctypes.ChunkDecoder(chunk.meta + JUNK, case.type, major, minor)
    assert decoder.meta_size == len(chunk.meta)
    read = np.zeros_like(case.numbers)
    for page, start, count in shuffled_pages(rng, chunk.page_sizes):
        data = chunk.pages[page]
        part, consumed = decoder.page(data + JUNK, count)
        assert consumed == len(data)
        read[start : start + count] = part
        check_first_numbers(rng, decoder, data, part)
    expect_same("pcodec -> ours", read, case)


def check_first_numbers(
    rng: np.random.Generator, decoder: wrapped_ctypes.ChunkDecoder, page: bytes, numbers: np.ndarray
) -> None:
    capacity = int(rng.integers(0, numbers.size))
    part, consumed = decoder.page(page, numbers.size, capacity)
    assert consumed <= len(page)
    assert part.tobytes() == numbers[:capacity].tobytes(), f"first {capacity} of {numbers.size}"


@pytest.mark.parametrize(("type_name", "mode", "delta"), SPECS)
def test_wrapped(
    type_name: str, mode: str, delta: str, rng: np.random.Generator, spec_effort: int,
    tmp_path: Path
) -> None:
    for number in range(27 * spec_effort):
        case = cut_into_pages(rng, random_case(rng, type_name, mode, delta))
        with Reporter(case, number, tmp_path):
            check_ours(rng, case)
            check_theirs(rng, case)
