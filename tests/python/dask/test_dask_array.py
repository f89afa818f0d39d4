# SPDX-License-Identifier: Apache-2.0
"""numpact.dask.from_pco: blocks, ranges of bytes, types and errors."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest
from dask_support import Prices, Reads, path_of, put, size_of
from fsspec.implementations.memory import MemoryFileSystem

import numpact
import numpact.dask
from numpact.dask import from_pco, pco_index


def test_a_file_is_a_block(prices: Prices, reads: Reads) -> None:
    folder, numbers = prices
    x = from_pco(f"{folder}/*.pco")
    assert x.chunks == ((5000, 5000, 5000),)
    assert x.dtype == np.float64
    # Only headers so far.
    assert sorted(reads.ranges) == [(f"{path_of(folder)}/day{i}.pco", 0, 32) for i in range(3)]
    reads.clear()
    np.testing.assert_array_equal(x.compute(), numbers)
    sizes = [size_of(f"{folder}/day{i}.pco") for i in range(3)]
    assert sorted(reads.ranges) == [
        (f"{path_of(folder)}/day{i}.pco", 0, sizes[i]) for i in range(3)
    ]


def test_chunks_are_read_by_their_range_alone(prices: Prices, reads: Reads) -> None:
    folder, numbers = prices
    index = pco_index(folder)
    reads.clear()
    x = from_pco(folder, by="chunk", index=index)
    assert x.chunks == ((1000,) * 15,)
    assert reads.ranges == []
    # Chunks 1 and 2 of the second file.
    np.testing.assert_array_equal(x[6500:7500].compute(), numbers[6500:7500])
    file = index.files[1]
    expected = [
        (file.chunks[1].offset, file.chunks[2].offset),
        (file.chunks[2].offset, file.chunks[3].offset),
    ]
    assert sorted(reads.of("day1.pco")) == expected
    assert reads.names == {"day1.pco"}
    assert reads.bytes < size_of(f"{folder}/day1.pco") * 0.45


def test_the_last_chunk_ends_where_it_ends(folder: str, reads: Reads) -> None:
    data = numpact.compress(np.arange(3000), paging=[1000] * 3)
    # Bytes after the end of a file are not part of it, and are not fetched.
    put(f"{folder}/a.pco", data + b"x" * 5000)
    index = pco_index(f"{folder}/a.pco")
    reads.clear()
    x = from_pco(f"{folder}/a.pco", by="chunk", index=index)
    np.testing.assert_array_equal(x[-10:].compute(), np.arange(2990, 3000))
    assert reads.of("a.pco") == [(index.files[0].chunks[2].offset, len(data) - 1)]


@pytest.mark.parametrize(("group", "sizes"), [(2, (2000, 2000, 1000)), (99, (5000,))])
def test_neighbouring_chunks_are_one_range(
    prices: Prices, reads: Reads, group: int, sizes: tuple[int, ...]
) -> None:
    folder, numbers = prices
    index = pco_index(folder)
    x = from_pco(folder, by="chunk", chunks_per_task=group, index=index)
    assert x.chunks == (sizes * 3,)
    reads.clear()
    np.testing.assert_array_equal(x.compute(), numbers)
    assert len(reads.ranges) == len(sizes) * 3


def test_auto_fills_blocks_of_dasks_size(prices: Prices) -> None:
    folder, numbers = prices
    with dask.config.set({"array.chunk-size": "24kB"}):
        x = from_pco(folder, by="chunk", chunks_per_task="auto")
    assert x.chunks == ((3000, 2000) * 3,)
    np.testing.assert_array_equal(x.compute(scheduler="synchronous"), numbers)


def test_by_chunk_walks_each_file_once(prices: Prices, reads: Reads) -> None:
    folder, numbers = prices
    x = from_pco(folder, by="chunk")
    assert len(reads.ranges) == 3
    np.testing.assert_array_equal(x.compute(), numbers)


@pytest.mark.parametrize("scheduler", ["threads", "synchronous"])
def test_local_files(tmp_path: Path, scheduler: str) -> None:
    numbers = np.arange(10_000, dtype=np.uint16)
    names = [tmp_path / f"{i}.pco" for i in range(4)]
    for i, name in enumerate(names):
        name.write_bytes(numpact.compress(numbers[i * 2500 : (i + 1) * 2500], paging=500))
    with dask.config.set(scheduler=scheduler):
        for paths in (names, [str(name) for name in names], tmp_path, f"file://{tmp_path}/?.pco"):
            for by in ("file", "chunk"):
                x = from_pco(paths, by=by)
                np.testing.assert_array_equal(x.compute(), numbers)
        some: Any = da.concatenate([x[10:20], x[7000:7100:7], x[::-1][:5]]).compute()
    expected_value = np.concatenate([numbers[10:20], numbers[7000:7100:7], numbers[::-1][:5]])
    np.testing.assert_array_equal(some, expected_value)


@pytest.mark.parametrize(
    "dtype",
    ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "M8[ns]", "m8[us]", "?"],
)
@pytest.mark.parametrize("by", ["file", "chunk"])
def test_all_types(folder: str, dtype: str, by: Any) -> None:
    numbers = (np.arange(2000) % 100).astype("i8").astype(dtype)
    put(f"{folder}/a.pco", numpact.compress(numbers, paging=300))
    expected_value = dtype if np.dtype(dtype).kind in "mMb" else None
    x = from_pco(f"{folder}/a.pco", by=by, dtype=expected_value)
    assert x.dtype == numbers.dtype
    result = x.compute(scheduler="synchronous")
    assert result.dtype == numbers.dtype
    np.testing.assert_array_equal(result, numbers)


@pytest.mark.parametrize("by", ["file", "chunk"])
def test_writers_that_did_not_know_the_count(tmp_path: Path, by: Any) -> None:
    with numpact.Writer(tmp_path / "a.pco", "int32", paging=100) as writer:
        for start in range(0, 1000, 250):
            writer.write(np.arange(start, start + 250, dtype=np.int32))
    x = from_pco(tmp_path / "a.pco", by=by)
    assert x.shape == (1000,)
    np.testing.assert_array_equal(x.compute(), np.arange(1000))


def test_tasks_can_be_pickled(prices: Prices) -> None:
    folder, numbers = prices
    for by in ("file", "chunk"):
        x = from_pco(folder, by=by)
        again = pickle.loads(pickle.dumps(x))
        np.testing.assert_array_equal(again.compute(scheduler="synchronous"), numbers)
    # The task descriptions in the scheduler stay small.
    assert len(pickle.dumps(dict(x.dask))) / len(x.dask) < 700


def test_names_follow_the_files_state(prices: Prices) -> None:
    folder, numbers = prices
    assert from_pco(folder).name == from_pco(folder).name
    assert from_pco(folder).name != from_pco(folder, by="chunk").name
    before = from_pco(folder).name
    put(f"{folder}/day1.pco", numpact.compress(numbers[:77]))
    assert from_pco(folder).name != before


# ---- empty files ----


@pytest.mark.parametrize("by", ["file", "chunk"])
def test_empty_files_among_others(folder: str, by: Any) -> None:
    put(f"{folder}/a.pco", numpact.compress(np.arange(10.0)))
    put(f"{folder}/b.pco", numpact.compress(np.empty(0, np.float64)))
    x = from_pco(folder, by=by)
    np.testing.assert_array_equal(x.compute(scheduler="synchronous"), np.arange(10.0))


@pytest.mark.parametrize("by", ["file", "chunk"])
def test_nothing_but_an_empty_file(folder: str, by: Any) -> None:
    put(f"{folder}/b.pco", numpact.compress(np.empty(0, np.int64)))
    x = from_pco(folder, by=by, dtype="M8[s]")
    assert x.shape == (0,)
    assert x.compute(scheduler="synchronous").dtype == np.dtype("M8[s]")


def test_an_empty_file_without_a_type(folder: str) -> None:
    header = numpact.compress(np.empty(0, np.float64))
    put(f"{folder}/b.pco", header[:5] + b"\0" + header[6:])
    with pytest.raises(numpact.TypeMismatchError, match="names no type"):
        from_pco(folder)
    assert from_pco(folder, dtype="f4").compute(scheduler="synchronous").dtype == np.float32


# ---- errors ----


def test_absent_files(folder: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        from_pco(f"{folder}/none.pco")
    with pytest.raises(FileNotFoundError):
        from_pco([f"{folder}/none.pco", f"{folder}/neither.pco"])
    with pytest.raises(FileNotFoundError):
        from_pco(f"{folder}/*.pco")
    with pytest.raises(FileNotFoundError):
        from_pco(tmp_path)
    with pytest.raises(FileNotFoundError):
        from_pco(tmp_path / "none.pco", by="chunk")


def test_arguments(prices: Prices) -> None:
    folder, _ = prices
    with pytest.raises(numpact.InvalidArgumentError, match="by must be"):
        from_pco(folder, by="page")  # type: ignore[arg-type]
    with pytest.raises(numpact.InvalidArgumentError, match="chunks_per_task"):
        from_pco(folder, by="chunk", chunks_per_task=0)
    with pytest.raises(numpact.InvalidArgumentError, match="no files"):
        from_pco([])
    with pytest.raises(numpact.InvalidArgumentError, match="nosuch"):
        from_pco("nosuch://bucket/a.pco")
    with pytest.raises(numpact.InvalidArgumentError, match="PcoIndex"):
        from_pco(folder, index=7)  # type: ignore[arg-type]


@pytest.mark.parametrize("by", ["file", "chunk"])
def test_types_that_differ(folder: str, by: Any) -> None:
    put(f"{folder}/a.pco", numpact.compress(np.arange(5)))
    put(f"{folder}/b.pco", numpact.compress(np.arange(5.0)))
    with pytest.raises(numpact.TypeMismatchError, match=r"a\.pco holds i64 .*b\.pco f64"):
        from_pco(folder, by=by)


def test_a_dtype_that_the_numbers_cannot_be(prices: Prices) -> None:
    folder, _ = prices
    with pytest.raises(numpact.TypeMismatchError, match="float64 numbers, not datetime64"):
        from_pco(folder, dtype="M8[ns]")


def test_no_pco_file(folder: str) -> None:
    put(f"{folder}/a.pco", b"PAR1" + bytes(100))
    for by in ("file", "chunk"):
        with pytest.raises(numpact.CorruptError, match=r"memory://.*a\.pco"):
            from_pco(f"{folder}/a.pco", by=by)


def test_truncated_files(prices: Prices) -> None:
    folder, _ = prices
    whole = MemoryFileSystem().cat_file(f"{folder}/day1.pco")
    put(f"{folder}/day1.pco", whole[:-100])
    x = from_pco(folder)
    with pytest.raises(numpact.TruncatedError, match=r"day1\.pco"):
        x.compute(scheduler="synchronous")
    with pytest.raises(numpact.TruncatedError, match=r"day1\.pco"):
        from_pco(folder, by="chunk")
    put(f"{folder}/day1.pco", whole[:6])
    with pytest.raises(numpact.TruncatedError, match=r"day1\.pco"):
        from_pco(folder)


def test_a_file_that_is_cut_off_later(prices: Prices) -> None:
    folder, _ = prices
    by_file, by_chunk = from_pco(folder), from_pco(folder, by="chunk")
    whole = MemoryFileSystem().cat_file(f"{folder}/day2.pco")
    put(f"{folder}/day2.pco", whole[:-1000])
    for x in (by_file, by_chunk):
        with pytest.raises(numpact.TruncatedError, match=r"day2\.pco: ends at byte"):
            x.compute(scheduler="synchronous")


def test_errors_say_where(prices: Prices) -> None:
    folder, _ = prices
    index = pco_index(folder)
    x = from_pco(folder, by="chunk", index=index)
    data = bytearray(MemoryFileSystem().cat_file(f"{folder}/day0.pco"))
    chunk = index.files[0].chunks[3]
    data[chunk.offset] = 99  # no number type
    put(f"{folder}/day0.pco", bytes(data))
    with pytest.raises(numpact.CorruptError, match=rf"day0\.pco, bytes {chunk.offset} to") as info:
        x.compute(scheduler="synchronous")
    assert info.value.offset == chunk.offset


def test_a_header_that_claims_a_wrong_count(folder: str) -> None:
    # The claims of two files of the same size of header, exchanged.
    a, b = (bytearray(numpact.compress(np.arange(n))) for n in (60, 50))
    a[:10] = b[:10]
    put(f"{folder}/a.pco", bytes(a))
    x = from_pco(f"{folder}/a.pco")
    assert x.shape == (50,)
    with pytest.raises(numpact.Error, match=r"a\.pco"):
        x.compute(scheduler="synchronous")
    y = from_pco(f"{folder}/a.pco", index=pco_index(f"{folder}/a.pco"))
    np.testing.assert_array_equal(y.compute(scheduler="synchronous"), np.arange(60))


def test_a_server_that_ignores_ranges(prices: Prices, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, _ = prices
    x = from_pco(folder, by="chunk")
    whole = MemoryFileSystem.cat_file
    monkeypatch.setattr(
        MemoryFileSystem, "cat_file", lambda fs, path, start=None, end=None: whole(fs, path)
    )
    with pytest.raises(numpact.InputOutputError, match="ranges"):
        x.compute(scheduler="synchronous")


def test_ranges_are_asked_for_by_name() -> None:
    from numpact._remote.locations import Location

    class Versioned:
        """As S3's file system: another argument stands before the range."""

        def cat_file(self, path: str, version: Any = None, start: int = 0, end: int = 0) -> bytes:
            assert version is None
            return bytes(range(256))[start:end]

        def unstrip_protocol(self, path: str) -> str:
            return f"versioned://{path}"

    assert Location(Versioned(), "a").read(3, 6) == b"\3\4\5"


def test_errors_of_a_store_are_typed(prices: Prices, monkeypatch: pytest.MonkeyPatch) -> None:
    class ClientError(Exception):
        """As stores' own libraries raise them."""

    def fail(*_: object, **__: object) -> bytes:
        raise ClientError("AccessDenied")

    folder, _ = prices
    x = from_pco(folder, by="chunk")
    monkeypatch.setattr(MemoryFileSystem, "cat_file", fail)
    with pytest.raises(numpact.InputOutputError, match=r"day0\.pco: ClientError: AccessDenied"):
        x[:5].compute(scheduler="synchronous")
    with pytest.raises(numpact.InputOutputError, match="AccessDenied"):
        from_pco(folder)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "dask.array", None)
    with pytest.raises(ImportError, match=r"'\.\[dask\]' in a checkout"):
        from_pco("a.pco")


# ---- counts ----


def _claiming(count: int, numbers: np.ndarray) -> bytes:
    """A file whose header names another count."""
    from numpact import _core
    from numpact._specs import core_options

    options = core_options(8, "auto", "auto", "auto")
    encoder = _core.Encoder("i64", **options, n_hint=count, trailer=0)
    return bytes(encoder.write(numbers)) + bytes(encoder.finish())


@pytest.mark.parametrize("trailer", [False, True, 256])
@pytest.mark.parametrize("root", ["file", "memory"])
def test_a14_append_then_dask(trailer: Any, root: str, tmp_path: Path) -> None:
    path = tmp_path / "a.pco"
    first = np.random.default_rng(0).integers(0, 2**60, 30_000)  # more than small files hold
    for numbers in (np.arange(1000), first):
        path.write_bytes(numpact.compress(numbers, trailer=trailer))
        for more in ([1, 2], np.arange(70_000), []):
            numpact.append(path, more, dtype="int64")
            numbers = np.concatenate([numbers, np.array(more, np.int64)])
            url = str(path)
            if root == "memory":
                url = "memory://appended/a.pco"
                put(url, path.read_bytes())
            x = from_pco(url)
            assert x.shape == numbers.shape
            np.testing.assert_array_equal(x.compute(scheduler="synchronous"), numbers)
            assert x[-2:].compute(scheduler="synchronous").tolist() == numbers[-2:].tolist()


@pytest.mark.parametrize("claim", [1, 999, 1001, 1 << 40, 1 << 62, (1 << 63) - 1, (1 << 64) - 1])
def test_a_header_is_not_believed(claim: int, tmp_path: Path) -> None:
    numbers = np.arange(1000)
    data = _claiming(claim, numbers)
    (tmp_path / "a.pco").write_bytes(data)
    assert from_pco(tmp_path / "a.pco").shape == (1000,)
    put("memory://claims/a.pco", data)
    x = from_pco("memory://claims/a.pco")
    if claim >> 63:
        assert x.shape == (1000,)  # no count at all
        return
    with pytest.raises(numpact.CorruptError, match="pco_index"):
        x.compute(scheduler="synchronous")
    index = pco_index("memory://claims/a.pco")
    y = from_pco("memory://claims/a.pco", index=index)
    np.testing.assert_array_equal(y.compute(scheduler="synchronous"), numbers)


@pytest.mark.parametrize("field", ["counts", "end", "size", "metas"])
@pytest.mark.parametrize("by", ["file", "chunk"])
def test_an_index_that_claims_too_much(field: str, by: Any, tmp_path: Path) -> None:
    """It is an error, or does not matter."""
    import json

    numbers = np.arange(1000)
    path = tmp_path / "a.pco"
    path.write_bytes(numpact.compress(numbers, paging=100))
    document = json.loads(pco_index(path).to_json())
    entry = document["files"][0]
    for delta in (1, 1 << 20, -1, 1 << 62, 1 << 80):
        changed = {**entry, "size": None, "tag": ""}
        if field in ("end", "size"):
            changed["end"] = entry["end"] + delta
            changed["size"] = None if field == "end" else entry["size"] + delta
        else:
            changed[field] = [n + delta for n in entry[field]]
        try:
            index = numpact.dask.PcoIndex.from_json(json.dumps({**document, "files": [changed]}))
            x = from_pco(path, by=by, index=index).compute(scheduler="synchronous")
        except numpact.CorruptError:
            continue
        assert field in ("end", "metas")
        np.testing.assert_array_equal(x, numbers)


@pytest.mark.parametrize("by", ["file", "chunk"])
@pytest.mark.parametrize("rest", [numpact.compress(np.arange(9)), b"xyz"], ids=["a file", "bytes"])
def test_bytes_behind_a_file_are_warned_of(by: str, rest: bytes, tmp_path: Path) -> None:
    numbers = np.arange(1000)
    file = numpact.compress(numbers, trailer=True)
    path = tmp_path / "joined.pco"
    path.write_bytes(file + rest)
    with pytest.warns(numpact.TrailingBytesWarning, match=f"joined.pco: at byte {len(file)}: "):
        found = from_pco(path, by=by).compute(scheduler="synchronous")
    np.testing.assert_array_equal(found, numbers)
