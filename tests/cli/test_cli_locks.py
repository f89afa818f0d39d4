# SPDX-License-Identifier: Apache-2.0
"""Several writers of one file: they take turns, and nothing of what they add is lost."""

from __future__ import annotations

import fcntl
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from cli_program import FAILURE, PROGRAM, USAGE, count, leftovers, refused, run
from shared_files import locked

BUSY = "is being written by another process (--lock-timeout)"


def start(*arguments: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen([PROGRAM, *map(str, arguments)], stderr=subprocess.PIPE)


def end(process: subprocess.Popen[bytes]) -> None:
    with process:
        assert process.wait(60) == 0, process.stderr.read()


def test_appends_at_the_same_time(grows: Path, tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far/link.pco").symlink_to("../grows.pco")
    expected = 5
    for _ in range(4):
        running = [start("compress", tmp_path / name, "--append", "-q", "-o", path)
                   for name in ["five.npy", "nine.npy"]
                   for path in [grows, tmp_path / "far/link.pco"] * 2]
        for process in running:
            end(process)
        expected += 4 * (5 + 9)
        assert count(grows) == expected
    assert (tmp_path / "far/link.pco").is_symlink()
    assert leftovers(tmp_path) == []


def test_appends_of_the_tool_and_of_python(grows: Path, tmp_path: Path) -> None:
    pytest.importorskip("numpact")
    code = ("import sys, numpact\n"
            "for _ in range(10): numpact.append(sys.argv[1], [1, 2, 3], threads=1)\n")
    running = [subprocess.Popen([sys.executable, "-c", code, str(grows)], stderr=subprocess.PIPE)
               for _ in range(2)]
    for _ in range(5):
        tools = [start("compress", tmp_path / "nine.npy", "--append", "-q", "-o", grows)
                 for _ in range(3)]
        for process in tools:
            end(process)
    for process in running:
        end(process)
    assert count(grows) == 5 + 2 * 10 * 3 + 5 * 3 * 9


def test_appends_beside_index(grows: Path, tmp_path: Path) -> None:
    for i in range(5):
        running = [start("compress", tmp_path / "nine.npy", "--append", "-q", "-o", grows),
                   start("index", grows, "-q", *(["--remove"] if i % 2 else [])),
                   start("compress", tmp_path / "five.npy", "--append", "-q", "-o", grows),
                   start("index", grows, "-q", "--restart", "256")]
        for process in running:
            end(process)
    assert count(grows) == 5 + 5 * (9 + 5)


def test_appends_beside_a_replacement(grows: Path, tmp_path: Path) -> None:
    for _ in range(8):
        running = [start("compress", tmp_path / "nine.npy", "-f", "-q", "-o", grows),
                   start("compress", tmp_path / "five.npy", "--append", "-q", "-o", grows)]
        for process in running:
            end(process)
        # Rows appended before are replaced with the rest, rows appended after are there.
        assert count(grows) in (9, 9 + 5)
        run("compress", tmp_path / "five.npy", "-f", "-q", "-o", grows)


def test_an_append_that_waited_sees_the_new_file(grows: Path, tmp_path: Path) -> None:
    run("compress", tmp_path / "nine.npy", "-o", tmp_path / "new.pco")
    with locked(grows):
        waiting = start("compress", tmp_path / "five.npy", "--append", "-q", "-o", grows)
        time.sleep(0.3)
        assert waiting.poll() is None and leftovers(tmp_path) == []
        (tmp_path / "new.pco").replace(grows)
    end(waiting)
    assert count(grows) == 9 + 5


def test_replacing_by_another_process_is_not_undone(grows: Path, tmp_path: Path) -> None:
    # Another program renames its file over the one that is being written on, without asking.
    running = subprocess.Popen([PROGRAM, "compress", "-", "--dtype", "i64", "--append", "-o",
                                str(grows)], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    run("compress", tmp_path / "nine.npy", "-o", tmp_path / "new.pco")
    deadline = time.monotonic() + 300
    while not leftovers(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.01)
    (tmp_path / "new.pco").replace(grows)
    _, error = running.communicate(np.arange(4).tobytes(), 30)
    assert running.returncode == FAILURE
    assert b"replaced by another program" in error and error.count(b"\n") == 1
    assert count(grows) == 9 and leftovers(tmp_path) == []


def test_timeout(grows: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.ones((4, 3), np.float32))
    run("cvc", "pack", tmp_path / "v.npy", "-o", tmp_path / "v.cvc")
    before = grows.read_bytes()
    with locked(grows):
        for arguments in [["compress", tmp_path / "five.npy", "--append", "-o", grows],
                          ["compress", tmp_path / "five.npy", "-f", "-o", grows],
                          ["decompress", tmp_path / "other.pco", "-f", "--to", "raw", "-o", grows],
                          ["index", grows],
                          ["cvc", "pack", tmp_path / "v.npy", "-f", "-o", grows],
                          ["cvc", "slice", tmp_path / "v.cvc", grows, "-f"],
                          ["cvc", "concat", tmp_path / "v.cvc", "-f", "-o", grows],
                          ["cvc", "upgrade", tmp_path / "v.cvc", grows, "-f"],
                          ["cvc", "unpack", tmp_path / "v.cvc", "-f", "--to", "raw", "-o", grows]]:
            (tmp_path / "other.pco").write_bytes(before)
            line = refused(*arguments, "--lock-timeout", "0", code=FAILURE)
            assert line == f"{grows}: {BUSY}", line
            assert grows.read_bytes() == before and leftovers(tmp_path) == []
        begin = time.monotonic()
        refused("compress", tmp_path / "five.npy", "--append", "-o", grows, "--lock-timeout", "0.4",
                code=FAILURE)
        assert time.monotonic() - begin >= 0.4
    run("compress", tmp_path / "five.npy", "--append", "-o", grows, "--lock-timeout", "0")
    for word in ["-1", "soon", "nan", "inf", ""]:
        line = refused("compress", tmp_path / "five.npy", "-f", "-o", grows, "--lock-timeout", word,
                       code=USAGE)
        assert line == f"--lock-timeout: '{word}' is not a number of seconds from 0 on"
    run("compress", tmp_path / "five.npy", "-f", "-o", grows, "--lock-timeout", "1e300")


def test_a_killed_writer_leaves_no_lock(grows: Path, tmp_path: Path) -> None:
    running = subprocess.Popen([PROGRAM, "compress", "-", "--dtype", "i64", "--append", "-q", "-o",
                                str(grows)], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 300
    while not leftovers(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.01)
    refused("compress", tmp_path / "five.npy", "--append", "-o", grows, "--lock-timeout", "0",
            code=FAILURE)
    running.kill()
    running.communicate()
    run("compress", tmp_path / "five.npy", "--append", "-o", grows, "--lock-timeout", "0")
    assert count(grows) == 10


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_the_wait(grows: Path, tmp_path: Path, number: int) -> None:
    with locked(grows):
        here = signal.signal(number, signal.SIG_DFL)
        waiting = start("compress", tmp_path / "five.npy", "--append", "-o", grows)
        replacing = start("compress", tmp_path / "five.npy", "-f", "-o", grows)
        signal.signal(number, here)
        deadline = time.monotonic() + 300
        while not leftovers(tmp_path) and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.2)
        for process in [waiting, replacing]:
            with process:
                assert process.poll() is None
                process.send_signal(number)
                assert process.wait(10) == -number
                assert process.stderr.read() == b""
    assert leftovers(tmp_path) == []
    assert count(grows) == 5


def test_long_waits_are_noted(grows: Path, tmp_path: Path) -> None:
    arguments = ["compress", tmp_path / "five.npy", "--append", "-o", grows, "--lock-timeout", 3]
    with locked(grows):
        loud, quiet = start(*arguments), start(*arguments, "-q")
        for process, notes in [(loud, 1), (quiet, 0)]:
            _, error = process.communicate(timeout=600)
            lines = error.decode().splitlines()
            assert lines[-1] == f"numpact: {grows}: {BUSY}"
            assert len(lines) == notes + 1 and "waiting for another" in lines[0] or notes == 0
