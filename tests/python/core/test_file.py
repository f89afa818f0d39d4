# SPDX-License-Identifier: Apache-2.0
"""Parts of files: as slices of the array, from many threads, and of files that go away."""

from __future__ import annotations

import io
import mmap
import os
import pickle
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import numpact

NUMBERS = np.random.default_rng(3).integers(-500, 500, 2500).astype(np.int32)
PACKED = numpact.compress(NUMBERS, paging=300)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "numbers.pco"
    path.write_bytes(PACKED)
    return path


def test_it_looks_like_an_array(path: Path) -> None:
    with numpact.open(path) as f:
        assert repr(f) == f"<numpact.File {str(path)!r}: int32>"
        assert len(f) == f.size == 2500
        assert f.shape == (2500,)
        assert f.ndim == 1
        assert f.dtype == np.int32
        assert f.nbytes == 10_000
        assert f.format_version == (4, 1)
        assert "2,500 numbers" in repr(f)
        np.testing.assert_array_equal(np.asarray(f), NUMBERS)
        np.testing.assert_array_equal(np.asarray(f, np.float64), NUMBERS.astype(float))
        np.testing.assert_array_equal(np.concatenate(list(f)), NUMBERS)
        assert [chunk.count for chunk in f.chunks] == [len(part) for part in f]
        assert numpact.decompress(numpact.compress(f)).tolist() == NUMBERS.tolist()


def test_any_slice_is_numpys() -> None:
    f = numpact.open(PACKED)
    rng = random.Random(1)
    bounds = [None, 0, 1, -1, 299, 300, 301, 2499, 2500, 2501, -2500, -2501, 10**9, -(10**9)]
    steps = [None, 1, -1, 2, -2, 7, -300, 299, 2499, 2500, 10**9, -(10**9), 2**70]
    keys = [slice(a, b) for a in bounds for b in bounds]
    keys += [
        slice(
            rng.choice([*bounds, rng.randrange(-2600, 2600)]),
            rng.choice([*bounds, rng.randrange(-2600, 2600)]),
            rng.choice(steps),
        )
        for _ in range(1500)
    ]
    for key in keys:
        found, expected = f[key], NUMBERS[key]
        assert found.dtype == expected.dtype
        assert found.tobytes() == expected.tobytes(), key
        assert found.base is None, "holds on to what it leaves out"


def test_wide_steps_are_read_in_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    from numpact import _file

    monkeypatch.setattr(_file, "_MAX_WINDOW", 100)
    f = numpact.open(PACKED)
    for step in (2, 3, 99, 100, 101, 1200, -2, -99, -100, -333):
        np.testing.assert_array_equal(f[::step], NUMBERS[::step])
        np.testing.assert_array_equal(f[17:2301:step], NUMBERS[17:2301:step])
        np.testing.assert_array_equal(f[2301:17:step], NUMBERS[2301:17:step])


@pytest.mark.parametrize("key", [0, 5, -1, 2499, -2500, 300, np.int8(7), np.uint64(9), (4,)])
def test_an_index_gives_a_number(key: Any) -> None:
    found = numpact.open(PACKED)[key]
    assert isinstance(found, np.int32)
    assert found == NUMBERS[key]


@pytest.mark.parametrize("key", [..., (), (...,), (..., slice(3, 9)), (slice(3, 9), ...)])
def test_ellipses(key: Any) -> None:
    np.testing.assert_array_equal(numpact.open(PACKED)[key], NUMBERS[key])


@pytest.mark.parametrize(
    "key",
    [2500, -2501, 2**70, "a", 1.0, None, True, False, np.True_, [1, 2], np.array([1, 2]), (1, 2),
     NUMBERS > 0, (None,), (True,)],
    ids=lambda key: repr(key)[:20],
)  # fmt: skip
def test_other_indexes(key: Any) -> None:
    with pytest.raises(IndexError):
        numpact.open(PACKED)[key]


def test_slices_of_things_that_are_no_numbers() -> None:
    with pytest.raises(TypeError):
        numpact.open(PACKED)["a":"b"]
    with pytest.raises(ValueError, match="zero"):
        numpact.open(PACKED)[::0]


@pytest.mark.parametrize(
    ("first", "count"), [(-1, 1), (0, -1), (0, 2501), (2500, 1), (2**64, 0), (0, 2**64), (2**70, 1)]
)
def test_ranges_past_the_end(first: int, count: int) -> None:
    with pytest.raises(numpact.InvalidArgumentError):
        numpact.open(PACKED).read(first, count)


def test_read_into() -> None:
    f = numpact.open(PACKED)
    out = np.full(700, -1, np.int32)
    f.read_into(250, out[:600])
    np.testing.assert_array_equal(out[:600], NUMBERS[250:850])
    assert (out[600:] == -1).all()
    f.read_into(2500, out[:0])
    for bad in (out.astype(np.int64), out[::2], [1, 2], np.frombuffer(bytes(8), np.int32)):
        with pytest.raises(numpact.Error):
            f.read_into(0, bad)
    for first in (-1, 1801, 2**70):
        with pytest.raises(numpact.InvalidArgumentError):
            f.read_into(first, out)


def test_only_the_chunks_that_are_needed_are_decoded() -> None:
    chunks = numpact.open(PACKED).chunks
    damaged = bytearray(PACKED)
    middle = chunks[4]
    damaged[middle.offset + 8 : chunks[5].offset] = b"\xff" * (chunks[5].offset - middle.offset - 8)
    f = numpact.open(damaged, chunks=chunks)
    end = middle.first + middle.count
    np.testing.assert_array_equal(f[: middle.first], NUMBERS[: middle.first])
    np.testing.assert_array_equal(f[end:], NUMBERS[end:])
    with pytest.raises(numpact.CorruptError):
        f[middle.first]


def test_tables_of_chunks_that_do_not_fit() -> None:
    chunks = numpact.open(PACKED).chunks
    moved = [numpact.Chunk(c.offset + 1, c.page_offset + 1, c.first, c.count) for c in chunks]
    for wrong in (
        moved,
        chunks[1:],
        chunks[::-1],
        [numpact.Chunk(0, 0, 0, 2**64)],
        [numpact.Chunk(-1, 0, 0, 5)],
        [numpact.Chunk(10**6, 10**6 + 9, 0, 5)],
    ):
        with pytest.raises(numpact.Error):
            numpact.open(PACKED, chunks=wrong)[:]


# ---- where it comes from ----


def test_sources(path: Path) -> None:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        sources: list[Any] = [
            str(path), path, PACKED, bytearray(PACKED), memoryview(PACKED),
            np.frombuffer(PACKED, np.uint8), io.BytesIO(PACKED), path.open("rb"),
            path.open("rb", buffering=0), mapped,
        ]  # fmt: skip
        for source in sources:
            with numpact.open(source) as f:
                np.testing.assert_array_equal(f[290:310], NUMBERS[290:310])
            assert numpact.inspect(path if isinstance(source, io.IOBase) else source).count == 2500
        # Mapped files are not read, and are let go of.
        assert mapped.tell() == 0


def test_a_path_of_bytes_like_os(path: Path) -> None:
    class Fs:
        def __fspath__(self) -> bytes:
            return os.fsencode(path)

    assert len(numpact.open(Fs())) == 2500  # type: ignore[arg-type]


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="absent"):
        numpact.open(tmp_path / "absent.pco")
    with pytest.raises(FileNotFoundError, match="absent"):
        numpact.inspect(tmp_path / "absent.pco")
    if os.name == "posix":
        with pytest.raises(IsADirectoryError):
            numpact.open(tmp_path)
    empty = tmp_path / "empty"
    empty.touch()
    for source in (empty, b"", io.BytesIO()):
        with pytest.raises(numpact.TruncatedError):
            numpact.open(source)
    for text in (io.StringIO("pco!"), (tmp_path / "empty").open("r")):
        with pytest.raises(numpact.InvalidArgumentError, match="binary"):
            numpact.open(text)  # type: ignore[arg-type]
    for other in (None, 5, object(), [1, 2]):
        with pytest.raises(TypeError):
            numpact.open(other)  # type: ignore[arg-type]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_pipes_are_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(PACKED))
    writer.start()
    assert len(numpact.open(pipe)) == 2500
    writer.join()


def test_a_damaged_header_is_reported_at_once_and_a_chunk_when_it_is_needed(path: Path) -> None:
    with pytest.raises(numpact.CorruptError):
        numpact.open(b"no Pco file at all")
    path.write_bytes(PACKED[:-3])
    f = numpact.open(path)
    with pytest.raises(numpact.TruncatedError) as caught:
        len(f)
    assert caught.value.chunk == 8
    assert caught.value.offset is not None
    assert caught.value.offset >= 2


def test_a_file_that_is_replaced_stays_as_it_was(path: Path) -> None:
    f = numpact.open(path)
    first = f[:10]
    with numpact.Writer(path, np.int32) as writer:
        writer.write(np.zeros(5, np.int32))
    np.testing.assert_array_equal(f[:], NUMBERS)
    assert len(numpact.open(path)) == 5
    path.unlink()
    np.testing.assert_array_equal(f[:10], first)


def test_closed(path: Path) -> None:
    f = numpact.open(path)
    part = f[5:10]
    f.close()
    f.close()
    assert repr(f).endswith("closed>")
    for use in (lambda: len(f), lambda: f[0], lambda: f[:], lambda: list(f), lambda: f.read(0, 1)):
        with pytest.raises(ValueError, match="closed"):
            use()
    np.testing.assert_array_equal(part, NUMBERS[5:10])


def test_buffers_are_let_go_of() -> None:
    buf = bytearray(PACKED)
    f = numpact.open(buf)
    assert f[3] == NUMBERS[3]
    with pytest.raises(BufferError):
        buf.clear()
    f.close()
    buf.clear()


# ---- several at a time ----


def test_many_threads_on_one_file(path: Path) -> None:
    for _ in range(20):
        f = numpact.open(path)
        barrier = threading.Barrier(8)

        def read(seed: int, f: Any = f, barrier: Any = barrier) -> None:
            rng = random.Random(seed)
            barrier.wait()  # all look for the chunks at once
            for _ in range(20):
                a, b = sorted(rng.randrange(2501) for _ in range(2))
                assert f[a:b].tobytes() == NUMBERS[a:b].tobytes()

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(read, range(8)))


def test_closing_while_others_read(path: Path) -> None:
    def read(f: Any) -> None:
        try:
            while True:
                assert f[100:200].tobytes() == NUMBERS[100:200].tobytes()
        except ValueError as error:
            assert "closed" in str(error)

    for _ in range(10):
        f = numpact.open(path)
        readers = [threading.Thread(target=read, args=(f,)) for _ in range(3)]
        for reader in readers:
            reader.start()
        f.close()
        for reader in readers:
            reader.join(10)
            assert not reader.is_alive()


def test_pickled(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    f = numpact.open("numbers.pco", threads=2, max_output=10**6)
    early = pickle.loads(pickle.dumps(f))
    assert len(f) == 2500
    late = pickle.dumps(f)
    monkeypatch.chdir("/")
    for copied in (early, pickle.loads(late)):
        assert copied.chunks == f.chunks
        np.testing.assert_array_equal(copied[:], NUMBERS)
    with pytest.raises(TypeError, match="path"):
        pickle.dumps(numpact.open(PACKED))


def test_copy_false_cannot_be_had() -> None:
    with pytest.raises(ValueError, match="copy"):
        numpact.open(PACKED).__array__(copy=False)


def test_looking_at_the_file_from_its_own_progress() -> None:
    seen: list[str] = []
    f = numpact.open(PACKED, progress=lambda _: seen.append(repr(f)))
    assert len(f) == 2500
    assert seen
