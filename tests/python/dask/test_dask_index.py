# SPDX-License-Identifier: Apache-2.0
"""PcoIndex: what it holds, how it is kept, and when it is no longer true."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dask_support import Prices, Reads, put

import numpact
from numpact._remote import chunk_index
from numpact.dask import PcoIndex, from_pco, pco_index


def test_it_says_what_open_says(prices: Prices, tmp_path: Path) -> None:
    numbers = prices[1]
    path = tmp_path / "a.pco"
    path.write_bytes(numpact.compress(numbers, paging=700))
    index = pco_index(path)
    (file,) = index
    with numpact.open(path) as opened:
        assert list(file.chunks) == opened.chunks
        assert (file.type, file.count) == ("f64", len(opened))
    assert file.url == f"file://{path}"
    assert file.end == path.stat().st_size - 1
    assert index.get(file.url) is file
    assert repr(index) == "<numpact PcoIndex: 1 files, 22 chunks, 15,000 numbers>"
    # Chunks that were found once save numpact.open the walk.
    with numpact.open(path, chunks=list(file.chunks)) as opened:
        np.testing.assert_array_equal(opened[5000:5010], numbers[5000:5010])


def test_json_round_trip(prices: Prices, tmp_path: Path, reads: Reads) -> None:
    folder, numbers = prices
    index = pco_index(folder)
    again = PcoIndex.from_json(index.to_json())
    assert again == index
    assert hash(again) == hash(index)
    assert again.to_json() == index.to_json()
    assert pickle.loads(pickle.dumps(index)) == index
    for url in (tmp_path / "index.json", f"{folder}/index.json"):
        index.save(url)
        reads.clear()
        x = from_pco(folder, by="chunk", index=url)
        # The walk is not done again.
        assert reads.names <= {"index.json"}
        np.testing.assert_array_equal(x[:1000].compute(), numbers[:1000])


def test_large_files_that_are_not_local(
    prices: Prices, monkeypatch: pytest.MonkeyPatch, reads: Reads
) -> None:
    folder, _ = prices
    in_memory = pco_index(folder)
    monkeypatch.setattr(chunk_index, "_MEMORY_BYTES", 100)
    monkeypatch.setattr(chunk_index, "_BLOCK_BYTES", 1000)
    reads.clear()
    assert pco_index(folder) == in_memory
    assert max(stop - start for _, start, stop in reads.ranges) == 1000


def test_files_known_before_are_not_walked_again(prices: Prices, reads: Reads) -> None:
    folder, numbers = prices
    index = pco_index(folder)
    put(f"{folder}/day3.pco", numpact.compress(numbers[:50]))
    put(f"{folder}/day1.pco", numpact.compress(numbers[:60]))
    reads.clear()
    newer = pco_index(folder, known=index)
    assert reads.names == {"day1.pco", "day3.pco"}
    assert [file.count for file in newer] == [5000, 60, 5000, 50]
    reads.clear()
    assert pco_index(folder, known=newer) == newer
    assert reads.ranges == []


# ---- stale ----


def test_a_file_that_changed_its_size(prices: Prices) -> None:
    folder, numbers = prices
    index = pco_index(folder)
    put(f"{folder}/day1.pco", numpact.compress(numbers[:60]))
    for by in ("file", "chunk"):
        with pytest.raises(numpact.CorruptError, match=r"day1\.pco: was \d+ bytes"):
            from_pco(folder, by=by, index=index)


def test_a_file_that_was_replaced_by_one_of_the_same_size(tmp_path: Path) -> None:
    path = tmp_path / "a.pco"
    data = numpact.compress(np.arange(100))
    path.write_bytes(data)
    index = pco_index(path)
    from_pco(path, index=index)
    path.write_bytes(data)
    os.utime(path, (1, 1))
    with pytest.raises(numpact.CorruptError, match=r"a\.pco: was replaced"):
        from_pco(path, index=index)


def test_an_etag_goes_before_the_time() -> None:
    from numpact._remote.locations import stamp_of

    info = {"size": 5, "ETag": '"abc"', "LastModified": "today"}
    assert stamp_of(info) == stamp_of(info | {"LastModified": "tomorrow"})
    assert stamp_of(info) != stamp_of(info | {"ETag": '"abd"'})
    assert stamp_of(info) != stamp_of(info | {"size": 6})
    assert stamp_of({}).size is None


def test_a_file_that_the_index_lacks(prices: Prices) -> None:
    folder, numbers = prices
    index = pco_index(folder)
    put(f"{folder}/day9.pco", numpact.compress(numbers))
    with pytest.raises(numpact.InvalidArgumentError, match=r"day9\.pco: not in the index"):
        from_pco(folder, index=index)
    # One that is gone is not asked for.
    assert from_pco(f"{folder}/day0.pco", index=index).shape == (5000,)


# ---- an index of another origin ----


def _broken(index: PcoIndex, change: Any) -> str:
    document = json.loads(index.to_json())
    change(document)
    return json.dumps(document)


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(format="other"),
        lambda d: d.pop("files"),
        lambda d: d.update(files=[3]),
        lambda d: d.update(dtype=4),
        lambda d: d["files"][0].pop("url"),
        lambda d: d["files"][0].update(url=5),
        lambda d: d["files"][0].update(header="zz"),
        lambda d: d["files"][0].update(header=""),
        lambda d: d["files"][0].update(type=None),
        lambda d: d["files"][0].update(type="f99"),
        lambda d: d["files"][0].update(end=10**9),
        lambda d: d["files"][0].update(size="5"),
        lambda d: d["files"][0]["counts"].pop(),
        lambda d: d["files"][0]["counts"].__setitem__(1, 0),
        lambda d: d["files"][0]["counts"].__setitem__(1, 1 << 25),
        lambda d: d["files"][0]["counts"].__setitem__(1, 1.5),
        lambda d: d["files"][0]["offset_steps"].__setitem__(1, -5),
        lambda d: d["files"][0]["offset_steps"].__setitem__(0, 13),
        lambda d: d["files"][0]["metas"].__setitem__(0, 10**6),
    ],
)
def test_damaged_indexes(prices: Prices, change: Any) -> None:
    index = pco_index(prices[0])
    with pytest.raises(numpact.CorruptError, match="index"):
        PcoIndex.from_json(_broken(index, change))


def test_no_index(prices: Prices) -> None:
    for text in ("", "[]", "null", "{", b"\xff"):
        with pytest.raises(numpact.CorruptError):
            PcoIndex.from_json(text)
    newer = _broken(pco_index(prices[0]), lambda d: d.update(version=2))
    with pytest.raises(numpact.UnsupportedVersionError):
        PcoIndex.from_json(newer)


def test_a_lying_index_gives_an_error_and_no_numbers(prices: Prices) -> None:
    folder, _ = prices
    index = pco_index(folder)

    def shift(document: Any) -> None:
        file = document["files"][0]
        file["counts"][1] -= 1
        file["counts"][2] += 1

    wrong = PcoIndex.from_json(_broken(index, shift))
    x = from_pco(folder, by="chunk", index=wrong)
    with pytest.raises(numpact.Error, match=r"day0\.pco"):
        x[1000:1500].compute(scheduler="synchronous")
