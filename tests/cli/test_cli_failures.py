# SPDX-License-Identifier: Apache-2.0
"""Behaviour of the command on failures: exit codes, messages, nothing left behind."""

from __future__ import annotations

import os
import pty
import resource
import select
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from cli_program import (CORRUPT, FAILURE, LIMIT, MADE, PROGRAM, USAGE, any_bits, leftovers,
                         refused, run)


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """1000 numbers, 8000 bytes."""
    np.save(tmp_path / "a.npy", np.arange(1000))
    run("compress", tmp_path / "a.npy")
    return tmp_path / "a.npy.pco"


@pytest.mark.parametrize("arguments", [
    [], ["frobnicate"], ["compress"], ["compress", "a.npy", "--level", "13"],
    ["compress", "a.npy", "--level", "x"], ["compress", "a.npy", "--mode", "fast"],
    ["compress", "a.npy", "--mode", "int-mult"], ["compress", "a.npy", "--mode", "int-mult=x"],
    ["compress", "a.npy", "--delta", "consecutive"], ["compress", "a.npy", "--delta", "conv1=-1"],
    ["compress", "a.npy", "--page-size", "0"], ["compress", "a.npy", "--page-size", "1e3"],
    ["compress", "a.npy", "--dtype", "f128"], ["compress", "a.npy", "--nulls", "keep"],
    ["compress", "a.npy", "--from", "xls"], ["compress", "a.npy", "--from", "text"],
    ["compress", "a.npy", "--column", "x"], ["compress", "a.npy", "--verbose"],
    ["compress", "unknown.dat"], ["compress", "unknown.raw"],
    ["decompress", "a.npy.pco", "-o", "a.xyz"], ["decompress", "a.npy.pco", "--to", "xls"],
    ["decompress", "a.npy.pco", "--max-output", "12Q"], ["decompress", "a.npy.pco", "--max-memory",
                                                          "99999999999G"],
    ["decompress", "a.npy.pco", "--column", "x"], ["bench", "a.npy", "--rounds", "0"],
    ["compress", "a.npy", "--append", "-o", "-"], ["inspect"], ["verify"],
])
def test_wrong_use(packed: Path, arguments: list[str]) -> None:
    for name in ["unknown.dat", "unknown.raw"]:
        (packed.parent / name).write_bytes(b"12345678")
    before = sorted(packed.parent.iterdir())
    refused(*arguments, code=USAGE, cwd=packed.parent)
    assert sorted(packed.parent.iterdir()) == before


@pytest.mark.parametrize("command", ["compress", "decompress", "inspect", "verify", "bench"])
def test_missing_file(tmp_path: Path, command: str) -> None:
    missing = tmp_path / "none.npy"
    assert refused(command, missing, code=FAILURE) == f"{missing}: No such file or directory"
    if command in ("compress", "bench"):
        line = refused(command, tmp_path, "--from", "npy", code=FAILURE)
        assert line == f"{tmp_path}: is a folder"


@pytest.mark.parametrize("path", sorted((MADE / "refused").glob("*.pco")),
                         ids=lambda path: path.stem)
def test_refused_files(path: Path, tmp_path: Path) -> None:
    for arguments in [["decompress", path, "-o", tmp_path / "a.npy"], ["verify", path]]:
        assert refused(*arguments, code=CORRUPT).startswith(f"{path}: ")
    assert list(tmp_path.iterdir()) == []
    ran = run("decompress", path, code=CORRUPT)  # text may have been written before the error
    assert ran.err.count("\n") == 1 and "at byte" in ran.err


def test_corrupt_inputs_of_other_formats(tmp_path: Path) -> None:
    np.save(tmp_path / "whole.npy", np.arange(100, dtype=np.int32))
    whole = (tmp_path / "whole.npy").read_bytes()
    path = tmp_path / "a.npy"
    for broken in [whole[:-1], whole[:100], whole[:8], whole[:4], b"",
                   whole.replace(b"'<i4'", b"<i4 ,,"), whole.replace(b"(100,)", b"(-10,)"),
                   whole.replace(b"NUMPY\x01", b"NUMPY\x09")]:
        path.write_bytes(broken)
        refused("compress", path, code=CORRUPT)
    (tmp_path / "a.raw").write_bytes(b"12345")
    line = refused("compress", tmp_path / "a.raw", "--dtype", "i32", code=CORRUPT)
    assert line == f"{tmp_path / 'a.raw'}: truncated: ends in number 1"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.npy", "a.raw", "whole.npy"]


def test_limits(packed: Path, tmp_path: Path) -> None:
    run("decompress", packed, "--max-output", "8000", "-o", tmp_path / "out.npy")
    run("verify", packed, "--max-output", "8K", "--max-memory", "64M")
    for size in ["7999", "1K"]:
        for arguments in [["decompress", packed, "-o", tmp_path / "b.npy"], ["verify", packed]]:
            line = refused(*arguments, "--max-output", size, code=LIMIT)
            assert line.startswith(f"{packed}: limit exceeded")
    refused("verify", packed, "--max-memory", "1", code=LIMIT)
    assert not (tmp_path / "b.npy").exists()


def test_overwriting(packed: Path, tmp_path: Path) -> None:
    old = packed.read_bytes()
    line = refused("compress", tmp_path / "a.npy", code=FAILURE)
    assert line == f"{packed}: exists already (-f overwrites it)"
    run("compress", tmp_path / "a.npy", "-f", "--level", 0)
    target = tmp_path / "b.npy"
    target.write_bytes(b"old")
    target.chmod(0o600)
    refused("decompress", packed, "-o", target, code=FAILURE)
    assert target.read_bytes() == b"old"
    run("decompress", packed, "-o", target, "-f")
    assert target.read_bytes() == (tmp_path / "a.npy").read_bytes()
    assert target.stat().st_mode & 0o777 == 0o600
    packed.write_bytes(old[:24])
    refused("decompress", packed, "-o", target, "-f", code=CORRUPT)
    assert target.read_bytes() == (tmp_path / "a.npy").read_bytes()
    assert "is the input itself" in refused("compress", tmp_path / "a.npy", "-f", "-o",
                                            tmp_path / "a.npy", code=FAILURE)
    assert "is a folder" in refused("compress", tmp_path / "a.npy", "-f", "-o", tmp_path,
                                    code=FAILURE)
    refused("compress", tmp_path / "a.npy", "-o", tmp_path / "no/where.pco", code=FAILURE)
    assert leftovers(tmp_path) == []


def test_links_stay_links(packed: Path, tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far/real.npy").write_bytes(b"old")
    (tmp_path / "link.npy").symlink_to("far/real.npy")
    run("decompress", packed, "-o", tmp_path / "link.npy", "-f")
    assert (tmp_path / "link.npy").is_symlink()
    assert (tmp_path / "far/real.npy").read_bytes() == (tmp_path / "a.npy").read_bytes()


def test_devices_are_written_straight(packed: Path) -> None:
    run("decompress", packed, "-o", "/dev/null", "--to", "raw")
    assert Path("/dev/null").is_char_device()
    for target in ["raw", "text"]:
        line = refused("decompress", packed, "--to", target, "-o", "/dev/full", code=FAILURE)
        assert line == "/dev/full: cannot be written: No space left on device"


def small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


def test_full_disk(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", any_bits("f64", 50_000))
    run("compress", tmp_path / "a.npy", "-o", tmp_path / "a.pco")
    before = sorted(tmp_path.iterdir())
    for arguments in [["compress", tmp_path / "a.npy"],
                      ["compress", tmp_path / "a.npy", "--no-verify"],
                      ["compress", tmp_path / "a.npy", "--append", "-o", tmp_path / "a.pco"],
                      ["decompress", tmp_path / "a.pco", "-o", tmp_path / "b.npy"],
                      ["decompress", tmp_path / "a.pco", "-o", tmp_path / "b.txt"]]:
        line = refused(*arguments, code=FAILURE, before=small_files)
        assert "File too large" in line, line
        assert sorted(tmp_path.iterdir()) == before


@pytest.mark.usefixtures("arrow")
def test_full_disk_with_tables(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet
    pa.parquet.write_table(pa.table({"a": any_bits("f64", 50_000)}), tmp_path / "t.parquet")
    run("compress", tmp_path / "t.parquet", "-o", tmp_path / "f")
    before = sorted(tmp_path.iterdir())
    for arguments in [["compress", tmp_path / "t.parquet"],
                      ["decompress", tmp_path / "f", "-o", tmp_path / "b.parquet"],
                      ["decompress", tmp_path / "f", "-o", tmp_path / "b.arrow"]]:
        line = refused(*arguments, code=FAILURE, before=small_files)
        assert "too large" in line, line
        assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_leave_nothing(tmp_path: Path, number: int) -> None:
    target = tmp_path / "out.pco"
    # Signals that are ignored here, as under nohup, would be ignored there.
    here = signal.signal(number, signal.SIG_DFL)
    process = subprocess.Popen([PROGRAM, "compress", "-", "--dtype", "f64", "-o", str(target)],
                               stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    signal.signal(number, here)
    with process:
        process.stdin.write(any_bits("f64", 600_000).tobytes())
        process.stdin.flush()
        deadline = time.monotonic() + 300
        while not leftovers(tmp_path) and time.monotonic() < deadline:
            time.sleep(0.005)
        assert leftovers(tmp_path), "no temporary file came to be"
        process.send_signal(number)
        assert process.wait(10) == -number
        assert process.stderr.read() == b""
        process.stdin.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("arrow")
def test_signals_remove_whole_folders(tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(20)]
    rows = "\n".join(",".join(str(i * j) for j in range(20)) for i in range(30_000))
    (tmp_path / "t.csv").write_text(",".join(names) + "\n" + rows + "\n")
    with subprocess.Popen([PROGRAM, "compress", "t.csv", "-o", "f", "--level", "12"], cwd=tmp_path,
                          stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 300
        # Of a folder that has just been made the command does not know yet.
        while not list(tmp_path.glob(".f.*/*")) and time.monotonic() < deadline:
            time.sleep(0.001)
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == -signal.SIGTERM
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_input_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    refused("compress", "-", "--dtype", "i32", "-o", tmp_path / "a.pco", code=CORRUPT,
            stdin=b"x" * 400_001)
    assert list(tmp_path.iterdir()) == []


def test_closed_pipe_is_quiet(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(500_000))
    run("compress", tmp_path / "a.npy")
    with subprocess.Popen([PROGRAM, "decompress", str(tmp_path / "a.npy.pco")],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"0\n"
        process.stdout.close()
        assert process.wait(10) == -signal.SIGPIPE
        assert process.stderr.read() == b""


def on_terminal(arguments: list[str], stream: str, feed: list[bytes], pause: float = 0) -> tuple:
    """Runs with standard output or error on a terminal; gives the exit code and what it showed."""
    ours, theirs = pty.openpty()
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE,
             stream: theirs}
    with subprocess.Popen([PROGRAM, *arguments], **pipes) as process:
        os.close(theirs)
        for block in feed:
            process.stdin.write(block)
            process.stdin.flush()
            time.sleep(pause)
        process.stdin.close()
        shown = b""
        while select.select([ours], [], [], 10)[0]:
            try:
                block = os.read(ours, 65536)
            except OSError:  # the other end was closed
                break
            if not block:
                break
            shown += block
        code = process.wait(10)
    os.close(ours)
    return code, shown


def test_binary_is_not_written_to_a_terminal(packed: Path) -> None:
    for arguments in [["compress", str(packed.parent / "a.npy"), "-o", "-"],
                      ["decompress", str(packed), "--to", "npy"],
                      ["decompress", str(packed), "--to", "raw"]]:
        assert on_terminal(arguments, "stdout", []) == (USAGE, b"")
    code, shown = on_terminal(["decompress", str(packed)], "stdout", [])
    assert code == 0 and shown.startswith(b"0\r\n1\r\n")


def test_progress_bar(tmp_path: Path) -> None:
    slow = [b"12345678" * 70_000] * 7
    arguments = ["compress", "-", "--dtype", "f64", "-f", "-o", str(tmp_path / "a.pco")]
    code, shown = on_terminal(arguments, "stderr", slow, 0.2)
    assert code == 0 and b"M numbers" in shown and b"\r\x1b[K" in shown
    code, shown = on_terminal([*arguments, "--no-progress"], "stderr", slow, 0.2)
    assert code == 0 and b"M numbers" not in shown
    code, shown = on_terminal(arguments, "stderr", slow)  # quick work
    assert code == 0 and b"M numbers" not in shown
    with subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        for block in slow:
            process.stdin.write(block)
            process.stdin.flush()
            time.sleep(0.2)
        process.stdin.close()
        assert process.wait(10) == 0
        assert b"\r" not in process.stderr.read()
