# SPDX-License-Identifier: Apache-2.0
"""Files as the command line writes them: the old one stays whole or the new one is."""

from __future__ import annotations

import errno
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from cli_program import FAILURE, PROGRAM, any_bits, leftovers, refused, run
from failing_calls import failing_calls

# The file that a killed process may leave: hidden, next to its target, named after it.
TEMPORARY = re.compile(r"\.(new|made|rows|out)[a-z.]*\.\d+-[0-9a-f]{8}\.tmp")
Content = bytes | dict[str, bytes] | None


def content_of(path: Path) -> Content:
    if path.is_dir():
        return {file.name: file.read_bytes() for file in path.iterdir()}
    return path.read_bytes() if path.exists() else None


def put(path: Path, content: Content) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        path.mkdir()
        for name, one in content.items():
            (path / name).write_bytes(one)


@dataclass
class Operation:
    """A command that writes `target`, which holds `old` before and `new` after it."""

    folder: Path
    arguments: list[str]
    target: Path
    old: Content
    new: Content = None

    def start(self) -> None:
        put(self.target, self.old)
        for name in leftovers(self.folder):
            put(self.folder / name, None)

    def learn(self) -> Operation:
        self.start()
        run(*self.arguments, cwd=self.folder)
        self.new = content_of(self.target)
        assert self.new is not None and self.new != self.old
        return self


def operations(folder: Path, tables: bool) -> dict[str, Operation]:
    np.save(folder / "a.npy", np.arange(40_000) ** 2)
    np.save(folder / "b.npy", np.arange(30_000))
    np.save(folder / "v.npy", np.random.default_rng(1).normal(size=(300, 32)).astype(np.float32))
    run("compress", "b.npy", "-o", "b.pco", cwd=folder)
    run("cvc", "pack", "v.npy", "--chunk-rows", 60, "-o", "v.cvc", cwd=folder)
    pco = (folder / "b.pco").read_bytes()
    words = {
        "compress": ("compress a.npy -o new.pco", "new.pco", None),
        "compress over": ("compress a.npy -f -o new.pco", "new.pco", pco),
        "append": ("compress a.npy --append -o made.pco", "made.pco", pco),
        "decompress": ("decompress b.pco -f -o out.npy", "out.npy", b"old"),
        "decompress to text": ("decompress b.pco -f -o out.txt", "out.txt", b"old"),
        "pack": ("cvc pack v.npy -f -o rows.cvc", "rows.cvc", b"old"),
        "pack new": ("cvc pack v.npy --compression lossless -o rows.cvc", "rows.cvc", None),
        "slice": ("cvc slice v.cvc rows.cvc -f --rows 10:100", "rows.cvc", b"old"),
        "unpack": ("cvc unpack v.cvc -f -o rows.npy", "rows.npy", b"old"),
    }
    if tables:
        (folder / "t.csv").write_text("x\n" + "".join(f"{i}\n" for i in range(500)))
        run("compress", "t.csv", "-o", "made", cwd=folder)
        old = content_of(folder / "made")
        words["table"] = ("compress t.csv -f --level 3 --compat 3 -o made", "made", old)
    return {name: Operation(folder, text.split(), folder / target, old).learn()
            for name, (text, target, old) in words.items()}


@pytest.fixture(scope="module")
def has_tables() -> bool:
    probe = subprocess.run([PROGRAM, "compress", "-", "--from", "csv", "--column", "a"],
                           input=b"a\n1\n", capture_output=True, check=False)
    return b"no Arrow" not in probe.stderr and b"needs pyarrow" not in probe.stderr


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory, has_tables: bool) -> dict[str, Operation]:
    return operations(tmp_path_factory.mktemp("writing"), has_tables)


def sweep(one: Operation, failed: Path,
          error: int) -> Iterator[tuple[str, subprocess.CompletedProcess[bytes]]]:
    """Runs it with the first, second, ... call that changes files failing, until none does."""
    preload = failing_calls()
    for k in range(200):
        one.start()
        failed.unlink(missing_ok=True)
        environment = {"LD_PRELOAD": str(preload), "NUMPACT_FAILING_CALL": f"{k}:{error}",
                       "NUMPACT_FAILED_CALL": str(failed)}
        ran = subprocess.run([PROGRAM, *one.arguments], capture_output=True, cwd=one.folder,
                             env={**os.environ, **environment}, timeout=600, check=False)
        if not failed.exists():
            assert k > 4 and ran.returncode == 0
            return
        yield failed.read_text(), ran
    raise AssertionError("never went through")


NAMES = ["compress over", "append", "decompress", "pack", "table"]
# By the same ways as the others.
SLOW_NAMES = ["compress", "decompress to text", "pack new", "slice", "unpack"]


@pytest.fixture(params=[*NAMES, *[pytest.param(name, marks=pytest.mark.slow)
                                  for name in SLOW_NAMES]])
def one(request: pytest.FixtureRequest, every: dict[str, Operation]) -> Operation:
    if request.param not in every:
        pytest.skip("the program has no Arrow")
    return every[request.param]


def test_killed_at_every_call(one: Operation, tmp_path: Path) -> None:
    seen = set()
    left: list[str] = []
    for call, ran in sweep(one, tmp_path / "failed", 0):
        assert ran.returncode == -signal.SIGKILL
        now = content_of(one.target)
        assert now in (one.old, one.new), call
        seen.add(now == one.old)
        assert all(TEMPORARY.fullmatch(name) for name in leftovers(one.folder)), call
        left = leftovers(one.folder) or left
    assert True in seen
    # The file does not disturb the next process, and stays: it may be another's.
    one.start()
    for name in left:
        put(one.folder / name, b"some")
    run(*one.arguments, cwd=one.folder)
    assert content_of(one.target) == one.new
    assert left and leftovers(one.folder) == left


def test_no_space_at_every_call(one: Operation, tmp_path: Path) -> None:
    calls = set()
    for call, ran in sweep(one, tmp_path / "failed", errno.ENOSPC):
        calls.add(call)
        now = content_of(one.target)
        lines = ran.stderr.decode().splitlines()
        if ran.returncode == 0:  # the folder could not be synced, or what is over not be removed
            assert now == one.new, call
        else:
            assert ran.returncode == FAILURE, (call, lines)
            assert now == one.old, call
            assert len(lines) == 1 and lines[0].startswith("numpact: "), lines
            assert one.target.name in lines[0], (call, lines)
            assert "No space left" in lines[0] or "no space is left" in lines[0], (call, lines)
        assert leftovers(one.folder) == [] or call.startswith("unlink"), call
    assert {"fsync", "close"} <= calls, calls
    assert calls & {"rename", "renameat2"}, calls
    one.start()


def kill_at_random(every: dict[str, Operation], times: int) -> None:
    rng = random.Random(5)
    names = [name for name in [*NAMES, *SLOW_NAMES] if name in every]
    outcomes = {"old": 0, "new": 0, "left": 0}
    lasts = {}
    for name, one in every.items():
        one.start()
        begin = time.monotonic()
        run(*one.arguments, cwd=one.folder)
        lasts[name] = time.monotonic() - begin
    for i in range(times):
        name = names[i % len(names)]
        one = every[name]
        one.start()
        with subprocess.Popen([PROGRAM, *one.arguments], cwd=one.folder,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(rng.uniform(0, 1.1 * lasts[name]))
            process.kill()
            process.wait(10)
        now = content_of(one.target)
        assert now in (one.old, one.new), name
        outcomes["old" if now == one.old else "new"] += 1
        outcomes["left"] += bool(leftovers(one.folder))
        assert all(TEMPORARY.fullmatch(left) for left in leftovers(one.folder))
        one.start()
    assert outcomes["old"] > 0, outcomes
    print(outcomes)


def test_killed_at_random(every: dict[str, Operation]) -> None:
    kill_at_random(every, 20)


@pytest.mark.slow
def test_killed_at_random_200_times(every: dict[str, Operation]) -> None:
    kill_at_random(every, 200)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 128 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=128k", "numpact-test", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True,
                                                       check=False).returncode != 0:
        pytest.skip("mounting a small tmpfs is refused")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_small_disk(tmp_path: Path, small_disk: Path) -> None:
    np.save(tmp_path / "big.npy", any_bits("f64", 50_000))
    np.save(tmp_path / "v.npy", np.random.default_rng(1).normal(size=(3000, 64)).astype(np.float32))
    run("compress", tmp_path / "big.npy")
    for name in ["out.pco", "out.npy", "out.txt", "out.cvc"]:
        (small_disk / name).write_bytes(b"old")
    np.save(small_disk / "few.npy", np.arange(1000))
    run("compress", small_disk / "few.npy", "-o", small_disk / "grows.pco")
    before = content_of(small_disk)
    packed = tmp_path / "big.npy.pco"
    for arguments in [["compress", tmp_path / "big.npy", "-f", "-o", small_disk / "out.pco"],
                      ["compress", tmp_path / "big.npy", "-o", small_disk / "none.pco"],
                      ["decompress", packed, "-f", "-o", small_disk / "out.npy"],
                      ["decompress", packed, "-f", "-o", small_disk / "out.txt"],
                      ["cvc", "pack", tmp_path / "v.npy", "-f", "-o", small_disk / "out.cvc"]]:
        line = refused(*arguments, code=FAILURE)
        assert line.startswith(str(arguments[-1])), line
        assert "o space " in line, line
        assert content_of(small_disk) == before
    line = refused("compress", tmp_path / "big.npy", "--dtype", "f64", "--append", "-o",
                   small_disk / "out.pco", code=None)
    assert content_of(small_disk) == before, line
    ran = subprocess.run(f"{PROGRAM} decompress {packed} > {small_disk}/straight", shell=True,
                         capture_output=True, check=False)
    assert ran.returncode == FAILURE
    assert ran.stderr == b"numpact: (stdout): cannot be written: No space left on device\n"


def limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


def test_limit_on_file_sizes_with_vectors(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.random.default_rng(1).normal(size=(900, 64)).astype(np.float32))
    run("cvc", "pack", tmp_path / "v.npy", "--chunk-rows", 100, "-o", tmp_path / "v.cvc")
    before = sorted(tmp_path.iterdir())
    for arguments in [["pack", tmp_path / "v.npy", "-o", tmp_path / "new.cvc"],
                      ["pack", tmp_path / "v.npy", "-f", "-o", tmp_path / "v.cvc"],
                      ["slice", tmp_path / "v.cvc", tmp_path / "new.cvc", "--rows", "0:800"],
                      ["unpack", tmp_path / "v.cvc", "-o", tmp_path / "new.npy"]]:
        line = refused("cvc", *arguments, code=FAILURE, before=limit_files)
        assert str(tmp_path) in line and "too large" in line, line
        assert sorted(tmp_path.iterdir()) == before


def as_nobody() -> None:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[tuple[Path, Callable[[], None] | None]]:
    """A folder that the program cannot write to, and how to start it so: root may all."""
    folder = tmp_path / "closed"
    folder.mkdir()
    np.save(folder / "a.npy", np.arange(1000))
    run("compress", folder / "a.npy")
    folder.chmod(0o555)
    if os.getuid() != 0:
        yield folder, None
    else:
        for parent in [folder, *folder.parents][:4]:  # pytest keeps its folders to itself
            if parent.stat().st_uid == 0 and parent != Path("/"):
                parent.chmod(parent.stat().st_mode | 0o055)
        yield folder, as_nobody
    folder.chmod(0o755)


def test_folder_that_is_read_only(read_only: tuple[Path, Callable[[], None] | None]) -> None:
    folder, before = read_only
    if subprocess.run([PROGRAM, "--version"], capture_output=True, preexec_fn=before,
                      check=False).returncode != 0:
        pytest.skip("the program cannot be started as another user")
    there = content_of(folder)
    for arguments in [["compress", folder / "a.npy", "-f"],
                      ["compress", folder / "a.npy", "-o", folder / "b.pco"],
                      ["compress", folder / "a.npy", "--append", "-o", folder / "a.npy.pco"],
                      ["decompress", folder / "a.npy.pco", "-f", "-o", folder / "a.npy"],
                      ["cvc", "pack", folder / "a.npy", "-o", folder / "a.cvc"]]:
        line = refused(*arguments, code=FAILURE, before=before)
        assert line.startswith(str(folder)) and line.endswith("Permission denied"), line
        assert content_of(folder) == there


def test_head_of_a_pipe(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(300_000))
    run("compress", tmp_path / "a.npy")
    np.save(tmp_path / "v.npy", np.zeros((40_000, 8), np.float32))
    run("cvc", "pack", tmp_path / "v.npy", "-o", tmp_path / "v.cvc")
    for words in ["decompress a.npy.pco", "decompress a.npy.pco --to raw",
                  "decompress a.npy.pco --to csv", "compress a.npy -o - --level 0",
                  "cvc unpack v.cvc -o - --to raw", "cvc pack v.npy -o -"]:
        ran = subprocess.run(["bash", "-c", f"{PROGRAM} {words} | head -c 1 >/dev/null; "
                              "exit ${PIPESTATUS[0]}"], cwd=tmp_path, capture_output=True,
                             timeout=600, check=False)
        assert ran.returncode in (0, 128 + signal.SIGPIPE), (words, ran.stderr)
        assert ran.stderr == b"", words
    assert leftovers(tmp_path) == []
