# SPDX-License-Identifier: Apache-2.0
"""Files written piece by piece: whole or not at all."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import numpact

OLD = b"what was there before"
posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX")


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_blocks_become_one_file(tmp_path: Path) -> None:
    path = tmp_path / "a.pco"
    rng = np.random.default_rng(0)
    blocks = [rng.normal(size=n) for n in (0, 1, 700, 3, 1300, 0, 5)]
    with numpact.Writer(path, "f8", paging=500, level=3) as writer:
        for block in blocks:
            writer.write(block)
        assert writer.count == 2009
        assert writer.bytes_written > 0
        assert not writer.closed
        assert not path.exists()
    assert writer.closed
    assert writer.bytes_written == path.stat().st_size
    assert names(tmp_path) == ["a.pco"]
    np.testing.assert_array_equal(numpact.open(path)[:], np.concatenate(blocks))
    # The same bytes as all at once, but for the header's claim of the count.
    counts = [chunk.count for chunk in numpact.inspect(path).chunks]
    assert counts == [500, 500, 500, 500, 9]


def test_append_is_write() -> None:
    files = []
    for name in ("append", "write"):
        with io.BytesIO() as sink:
            with numpact.Writer(sink, "int64") as writer:
                for first in range(0, 100, 10):
                    getattr(writer, name)(range(first, first + 10))
            files.append(sink.getvalue())
    assert files[0] == files[1]
    assert (numpact.decompress(files[0]) == range(100)).all()


def test_large_arrays_go_out_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    from numpact import _writer

    monkeypatch.setattr(_writer, "_MAX_BLOCK", 1000)
    sizes: list[int] = []

    class Sink(io.BytesIO):
        def write(self, data: Any, /) -> int:
            sizes.append(len(data))
            return super().write(data)

    sink = Sink()
    numbers = np.arange(10_500).reshape(3, 3500)
    with numpact.Writer(sink, "int64", paging=700, threads=1) as writer:
        writer.write(numbers)
    np.testing.assert_array_equal(numpact.decompress(sink.getvalue()), numbers.ravel())
    assert len(sizes) >= 10


def test_ending_chunks_early() -> None:
    sink = io.BytesIO()
    with numpact.Writer(sink, np.uint16) as writer:
        writer.write([1, 2])
        writer.end_chunk()
        writer.end_chunk()
        writer.write([3])
    assert [chunk.count for chunk in numpact.inspect(sink.getvalue()).chunks] == [2, 1]


@pytest.mark.parametrize("dtype", ["u1", "f2", "M8[ns]", "m8[s]", "?", "f64", "i16", ">i4"])
def test_empty_files_have_a_type(dtype: str) -> None:
    sink = io.BytesIO()
    numpact.Writer(sink, dtype).close()
    plain = {"f64": "f8", "i16": "i2", ">i4": "i4", "?": "u1"}.get(dtype, dtype)
    expected = np.dtype("int64") if plain[0] in "mM" else np.dtype(plain)
    assert numpact.decompress(sink.getvalue()).dtype == expected


@pytest.mark.parametrize("dtype", ["c16", "O", "U3", "i4,i4", "foo", np.longdouble])
def test_types_that_there_are_not(dtype: Any, tmp_path: Path) -> None:
    with pytest.raises(numpact.TypeMismatchError):
        numpact.Writer(tmp_path / "a.pco", dtype)
    assert names(tmp_path) == []


def test_names_of_two_meanings() -> None:
    """8 bits to Pco, 8 bytes to NumPy."""
    for name in ("u8", "i8"):
        with pytest.raises(numpact.InvalidArgumentError, match="NumPy"):
            numpact.Writer(io.BytesIO(), name)


def test_numbers_of_another_type_change_nothing() -> None:
    sink = io.BytesIO()
    with numpact.Writer(sink, "i4") as writer:
        writer.write(np.array([1], "i4"))
        for wrong in (np.array([2**31]), np.array([1.5], "f4"), [1.5], [2**40], "a", [None], None):
            with pytest.raises(numpact.TypeMismatchError):
                writer.write(wrong)
        writer.write(np.array([2], ">i4"))
        assert writer.count == 2
    assert numpact.decompress(sink.getvalue()).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("dtype", "x", "expected"),
    [
        ("f4", [1, 2], [1.0, 2.0]), ("f4", [0.5], [0.5]), ("u1", (255, 0), [255, 0]),
        ("int64", [], []), ("f2", 3, [3.0]), ("uint64", [2**64 - 1], [2**64 - 1]),
        ("?", [True], [1]),
        ("M8[s]", np.array([5], "M8[s]"), [5]),
    ],
)  # fmt: skip
def test_sequences_become_the_writers_type(dtype: str, x: Any, expected: list[Any]) -> None:
    sink = io.BytesIO()
    with numpact.Writer(sink, dtype) as writer:
        writer.write(x)
    assert numpact.decompress(sink.getvalue()).tolist() == expected


@pytest.mark.parametrize("how", [{"level": 99}, {"mode": "x"}, {"paging": 0}, {"threads": -1}])
def test_bad_options_leave_nothing_behind(tmp_path: Path, how: dict[str, Any]) -> None:
    with pytest.raises(numpact.InvalidArgumentError):
        numpact.Writer(tmp_path / "a.pco", "f8", **how)
    assert names(tmp_path) == []


@pytest.mark.parametrize("how", [{"mode": "int-mult=3"}, {"delta": "conv1=3"}])
def test_options_that_the_type_lacks_leave_nothing_behind(
    tmp_path: Path, how: dict[str, Any]
) -> None:
    writer = numpact.Writer(tmp_path / "a.pco", "f8", **how)
    with pytest.raises(numpact.InvalidArgumentError):
        writer.write([1.5])
    assert writer.closed
    assert names(tmp_path) == []


def test_after_the_end() -> None:
    writer = numpact.Writer(io.BytesIO(), "f8")
    writer.close()
    writer.close()
    writer.abort()
    uses: list[Callable[[], None]] = [lambda: writer.write([1.0]), writer.end_chunk]
    for use in uses:
        with pytest.raises(ValueError, match="closed"):
            use()
    writer = numpact.Writer(io.BytesIO(), "f8")
    writer.abort()
    uses = [lambda: writer.write([1.0]), writer.end_chunk]
    for use in [*uses, writer.close]:
        with pytest.raises(ValueError, match="aborted"):
            use()


def test_exact_sizes_have_to_be_met(tmp_path: Path) -> None:
    for sizes in ([2, 3], [2, 2]):
        with (
            pytest.raises(numpact.InvalidArgumentError),
            numpact.Writer(tmp_path / "a.pco", "int64", paging=sizes) as writer,
        ):
            writer.write(np.arange(4) if sizes == [2, 3] else np.arange(5))
    assert names(tmp_path) == []


# ---- whole or not at all ----


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_exception_inside_keeps_what_was_there(
    tmp_path: Path, error: type[BaseException]
) -> None:
    path = tmp_path / "a.pco"
    path.write_bytes(OLD)

    def write() -> None:
        with numpact.Writer(path, "int64", paging=10) as writer:
            writer.write(np.arange(1000))
            raise error

    with pytest.raises(error):
        write()
    assert path.read_bytes() == OLD
    assert names(tmp_path) == ["a.pco"]


def test_a_writer_that_is_forgotten_warns_and_throws_away(tmp_path: Path) -> None:
    writers = [numpact.Writer(tmp_path / "a.pco", "int64")]
    writers[0].write([1])
    with pytest.warns(ResourceWarning, match="not closed"):
        writers.clear()
    assert names(tmp_path) == []


def run(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=600,
    )


@posix
def test_a_killed_process_keeps_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a.pco"
    path.write_bytes(OLD)
    code = """if True:
        import os, signal, sys, numpact, numpy as np
        writer = numpact.Writer(sys.argv[1], "int64", paging=1000)
        writer.write(np.random.default_rng(0).integers(0, 2**60, 20_000))
        os.kill(os.getpid(), signal.SIGKILL)
    """
    assert run(code, path).returncode == -signal.SIGKILL
    assert path.read_bytes() == OLD


@posix
def test_a_full_disk_keeps_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a.pco"
    path.write_bytes(OLD)
    code = """if True:
        import resource, signal, sys, numpact, numpy as np
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        try:
            with numpact.Writer(sys.argv[1], "int64", paging=1000) as writer:
                writer.write(np.random.default_rng(0).integers(0, 2**60, 20_000))
        except OSError as error:
            print(type(error).__name__, error.errno, writer.closed)
    """
    import errno

    assert run(code, path).stdout.split() == ["OSError", str(errno.EFBIG), "True"]
    assert path.read_bytes() == OLD
    assert names(tmp_path) == ["a.pco"]


@posix
@pytest.mark.parametrize("threads", [None, 1, 2])
def test_fork_with_an_open_writer(tmp_path: Path, threads: int | None) -> None:
    path = tmp_path / "a.pco"
    code = """if True:
        import gc, os, sys, warnings, numpact, numpy as np
        warnings.simplefilter("ignore")
        threads = eval(sys.argv[2])
        writer = numpact.Writer(sys.argv[1], "int64", paging=1000, threads=threads)
        writer.write(np.arange(5000))
        child = os.fork()
        if child == 0:
            del writer
            gc.collect()
            sys.exit(0)
        assert os.waitpid(child, 0)[1] == 0
        writer.write(np.arange(5000))
        writer.close()
    """
    result = run(code, path, threads)
    assert result.returncode == 0, result.stderr
    np.testing.assert_array_equal(numpact.open(path)[:], np.tile(np.arange(5000), 2))
    assert names(tmp_path) == ["a.pco"]


@posix
def test_rights_are_those_of_other_files(tmp_path: Path) -> None:
    path = tmp_path / "a.pco"
    old_mask = os.umask(0o027)
    try:
        numpact.Writer(path, "int64").close()
        assert path.stat().st_mode & 0o777 == 0o640
        path.chmod(0o604)
        numpact.Writer(path, "int64").close()
        assert path.stat().st_mode & 0o777 == 0o604
    finally:
        os.umask(old_mask)


@posix
def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "a.pco", tmp_path / "link.pco"
    link.symlink_to(target)
    for expected in (1, 2):
        with numpact.Writer(link, "int64") as writer:
            writer.write(np.arange(expected))
        assert link.is_symlink()
        assert len(numpact.open(target)) == expected


@posix
def test_devices_and_pipes_stay_what_they_are(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    with numpact.Writer(pipe, "int64") as writer:
        writer.write([1, 2])
    reader.join(10)
    assert numpact.decompress(got[0]).tolist() == [1, 2]
    assert pipe.is_fifo()
    with numpact.Writer("/dev/null", "int64") as writer:
        writer.write([1, 2])
    assert not Path("/dev/null").is_file()


@posix
def test_folders_that_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        numpact.Writer(tmp_path / "no" / "a.pco", "int64")
    with pytest.raises(IsADirectoryError):
        numpact.Writer(tmp_path, "int64")
    if os.geteuid() != 0:
        tmp_path.chmod(0o500)
        with pytest.raises(PermissionError):
            numpact.Writer(tmp_path / "a.pco", "int64")


def test_names_of_any_length_and_kind(tmp_path: Path) -> None:
    for name in ("x" * 250, "with space", "ünïcode", ".hidden"):
        with numpact.Writer(tmp_path / name, "int64") as writer:
            writer.write([1])
        assert len(numpact.open(tmp_path / name)) == 1


# ---- file objects ----


class Raw(io.RawIOBase):
    """Takes a few bytes at a time, or what `answers` says."""

    def __init__(self, answers: list[Any] | None = None) -> None:
        self.got = bytearray()
        self._answers = answers or []

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> Any:
        if self._answers:
            return self._answers.pop(0)
        self.got += bytes(data[:7])
        return min(7, len(data))


def test_short_writes() -> None:
    raw = Raw()
    with numpact.Writer(raw, "int64") as writer:
        writer.write(np.arange(3000) ** 3)
    assert not raw.closed
    np.testing.assert_array_equal(numpact.decompress(raw.got), np.arange(3000) ** 3)


@pytest.mark.parametrize("answer", [None, 0, -1, 10**9])
def test_writes_that_cannot_be(answer: Any) -> None:
    writer = numpact.Writer(Raw([answer]), "int64")
    with pytest.raises(OSError, match=r"more bytes|claims"):
        writer.close()
    assert writer.closed


def test_an_error_of_the_file_ends_the_writer() -> None:
    class Full(io.BytesIO):
        def write(self, data: Any, /) -> int:
            raise OSError(28, "No space left on device")

    writer = numpact.Writer(Full(), "int64", paging=10)
    with pytest.raises(OSError, match="No space left"):
        writer.write(np.arange(100))
    with pytest.raises(ValueError, match="aborted"):
        writer.write([1])


@pytest.mark.parametrize("target", [None, 5, b"a.pco", [1], io.StringIO()])
def test_targets_that_cannot_be(target: Any) -> None:
    with pytest.raises(numpact.InvalidArgumentError):
        numpact.Writer(target, "int64")


def test_threads_take_turns() -> None:
    sink = io.BytesIO()
    writer = numpact.Writer(sink, "i4", paging=64)
    blocks = [np.full(50, i, np.int32) for i in range(8)]

    def write(block: Any) -> None:
        for _ in range(40):
            writer.write(block)

    threads = [threading.Thread(target=write, args=(block,)) for block in blocks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    found = numpact.decompress(sink.getvalue()).reshape(-1, 50)
    assert (found == found[:, :1]).all(), "pieces stay together"
    assert np.bincount(found[:, 0]).tolist() == [40] * 8
