# SPDX-License-Identifier: Apache-2.0
"""Several writers of one file, in threads and processes: they take turns."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from shared_files import leftovers, locked

import numpact
from numpact import cvc


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "grows.pco").write_bytes(numpact.compress(np.arange(5)))
    return tmp_path / "grows.pco"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    with cvc.Writer(tmp_path / "table.cvc", columns={"x": (4, "float32")}) as writer:
        writer.append({"x": np.ones((20, 4), np.float32)})
    return tmp_path / "table.cvc"


def write(path: Path, lock_timeout: float | None) -> None:
    with numpact.Writer(path, "int64", lock_timeout=lock_timeout) as writer:
        writer.write([1, 2, 3])


def write_vectors(path: Path, lock_timeout: float | None) -> None:
    with cvc.Writer(path, lock_timeout=lock_timeout) as writer:
        writer.append(np.ones((3, 4), np.float32))


WRITERS: dict[str, Callable[[Path, float | None], None]] = {
    "append": lambda path, timeout: numpact.append(path, [7], lock_timeout=timeout),
    "trailer": lambda path, timeout: numpact.add_trailer(path, lock_timeout=timeout),
    "write": write,
    "vectors": write_vectors,
}


@pytest.fixture(params=sorted(WRITERS))
def writer(request: pytest.FixtureRequest) -> Callable[[Path, float | None], None]:
    return WRITERS[request.param]


def test_timeout(path: Path, writer: Callable[[Path, float | None], None]) -> None:
    before = path.read_bytes()
    with locked(path):
        for timeout in [0, 0.3, np.float32(0.1)]:
            begin = time.monotonic()
            with pytest.raises(numpact.LockTimeoutError) as caught:
                writer(path, timeout)
            assert time.monotonic() - begin >= float(timeout)
            assert isinstance(caught.value, TimeoutError)
            assert isinstance(caught.value, OSError)
            assert isinstance(caught.value, numpact.Error)
            assert caught.value.kind == "timed out"
            assert "being written" in str(caught.value)
            assert path.read_bytes() == before
            assert leftovers(path.parent) == []
    writer(path, 0)
    assert path.read_bytes() != before
    writer(path, 1e300)


@pytest.mark.parametrize("timeout", [-1, -0.001, float("nan"), "soon", [1]])
def test_timeouts_that_are_none(path: Path, writer: Callable[..., None], timeout: object) -> None:
    before = path.read_bytes()
    with pytest.raises(numpact.InvalidArgumentError, match="lock_timeout"):
        writer(path, timeout)
    assert path.read_bytes() == before
    assert leftovers(path.parent) == []


def test_threads(path: Path) -> None:
    link = path.with_name("link.pco")
    link.symlink_to(path.name)

    def work(number: int) -> None:
        for i in range(8):
            numpact.append(link if i % 2 else path, [number], threads=1)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = numpact.decompress(path.read_bytes())
    assert found[:5].tolist() == [0, 1, 2, 3, 4]
    assert np.bincount(found[5:]).tolist() == [8] * 6
    assert link.is_symlink()


CHILD = """
import sys, numpact
from numpact import cvc
path, what = sys.argv[1:3]
for i in range(12):
    if what == "append":
        numpact.append(path, [100, 200], threads=1)
    elif what == "trailer":
        numpact.add_trailer(path)
    else:
        cvc.add_column(path, f"{what}{i}", [i] * 20)
"""


def run_children(path: Path, whats: list[str]) -> None:
    children = [
        subprocess.Popen([sys.executable, "-c", CHILD, str(path), what], stderr=subprocess.PIPE)
        for what in whats
    ]
    for child in children:
        _, error = child.communicate(timeout=600)
        assert child.returncode == 0, error.decode()


def test_processes(path: Path) -> None:
    run_children(path, ["append", "trailer", "append", "append"])
    assert numpact.verify(path.read_bytes()).sound
    assert numpact.decompress(path.read_bytes()).size == 5 + 3 * 12 * 2


def test_columns_of_vectors(table: Path) -> None:
    run_children(table, ["a", "b", "c"])
    names = [column["name"] for column in cvc.list_columns(table)]
    assert sorted(names) == sorted(["x", *(f"{what}{i}" for what in "abc" for i in range(12))])


def test_who_waited_sees_the_new_file(path: Path) -> None:
    new = path.with_name("new.pco")
    new.write_bytes(numpact.compress(np.arange(50)))
    thread = threading.Thread(target=numpact.append, args=(path, [7]))
    with locked(path):
        thread.start()
        time.sleep(0.2)
        assert thread.is_alive()
        new.replace(path)
    thread.join()
    assert numpact.decompress(path.read_bytes()).tolist() == [*range(50), 7]


def test_what_replaces_it_meanwhile_is_left_alone(path: Path) -> None:
    def replace(progress: numpact.Progress) -> None:
        path.with_name("new.pco").write_bytes(numpact.compress(np.arange(50)))
        path.with_name("new.pco").replace(path)

    with pytest.raises(numpact.InputOutputError, match="replaced by another program"):
        numpact.add_trailer(path, progress=replace)
    assert numpact.decompress(path.read_bytes()).size == 50
    assert leftovers(path.parent) == []


def test_a_killed_process_leaves_no_lock(path: Path) -> None:
    code = (
        "import sys, time, numpact\n"
        "lock = numpact._core.FileLock(sys.argv[1], 0)\n"
        "print('locked', flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"locked\n"
        with pytest.raises(numpact.LockTimeoutError):
            numpact.append(path, [7], lock_timeout=0)
        child.kill()
    numpact.append(path, [7], lock_timeout=0)


def test_ctrl_c_ends_the_wait(path: Path, writer: Callable[[Path, float | None], None]) -> None:
    before = path.read_bytes()
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    with locked(path):
        timer.start()
        begin = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            writer(path, None)
        assert time.monotonic() - begin < 300  # no endless wait
    assert path.read_bytes() == before
    assert leftovers(path.parent) == []
    writer(path, 0)


def test_links_to_nothing_yet(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    for name, work in [("made.pco", write), ("made.cvc", write_vectors)]:
        link = tmp_path / f"link_{name}"
        link.symlink_to(Path("far") / name)
        work(link, None)
        assert link.is_symlink()
        assert (tmp_path / "far" / name).is_file()
        work(link, None)
        assert link.is_symlink()
    for one, other in [("a", "b"), ("b", "a")]:
        (tmp_path / one).symlink_to(other)
    for work in [write, write_vectors]:
        with pytest.raises(OSError, match="links"):
            work(tmp_path / "a", None)
    assert leftovers(tmp_path) == []


def test_system_errors_are_pythons_own(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        numpact.append(path.with_name("none"), [1])
    with pytest.raises(FileNotFoundError):
        numpact.add_trailer(path.with_name("none"))
    with pytest.raises(NotADirectoryError):
        write(path / "inside", None)


def test_limits_are_named_as_the_argument(path: Path) -> None:
    data = path.read_bytes()
    for call in [
        lambda: numpact.decompress(data, max_output=8),
        lambda: numpact.verify(data, max_output=8),
        lambda: numpact.add_trailer(path, max_output=8),
    ]:
        with pytest.raises(numpact.LimitExceededError, match=r"max_output\b") as caught:
            call()
        assert "::" not in str(caught.value)
        assert "max_output_bytes" not in str(caught.value)
