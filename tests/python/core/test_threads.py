# SPDX-License-Identifier: Apache-2.0
"""Threads, forks, signals: who may call what, when, and from where."""

from __future__ import annotations

import concurrent.futures
import contextvars
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from processor_time import seconds_of

import numpact
from numpact import _threads

RNG = np.random.default_rng(0)
SMALL: list[Any] = [
    RNG.integers(0, 1000, 3000),
    RNG.normal(size=2000),
    np.arange(5000, dtype=np.uint16),
]
LARGE = RNG.integers(0, 2**40, 1_500_000)
LARGE_PACKED = numpact.compress(LARGE, level=2)


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, **environment},
    )


# ---- how many ----


def test_results_do_not_depend_on_threads() -> None:
    for threads in (None, 0, 1, 2, 5, 10**9):
        np.testing.assert_array_equal(numpact.decompress(LARGE_PACKED, threads=threads), LARGE)
        assert numpact.compress(SMALL[0], paging=500, threads=threads) == numpact.compress(
            SMALL[0], paging=500
        )
    f = numpact.open(LARGE_PACKED, threads=3)
    np.testing.assert_array_equal(f.read(1000, 10**6, threads=2), LARGE[1000 : 1000 + 10**6])


def test_what_none_means(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMPACT_THREADS", raising=False)
    assert _threads.resolve(None) == 0
    for text, count in (("3", 3), (" 2 ", 2), ("0", 0), ("", 0), ("99999999", 1024)):
        monkeypatch.setenv("NUMPACT_THREADS", text)
        assert _threads.resolve(None) == count
    monkeypatch.setenv("NUMPACT_THREADS", "3")
    with numpact.threads(1):
        assert _threads.resolve(None) == 1
        assert _threads.resolve(4) == 4
        with numpact.threads(0):
            assert _threads.resolve(None) == 0
        assert _threads.resolve(None) == 1
    assert _threads.resolve(None) == 3
    assert _threads.resolve(np.int64(2)) == 2


@pytest.mark.parametrize("text", ["-1", "two", "1.5", "0x2"])
def test_an_environment_that_makes_no_sense(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMPACT_THREADS", text)
    with pytest.raises(numpact.InvalidArgumentError, match="NUMPACT_THREADS"):
        numpact.compress([1])


@pytest.mark.parametrize("count", [-1, 1.0, "1", None, True, float("nan")])
def test_counts_that_make_no_sense(count: Any) -> None:
    with pytest.raises(numpact.InvalidArgumentError), numpact.threads(count):
        pass


def test_the_block_ends_after_an_error() -> None:
    with pytest.raises(KeyError), numpact.threads(1):
        raise KeyError
    assert _threads._requested.get() is None


def test_the_block_belongs_to_its_thread_or_task() -> None:
    import asyncio

    with numpact.threads(1), concurrent.futures.ThreadPoolExecutor(1) as pool:
        copied = contextvars.copy_context()
        assert pool.submit(copied.run, _threads.resolve, None).result() == 1

    async def task(count: int) -> int:
        with numpact.threads(count):
            await asyncio.sleep(0)
            return _threads.resolve(None)

    async def both() -> list[int]:
        return list(await asyncio.gather(task(1), task(2)))

    assert asyncio.run(both()) == [1, 2]


# ---- at the same time ----


def test_many_threads_at_once() -> None:
    packed = [numpact.compress(x) for x in SMALL]

    def work(seed: int) -> None:
        for i in range(30):
            x, file = SMALL[(seed + i) % 3], packed[(seed + i) % 3]
            assert numpact.decompress(file).tobytes() == x.tobytes()
            assert numpact.compress(x) == file
            assert (
                numpact.decompress(LARGE_PACKED, threads=i % 3, max_output=None).size
                if (i == 7)
                else True
            )

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def test_other_threads_run_meanwhile() -> None:
    """A thread that sleeps takes several turns during a call that keeps the GIL for one at most."""
    steps = 0
    stop = threading.Event()

    def count() -> None:
        nonlocal steps
        while not stop.is_set():
            steps += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    try:
        most = 0
        for _ in range(1000):  # the machine may be busy
            before = steps
            numpact.compress(LARGE[:200_000], level=8)  # one chunk: nobody asks for the GIL inside
            most = max(most, steps - before)
            if most >= 5:
                break
        assert most >= 5
    finally:
        stop.set()
        counter.join()


@pytest.mark.parametrize("inner", ["decompress", "compress"])
def test_calls_inside_of_a_progress_function(inner: str) -> None:
    """They must not share the scratch memory of the call around them."""
    outer_file = numpact.compress(SMALL[0], paging=300)
    inner_file = numpact.compress(SMALL[1], paging=200)
    calls = 0

    def call(_: numpact.Progress) -> None:
        nonlocal calls
        calls += 1
        if inner == "decompress":
            assert numpact.decompress(inner_file).tobytes() == SMALL[1].tobytes()
        else:
            assert numpact.compress(SMALL[1], paging=200) == inner_file

    for _ in range(5):
        assert numpact.decompress(outer_file, progress=call).tobytes() == SMALL[0].tobytes()
        assert numpact.compress(SMALL[0], paging=300, progress=call) == outer_file
    assert calls > 50


# ---- signals ----

main_thread_signals = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")


def _interrupted(work: Callable[[], object], after: float) -> None:
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012
            signal.setitimer(signal.ITIMER_REAL, after)
            work()
            pytest.fail("the work ends before the signal comes")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


@main_thread_signals
def test_ctrl_c_stops_long_work() -> None:
    """Most of the work is not done, as the time of processors shows."""
    import io

    long = np.tile(LARGE, 20)  # seconds of work
    zeros = numpact.compress(np.zeros(1 << 24, np.int64), level=0, paging=1 << 24)
    begin = numpact.inspect(zeros).chunks[0].offset
    vast = zeros[:begin] + zeros[begin:-1] * 240 + b"\0"
    for work in (
        lambda: numpact.compress(long),
        lambda: numpact.Writer(io.BytesIO(), np.int64).write(long),
        lambda: len(numpact.open(vast)),
        lambda: len(numpact.open(vast, threads=1)),
        lambda: numpact.inspect(vast),
    ):
        # The best of some: on a busy machine workers may go on while the main thread has to wait.
        limit = max(0.3, seconds_of(work) / 2)
        assert any(seconds_of(partial(_interrupted, work, 0.05)) < limit for _ in range(5))


@main_thread_signals
def test_a_signal_handler_may_decode() -> None:
    file = numpact.compress(SMALL[1])
    answers: list[bool] = []

    def handler(*_: object) -> None:
        answers.append(numpact.decompress(file).tobytes() == SMALL[1].tobytes())

    signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
        for _ in range(5):
            numpact.compress(LARGE, level=4)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    assert answers
    assert all(answers)


# ---- forks and ends ----

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork()")

FORK = """if True:
    import os, signal, sys, threading, warnings
    import numpact, numpy as np
    warnings.simplefilter("ignore")
    numbers = np.random.default_rng(0).integers(0, 2**40, 600_000)
    file = numpact.compress(numbers, level=1, paging=20_000)
    small = numpact.compress(numbers[:8000], level=1, paging=500)
    def check():
        for threads in (0, 1, 2, 3):
            assert (numpact.decompress(file, threads=threads) == numbers).all()
            assert (numpact.decompress(small, threads=threads) == numbers[:8000]).all()
    check()
    stop = threading.Event()
    def busy():
        while not stop.is_set():
            numpact.decompress(file, threads=0)
    if {busy}:
        threads = [threading.Thread(target=busy) for _ in range(2)]
        for thread in threads: thread.start()
    for _ in range({times}):
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            check()
            sys.stdout.flush()
            os._exit(0) if {busy} else sys.exit(0)
        assert os.waitpid(child, 0)[1] == 0
    stop.set()
    check()
    print("fine")
"""


@forks
@pytest.mark.parametrize(("busy", "times"), [(False, 2), (True, 6)])
def test_fork(busy: bool, times: int) -> None:
    result = run(FORK.replace("{busy}", str(busy)).replace("{times}", str(times)))
    assert result.stdout == "fine\n", result.stderr


def test_the_end_of_the_interpreter_while_threads_work() -> None:
    result = run(
        """if True:
        import threading, time, numpact, numpy as np
        numbers = np.random.default_rng(0).integers(0, 2**40, 400_000)
        file = numpact.compress(numbers, level=1, paging=20_000)
        def busy():
            while True:
                numpact.decompress(file, threads=0)
                numpact.decompress(file, threads=2)
        for _ in range(3):
            threading.Thread(target=busy, daemon=True).start()
        time.sleep(0.2)
        print("fine")
        """
    )
    assert (result.returncode, result.stdout) == (0, "fine\n"), result.stderr


def test_importing_does_not_need_numpy() -> None:
    result = run("import numpact, sys; print('numpy' in sys.modules)")
    assert result.stdout == "False\n", result.stderr


def test_first_calls_of_many_threads() -> None:
    """All look up numpy.empty at once."""
    result = run(
        """if True:
        import threading, numpact
        file = numpact.compress(range(1000))
        """
        + """
        barrier = threading.Barrier(16)
        def first():
            barrier.wait()
            assert numpact.decompress(file).sum() == 499500
        threads = [threading.Thread(target=first) for _ in range(16)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print("fine")
        """
    )
    assert result.stdout == "fine\n", result.stderr


@pytest.mark.skipif(sys.version_info < (3, 14), reason="public in 3.14")
def test_subinterpreters_are_refused() -> None:
    from concurrent import interpreters  # type: ignore[attr-defined,unused-ignore]

    with pytest.raises(interpreters.ExecutionFailed, match="ImportError"):
        interpreters.create().exec("import numpact")


@main_thread_signals
def test_reading_a_column_of_a_table_looks_for_signals(tmp_path: Path) -> None:
    """Handlers run while it decodes, not only after it."""
    pytest.importorskip("pyarrow")
    numpact.write_table({"a": np.tile(LARGE, 20)}, tmp_path / "t", level=1)
    opened = numpact.open_table(tmp_path / "t", threads=1)
    places: list[str] = []

    def note(number: int, frame: Any) -> None:
        places.append(frame.f_code.co_filename.rpartition("/")[2])

    signal.signal(signal.SIGALRM, note)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        assert len(opened["a"]) == 20 * len(LARGE)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    assert places.count("sources.py") > 1  # one call is after the work
