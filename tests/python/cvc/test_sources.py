# SPDX-License-Identifier: Apache-2.0
"""Files that are not mapped: open ones, those that fsspec opens, failing ones."""

from __future__ import annotations

import io
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pytest

import numpact
from numpact import cvc

ROOT = Path(__file__).resolve().parents[3]
SHARED = ROOT.parent / "shared" / "conformance" / "cvc"
FIXTURES = ROOT / "tests" / "fixtures" / "cvc"
FOLDER = FIXTURES if FIXTURES.is_dir() else SHARED
WITH_ARRAY = sorted(p for p in FOLDER.glob("*.cvc") if p.with_suffix(".npy").is_file())

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
        self.most_inside = 0

    def readinto(self, buffer: Any) -> int:
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
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
    wanted = np.load(file.with_suffix(".npy"))
    with file.open("rb") as source:
        found = cvc.Reader(source).read(dtype="float32", threads=2)
    assert found.tobytes() == wanted.tobytes()


def test_every_kind_of_source(vectors: Array, path: Path) -> None:
    wanted = cvc.load_cvc(path)
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
            assert (reader.read(threads=3) == wanted).all()
            assert (reader[700:1900] == wanted[700:1900]).all()
            assert (reader.gather([3999, 5, 5]) == wanted[[3999, 5, 5]]).all()
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
    wanted = cvc.load_cvc(path)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: reader.read(threads=4), range(8)))
    assert all((result == wanted).all() for result in results)
    assert file.most_inside == 1


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
    with pytest.raises(ValueError, match="released"):
        file.last_buffer[0]
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
    wanted = vectors.astype(np.float16).astype(np.float32)
    for threads in (1, 2):
        assert (cvc.load_cvc(target, threads=threads) == wanted).all()
    assert (cvc.Reader(target).gather(np.arange(3000)[::-1]) == wanted[::-1]).all()
