# SPDX-License-Identifier: Apache-2.0
"""Files that are not mapped: open ones, those that fsspec opens, failing ones."""

from __future__ import annotations

import contextlib
import gc
import io
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pytest
from cvc_fixtures import WITH_ARRAY, array_of

import numpact
from numpact import cvc

Array = np.ndarray[Any, Any]


@pytest.fixture
def vectors() -> Array:
    return np.random.default_rng(4).normal(size=(4000, 300)).astype(np.float32)


@pytest.fixture
def path(vectors: Array, tmp_path: Path) -> Path:
    target = tmp_path / "v.cvc"
    cvc.pack_cvc(vectors, target, "int8", 500)
    return target


class Recorded(io.BytesIO):
    """A file that knows what was read, and by how many threads at once."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.reads: list[tuple[int, int]] = []
        self.inside = 0
        self.max_inside = 0

    def readinto(self, buffer: Any) -> int:
        self.inside += 1
        self.max_inside = max(self.max_inside, self.inside)
        self.reads.append((self.tell(), len(buffer)))
        threading.Event().wait(0.001)
        count = super().readinto(buffer)
        self.inside -= 1
        return count


class OnlyRead:
    """A file with seek() and read(), which gives a few bytes at a time."""

    def __init__(self, data: bytes) -> None:
        self._file = io.BytesIO(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def read(self, size: int) -> bytes:
        return self._file.read(min(size, 100_000))


@pytest.mark.parametrize("file", WITH_ARRAY, ids=lambda p: p.stem)
def test_conformance(file: Path) -> None:
    expected = array_of(file.stem)
    with file.open("rb") as source:
        found = cvc.Reader(source).read(dtype="float32", threads=2)
    assert found.tobytes() == expected.tobytes()


def test_every_kind_of_source(vectors: Array, path: Path) -> None:
    expected = cvc.load_cvc(path)
    data = path.read_bytes()
    fs = fsspec.filesystem("memory")
    fs.pipe_file("/cvc_sources/v.cvc", data)
    with (
        path.open("rb") as raw,
        path.open("rb", buffering=0) as unbuffered,
        fsspec.open("memory://cvc_sources/v.cvc", "rb") as stored,
        fsspec.open(str(path), "rb") as local,
    ):
        later = fsspec.open("memory://cvc_sources/v.cvc", "rb")
        for source in (raw, unbuffered, stored, local, later, io.BytesIO(data), OnlyRead(data)):
            reader = cvc.Reader(source)
            assert (reader.read(threads=3) == expected).all()
            assert (reader[700:1900] == expected[700:1900]).all()
            assert (reader.gather([3999, 5, 5]) == expected[[3999, 5, 5]]).all()
            assert reader.verify() == []
            assert "bytes:" not in repr(reader)
        zipped = fsspec.open("memory://cvc_sources/v.cvc", "rb", compression="gzip")
        with pytest.raises(numpact.Error):
            cvc.Reader(zipped)
    fs.rm("/cvc_sources", recursive=True)
    with path.open("r", encoding="latin-1") as text, pytest.raises(ValueError, match="binary"):
        cvc.Reader(text)


def test_no_more_than_is_needed(path: Path) -> None:
    file = Recorded(path.read_bytes())
    reader = cvc.Reader(file)
    assert len(file.reads) == 1
    assert file.reads[0] == (0, 1 << 16)
    chunk = reader.info.chunks[1]
    file.reads.clear()
    reader.read(510, 2)
    reader.gather([511, 999, 512])
    codes, _ = reader.read_codes(500, 1)
    start = (chunk.offset or 0) + 8
    assert file.reads == [
        (start + 3000, 600),
        (start + 3300, 600),
        (start + 499 * 300, 300),
        (start, 300),
    ]
    assert (codes == cvc.Reader(path).read_codes(500, 1)[0]).all()


def test_threads_take_turns(path: Path) -> None:
    file = Recorded(path.read_bytes())
    reader = cvc.Reader(file)
    expected = cvc.load_cvc(path)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: reader.read(threads=4), range(8)))
    assert all((result == expected).all() for result in results)
    assert file.max_inside == 1


class Failing(io.BytesIO):
    error: BaseException | None = None
    fails_from = 0
    last_buffer: Any = None

    def readinto(self, buffer: Any) -> int:
        self.last_buffer = buffer
        if self.error is not None and self.tell() + len(buffer) > self.fails_from:
            raise self.error
        return super().readinto(buffer)


def test_errors_have_place_and_cause(path: Path) -> None:
    file = Failing(path.read_bytes())
    reader = cvc.Reader(file)
    chunk = reader.info.chunks[3]
    file.fails_from = (chunk.offset or 0) + 1
    file.error = ConnectionResetError("cut")
    assert reader.read(0, 1500, threads=2).shape == (1500, 300)
    for action in (reader.read, reader.verify, lambda: reader.gather([0, 3999])):
        with pytest.raises(numpact.InputOutputError) as caught:
            action()
        assert isinstance(caught.value, OSError)
        assert caught.value.__cause__ is file.error
    with pytest.raises(numpact.InputOutputError, match="chunk 3") as caught:
        reader.read(threads=2)
    assert (caught.value.chunk, caught.value.offset) == (3, chunk.offset)
    assert isinstance(file.last_buffer, bytearray)
    file.error = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        reader.read(threads=2)
    file.error = None
    assert len(reader.read()) == 4000


def test_short_files(path: Path) -> None:
    data = path.read_bytes()
    file = io.BytesIO(data)
    reader = cvc.Reader(file)
    chunk = reader.info.chunks[2]
    end = (chunk.offset or 0) + 1000
    file.truncate(end)
    with pytest.raises(numpact.TruncatedError) as caught:
        reader.read()
    assert (caught.value.chunk, caught.value.offset) == (2, end)
    with pytest.raises(numpact.TruncatedError):
        cvc.Reader(io.BytesIO(data[:-1]))
    with pytest.raises(numpact.TruncatedError):
        cvc.Reader(io.BytesIO(b""))


def test_large_new_arrays(tmp_path: Path) -> None:
    vectors = np.random.default_rng(5).normal(size=(3000, 600)).astype(np.float32)
    target = tmp_path / "large.cvc"
    cvc.pack_cvc(vectors, target, "fp16", 700)
    expected = vectors.astype(np.float16).astype(np.float32)
    for threads in (1, 2):
        assert (cvc.load_cvc(target, threads=threads) == expected).all()
    assert (cvc.Reader(target).gather(np.arange(3000)[::-1]) == expected[::-1]).all()


# ---- what a file keeps of the memory that it reads into ----


class Keeping(io.RawIOBase):
    """A file in Python that keeps a slice of every buffer."""

    def __init__(self, data: bytes) -> None:
        self._file = io.BytesIO(data)
        self.kept: list[memoryview] = []

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        count = self._file.readinto(view)
        self.kept.append(view[:count])
        return count


def test_a16_view_outlives_buffer(vectors: Array, path: Path) -> None:
    file = Keeping(path.read_bytes())
    reader = cvc.Reader(file)
    expected = cvc.load_cvc(path)
    assert (reader.read(threads=2) == expected).all()
    before = [bytes(view) for view in file.kept]
    del reader
    gc.collect()
    junk = [bytearray(b"\xaa" * len(view)) for view in file.kept]
    assert [bytes(view) for view in file.kept] == before
    for view in file.kept:
        view[:] = b"\x55" * len(view)
    assert all(set(block) == {0xAA} for block in junk)


def test_a_kept_buffer_that_is_changed_later_changes_no_rows(path: Path) -> None:
    file = Keeping(path.read_bytes())
    reader = cvc.Reader(file)
    rows = reader.read()
    expected = rows.copy()
    for view in file.kept:
        view[:] = bytes(len(view))
    assert (rows == expected).all()


@pytest.mark.parametrize("lie", [-1, 1, 1 << 40])
def test_files_that_claim_other_counts_than_they_were_asked_for(path: Path, lie: int) -> None:
    class Lying(io.BytesIO):
        def readinto(self, buffer: Any) -> int:
            count = super().readinto(buffer)
            return len(buffer) + lie if lie > 0 else lie * count

    with pytest.raises(numpact.InputOutputError):
        cvc.Reader(Lying(path.read_bytes()))


def test_files_that_give_more_than_they_were_asked_for(path: Path) -> None:
    class Generous(OnlyRead):
        def read(self, size: int) -> bytes:
            return bytes(size + 1)

    with pytest.raises(numpact.InputOutputError, match="more bytes"):
        cvc.Reader(Generous(path.read_bytes()))


# ---- calls from inside of a file ----


def test_a_file_that_uses_its_own_reader_gets_an_error(path: Path) -> None:
    readers: list[cvc.Reader] = []

    class Curious(io.BytesIO):
        def readinto(self, buffer: Any) -> int:
            if readers:
                readers[0].read(0, 1)
            return super().readinto(buffer)

    reader = cvc.Reader(Curious(path.read_bytes()))
    readers.append(reader)
    for threads in (1, 3):
        with pytest.raises(numpact.InvalidArgumentError, match="inside of another"):
            reader.read(threads=threads)
    readers.clear()
    assert len(reader.read()) == 4000


def test_a_progress_function_may_read_more(path: Path) -> None:
    for source in (path, io.BytesIO(path.read_bytes())):
        reader = cvc.Reader(source)
        got: list[int] = []

        def look(_: object, reader: cvc.Reader = reader, got: list[int] = got) -> None:
            got.append(len(reader.read(3, 2)))

        assert len(reader.read(progress=look, threads=1)) == 4000
        assert got
        assert set(got) == {2}


# ---- files that are replaced ----


def _versions(tmp_path: Path) -> tuple[bytes, bytes]:
    """Two files of the same length, with the same header."""
    out = []
    for value in (1.0, 2.0):
        with cvc.Writer(None, chunk_size=500) as writer:
            writer.append(np.full((4000, 300), value, "f4"))
        out.append(writer.contents)
    assert len(out[0]) == len(out[1])
    return out[0], out[1]


def _replace(fs: Any, path: str, data: bytes) -> None:
    if "memory" in fs.protocol:
        fs.pipe_file(path, data)
        return
    beside = Path(path + ".new")
    beside.write_bytes(data)
    beside.rename(path)


@pytest.mark.parametrize("protocol", ["memory", "file"])
@pytest.mark.parametrize("is_open", [True, False])
def test_two_versions_are_not_mixed(tmp_path: Path, protocol: str, is_open: bool) -> None:
    fs = fsspec.filesystem(protocol)
    name = f"{tmp_path}/v.cvc" if protocol == "file" else "/versions/v.cvc"
    old, new = _versions(tmp_path)
    _replace(fs, name, old)
    opened = fsspec.open(f"{protocol}://{name}", "rb")
    with contextlib.ExitStack() as stack:
        reader = cvc.Reader(stack.enter_context(opened) if is_open else opened)
        assert (reader.read(0, 10) == 1).all()
        _replace(fs, name, new)
        for call in (
            reader.read,
            lambda: reader.read(3000, 10),
            lambda: reader.gather([1, 3999]),
            lambda: reader[::7],
            lambda: reader.read_codes(0, 4),
            reader.verify,
        ):
            with pytest.raises(numpact.CorruptError, match="two versions"):
                call()
    assert (cvc.Reader(fsspec.open(f"{protocol}://{name}", "rb"))[5] == 2).all()


@pytest.mark.parametrize("change", ["replaced", "removed", "shorter"])
def test_a_file_that_changes_while_it_is_read(
    tmp_path: Path, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fsspec.implementations.memory import MemoryFileSystem

    fs = fsspec.filesystem("memory")
    old, new = _versions(tmp_path)
    fs.pipe_file("/versions/w.cvc", old)
    reader = cvc.Reader(fsspec.open("memory://versions/w.cvc", "rb"))
    calls = 0
    read = MemoryFileSystem.cat_file

    def cat_file(self: Any, path: str, start: Any = None, end: Any = None) -> bytes:
        nonlocal calls
        calls += 1
        data = read(self, path, start, end)
        if calls == 3 and change == "removed":
            fs.rm("/versions/w.cvc")
        elif calls == 3:
            fs.pipe_file("/versions/w.cvc", new if change == "replaced" else old[:-1])
        return data

    monkeypatch.setattr(MemoryFileSystem, "cat_file", cat_file)
    with pytest.raises((numpact.CorruptError, FileNotFoundError)) as caught:
        reader.read(threads=1)
    assert isinstance(caught.value, numpact.CorruptError)
    assert "two versions" in str(caught.value)


def test_open_does_not_mix_two_versions(tmp_path: Path) -> None:
    from fsspec.implementations.memory import MemoryFileSystem
    from fsspec.spec import AbstractBufferedFile

    fs = MemoryFileSystem()
    old, new = (numpact.compress(np.full(9000, n), paging=500) + bytes(90_000) for n in (1, 2))
    fs.pipe_file("/versions/a.pco", old)

    class Blocks(AbstractBufferedFile):
        """Reads by ranges, and is replaced after the first."""

        def _fetch_range(self, start: int, end: int) -> bytes:
            data = self.fs.cat_file(self.path, start=start, end=end)
            if replace:
                fs.pipe_file(self.path, new)
            return data

    for replace in (False, True):
        source = Blocks(fs, "/versions/a.pco", "rb", block_size=1000, cache_type="none")
        if replace:
            with pytest.raises(numpact.CorruptError, match="two versions"):
                numpact.open(source)
        else:
            assert len(numpact.open(source)) == 9000
