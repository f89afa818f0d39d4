# SPDX-License-Identifier: Apache-2.0
"""fork() in every state of every object."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork()")

# For the scripts: fork_and() runs something in a child and gives what it printed and how it
# ended; a child that hangs is ended by a signal.
PRELUDE = """if True:
    import gc, io, os, signal, sys, threading, time, warnings
    import numpy as np, numpact, numpact.cvc as cvc
    warnings.simplefilter("ignore")
    numbers = np.random.default_rng(0).normal(size=60_000)
    rows = numbers[:59_200].reshape(-1, 32).astype("f4")
    def fork_and(work, end="exit"):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            try:
                answer = repr(work())
            except BaseException as error:
                answer = f"{type(error).__name__}: {error}"
            os.write(write, answer.encode())
            if end == "leave":
                os._exit(0)
            sys.exit(0)
        os.close(write)
        answer = os.read(read, 1000).decode()
        os.close(read)
        return answer, os.waitpid(child, 0)[1]
"""


def run(code: str, *arguments: object) -> None:
    lines = "\n".join("    " + line for line in code.strip("\n").splitlines())
    result = subprocess.run(
        [sys.executable, "-c", PRELUDE + lines + "\n    print('fine')\n", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (result.returncode, result.stdout) == (0, "fine\n"), result.stderr


MAKE = """
path, kind, threads = sys.argv[1], sys.argv[2], eval(sys.argv[3])
if kind == "cvc":
    make = lambda: cvc.Writer(path, chunk_size=500, threads=threads)
    add = lambda writer: writer.append(rows)
    count = lambda: len(cvc.Reader(path)) // len(rows)
else:
    make = lambda: numpact.Writer(path, "float64", threads=threads, paging=5000)
    add = lambda writer: writer.write(numbers)
    count = lambda: len(numpact.open(path)) // len(numbers)
"""
THREADS = pytest.mark.parametrize("threads", [None, 1, 2])
KINDS = pytest.mark.parametrize("kind", ["cvc", "pco"])


@KINDS
@THREADS
def test_a08_fork(kind: str, threads: int | None, tmp_path: Path) -> None:
    """A child that only ends, or uses the writer, or drops it: the parent's file is not its own."""
    run(
        MAKE
        + """
writer = make()
add(writer)
def drop():
    global writer
    writer = None
    gc.collect()
def leave():
    with writer:
        sys.exit(3)
for work, wanted in (
    (lambda: None, "None"),
    (lambda: add(writer), "InvalidArgumentError"),
    (lambda: writer.end_chunk(), "InvalidArgumentError"),
    (lambda: writer.close(), "InvalidArgumentError"),
    (lambda: writer.abort(), "None"),
    (leave, "SystemExit"),
    (drop, "None"),
):
    answer, status = fork_and(work)
    assert answer.startswith(wanted) and status == 0, (answer, status)
    assert wanted != "InvalidArgumentError" or "forked" in answer, answer
add(writer)
writer.close()
assert count() == 2
assert fork_and(writer.close)[0].startswith(("None", "WriteReport"))
assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]
""",
        tmp_path / f"a.{kind}",
        kind,
        threads,
    )


@KINDS
@THREADS
def test_fork_while_another_thread_writes(kind: str, threads: int | None, tmp_path: Path) -> None:
    run(
        MAKE
        + """
writer = make()
def busy():
    for _ in range(12): add(writer)
thread = threading.Thread(target=busy)
thread.start()
for _ in range(8):
    time.sleep(0.005)
    answer, status = fork_and(lambda: add(writer))
    assert answer.startswith("InvalidArgumentError") and status == 0, (answer, status)
    answer, status = fork_and(lambda: writer.abort())
    assert answer == "None" and status == 0, (answer, status)
thread.join()
writer.close()
assert count() == 12
""",
        tmp_path / f"a.{kind}",
        kind,
        threads,
    )


@KINDS
def test_fork_after_an_error_and_before_the_first_write(kind: str, tmp_path: Path) -> None:
    run(
        MAKE
        + """
fresh = make()
assert fork_and(fresh.close)[0].startswith("InvalidArgumentError")
fresh.abort()
assert fork_and(fresh.abort) == ("None", 0)
assert "closed" in fork_and(lambda: add(fresh))[0] or True
assert os.listdir(os.path.dirname(path)) == []
in_child = lambda: (lambda writer: (add(writer), writer.close(), count()))(make())
answer, status = fork_and(in_child)
assert status == 0 and answer.endswith("1)"), answer
assert count() == 1
""",
        tmp_path / f"a.{kind}",
        kind,
        2,
    )


def test_readers_work_in_the_child(tmp_path: Path) -> None:
    run(
        """
path = sys.argv[1]
cvc.pack_cvc(rows, path, "lossless", 100)
packed = numpact.compress(numbers, paging=500)
file, late = numpact.open(packed), numpact.open(packed)
len(file)
reader = cvc.Reader(path)
memory = cvc.Reader(io.BytesIO(open(path, "rb").read()))
stop = threading.Event()
def busy():
    while not stop.is_set():
        file[::3]; reader.read(threads=2); memory.read(threads=3)
        numpact.open(packed)[3]
threads = [threading.Thread(target=busy) for _ in range(3)]
for thread in threads: thread.start()
def check():
    assert (file[:] == numbers).all() and (late[5:5000] == numbers[5:5000]).all()
    for threads in (None, 1, 2):
        assert (reader.read(threads=threads) == rows).all()
        assert (memory.gather([7, 1], threads=threads) == rows[[7, 1]]).all()
    def other():
        assert (memory[3:900] == rows[3:900]).all()
    thread = threading.Thread(target=other); thread.start(); thread.join()
    return reader.verify(), numpact.open(packed)[-1] == numbers[-1]
for _ in range(8):
    answer, status = fork_and(check, "leave")
    assert answer == "([], np.True_)" and status == 0, (answer, status)
stop.set()
for thread in threads: thread.join()
check()
""",
        tmp_path / "a.cvc",
    )


def test_open_files_are_not_shared_with_the_child(tmp_path: Path) -> None:
    """Both would move the place that the other one reads at."""
    run(
        """
path = sys.argv[1]
cvc.pack_cvc(rows, path, "lossless", 100)
for buffering in (0, -1):
    with open(path, "rb", buffering=buffering) as file:
        reader = cvc.Reader(file)
        for call in (reader.read, lambda: reader.gather([1]), reader.verify, lambda: reader[::2]):
            answer, status = fork_and(call)
            assert answer.startswith("InvalidArgumentError") and "forked" in answer, answer
            assert status == 0
        assert fork_and(lambda: len(reader)) == (str(len(rows)), 0)
        assert (reader.read() == rows).all()
""",
        tmp_path / "a.cvc",
    )


def test_fork_inside_of_calls(tmp_path: Path) -> None:
    """By a progress function, and by a file that is written to."""
    run(
        """
packed = numpact.compress(numbers, paging=500)
answers = []
def progress(_):
    if not answers:
        answers.append(fork_and(lambda: (len(numpact.open(packed)), len(file)), "leave"))
file = numpact.open(packed, progress=progress, threads=2)
assert len(file) == len(numbers)
assert answers[0][0].startswith("InvalidArgumentError") and answers[0][1] == 0, answers
class Forking(io.BytesIO):
    def write(self, data):
        if len(answers) == 1:
            answers.append(fork_and(lambda: writer.write([1.0]), "leave"))
        return super().write(data)
target = Forking()
writer = numpact.Writer(target, "float64", paging=500)
writer.write(numbers); writer.close()
assert answers[1][0].startswith("InvalidArgumentError") and answers[1][1] == 0, answers
assert (numpact.decompress(target.getvalue()) == numbers).all()
"""
    )


def test_locks_stay_with_the_parent(tmp_path: Path) -> None:
    run(
        """
from numpact._lock import locked
path = sys.argv[1]
open(path, "wb").write(numpact.compress(numbers))
with locked(path, None):
    answer, status = fork_and(lambda: numpact.append(path, [1.0], lock_timeout=0.1))
    assert answer.startswith("LockTimeoutError") and status == 0, answer
    answer, status = fork_and(gc.collect)
    answer, status = fork_and(lambda: numpact.append(path, [1.0], lock_timeout=0.1))
    assert answer.startswith("LockTimeoutError") and status == 0, answer
numpact.append(path, [1.0], lock_timeout=0)
assert len(numpact.open(path)) == len(numbers) + 1
""",
        tmp_path / "a.pco",
    )


def test_fork_while_threads_of_ours_enter_python() -> None:
    """Up to Python 3.11 a child hung inside of os.fork() in one of some 500 such forks."""
    run(
        """
import select
packer = cvc.Writer(None, compression="lossless", chunk_size=50)
packer.append(rows)
packer.close()
done = threading.Event()
def read():
    reader = cvc.Reader(io.BytesIO(packer.contents), threads=4)
    while not done.is_set():
        reader.read(threads=4)
threads = [threading.Thread(target=read) for _ in range(2)]
for thread in threads:
    thread.start()
for _ in range(int(sys.argv[1])):
    answer, wakes = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(wakes, b"x")
        os._exit(0)
    hangs = not select.select([answer], [], [], 20)[0]
    if hangs:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(answer)
    os.close(wakes)
    assert not hangs
done.set()
for thread in threads:
    thread.join()
""",
        5000 if os.environ.get("NUMPACT_FULL") else 300,
    )
