# SPDX-License-Identifier: Apache-2.0
"""Trailers of remote files: no walk, and damage that tasks notice."""

from __future__ import annotations

import json
from pathlib import Path

import dask.array as da
import numpy as np
import pytest
from dask_support import Reads, put
from fsspec.implementations.memory import MemoryFileSystem

import numpact
from numpact._remote import chunk_index
from numpact.dask import PcoIndex, from_pco, pco_index, to_pco

NUMBERS = np.random.default_rng(8).random(20_000)
FILE = numpact.compress(NUMBERS, paging=1000, trailer=True)
PLAIN = numpact.compress(NUMBERS, paging=1000)
CHUNKS = numpact.open(PLAIN).chunks


def changed(file: bytes, at: int) -> bytes:
    return file[:at] + bytes([file[at] ^ 1]) + file[at + 1 :]


def test_no_more_is_read_than_the_end_and_the_header(folder: str, reads: Reads) -> None:
    size = put(f"{folder}/a.pco", FILE)
    index = pco_index(f"{folder}/a.pco")
    assert reads.of("a.pco") == [(size - 4096, size), (0, 32)]
    (entry,) = index
    assert list(entry.chunks) == CHUNKS
    assert (entry.type, entry.count, entry.end) == ("f64", NUMBERS.size, len(PLAIN) - 1)
    assert len(entry.crcs) == len(CHUNKS)
    put(f"{folder}/a.pco", PLAIN)
    (walked,) = pco_index(f"{folder}/a.pco")
    assert (walked.chunks, walked.header, walked.crcs) == (entry.chunks, entry.header, ())


@pytest.mark.parametrize("size", [len(FILE), 9000])  # looked at from both ends, or read whole
def test_a_changed_header_is_found(folder: str, size: int) -> None:
    file = FILE if size == len(FILE) else numpact.compress(NUMBERS[:1000], trailer=True)
    put(f"{folder}/a.pco", changed(file, 7))  # how many numbers it says there are
    with pytest.raises(numpact.ChecksumError, match=r"a\.pco: .*header has another checksum"):
        pco_index(f"{folder}/a.pco")


def test_a_trailer_that_is_longer_than_the_first_look(
    folder: str, reads: Reads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunk_index, "_TAIL_BYTES", 30)
    size = put(f"{folder}/a.pco", FILE)
    (entry,) = pco_index(f"{folder}/a.pco")
    assert list(entry.chunks) == CHUNKS
    assert reads.of("a.pco") == [(size - 30, size), (len(PLAIN), size), (0, 32)]
    # None is fetched that would not fit in memory.
    monkeypatch.setattr(chunk_index, "_MEMORY_BYTES", 100)
    reads.clear()
    assert [len(file.crcs) for file in pco_index(f"{folder}/a.pco")] == [len(CHUNKS)]
    assert (len(PLAIN), size) not in reads.of("a.pco")


def test_files_whose_writer_did_not_know_the_count(tmp_path: Path) -> None:
    with numpact.Writer(tmp_path / "a.pco", "f8", paging=1000, trailer=4096) as writer:
        writer.write(NUMBERS)
    np.testing.assert_array_equal(from_pco(tmp_path / "a.pco").compute(), NUMBERS)


@pytest.mark.parametrize("at", [-1, -20, -100, len(PLAIN) + 50])
def test_a_damaged_trailer_is_left_aside(folder: str, reads: Reads, at: int) -> None:
    put(f"{folder}/a.pco", changed(FILE, at % len(FILE)))
    (entry,) = pco_index(f"{folder}/a.pco")
    assert list(entry.chunks) == CHUNKS
    assert entry.crcs == ()


def test_the_trailer_of_another_file(folder: str) -> None:
    longer = numpact.compress(np.arange(20_000), paging=2000)
    with_other = longer + FILE[len(PLAIN) :]
    put(f"{folder}/a.pco", with_other)
    x = from_pco(f"{folder}/a.pco", by="chunk")
    np.testing.assert_array_equal(x.compute(), np.arange(20_000))


def test_a_server_without_ranges(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    put(f"{folder}/a.pco", FILE)
    read = MemoryFileSystem.cat_file
    monkeypatch.setattr(MemoryFileSystem, "cat_file", lambda self, path, *_, **__: read(self, path))
    (entry,) = pco_index(f"{folder}/a.pco")
    assert list(entry.chunks) == CHUNKS


def test_tasks_notice_damage(folder: str) -> None:
    url = f"{folder}/a.pco"
    put(url, FILE)
    index = PcoIndex.from_json(pco_index(url).to_json())
    np.testing.assert_array_equal(from_pco(url, by="chunk", index=index).compute(), NUMBERS)
    put(url, changed(FILE, CHUNKS[7].offset + 100))
    for x in (from_pco(url, by="chunk"), from_pco(url, by="chunk", chunks_per_task=5)):
        np.testing.assert_array_equal(x[:5000].compute(), NUMBERS[:5000])
        with pytest.raises(numpact.ChecksumError, match=r"a\.pco.*chunk 7 has") as caught:
            x[5000:10_000].compute()
        assert caught.value.chunk == 7
        assert caught.value.offset == CHUNKS[7].offset
    with pytest.raises(numpact.ChecksumError):
        from_pco(url).compute()


def test_to_pco(tmp_path: Path) -> None:
    index = to_pco(da.from_array(NUMBERS, chunks=5000), tmp_path, paging=1000, trailer=True)
    assert [len(file.crcs) for file in index] == [5] * 4
    assert pco_index(tmp_path) == index
    assert PcoIndex.from_json(index.to_json()) == index
    assert all(numpact.read_trailer(path) is not None for path in tmp_path.iterdir())
    with pytest.raises(numpact.InvalidArgumentError, match="trailer is"):
        to_pco(da.from_array(NUMBERS, chunks=5000), tmp_path / "b", trailer=3)


def test_checksums_that_cannot_be() -> None:
    document = {"url": "memory://a", "size": 99, "tag": "", "type": "f64", "header": "00" * 9}
    document |= {"end": 60, "offset_steps": [9], "metas": [20], "counts": [5]}
    for crcs, fits in (([5], True), ([5, 6], False), ("x", False), ([1.5], False)):
        index = {"format": "numpact-pco-index", "version": 1, "files": [document | {"crcs": crcs}]}
        if fits:
            assert PcoIndex.from_json(json.dumps(index)).files[0].crcs == (5,)
        else:
            with pytest.raises(numpact.CorruptError):
                PcoIndex.from_json(json.dumps(index))
