# SPDX-License-Identifier: Apache-2.0
"""Helpers of the state machines: how long they run, threads, forks, and what went in.

By default each runs for some seconds, the same steps every time. NUMPACT_PROPERTY_SECONDS makes
them run for so long in all, with other steps each time (``./dev states``).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

SECONDS = float(os.environ.get("NUMPACT_PROPERTY_SECONDS") or 0)
#: Seconds after which a child, or a thread, is taken to hang.
PATIENCE = 60
_MACHINES = 4  # that share the time, in all files

HAS_FORK = hasattr(os, "fork")


class Machine(RuleBasedStateMachine):
    """A machine with a folder of its own, which goes with it."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="numpact-states-"))

    def finish(self) -> None:
        """Checks the conditions that must hold in the end."""

    def teardown(self) -> None:
        try:
            self.finish()
        finally:
            shutil.rmtree(self.folder)


class WriterMachine(Machine):
    """A machine whose writer may write to a file of the folder, which may have been there."""

    OLD: bytes
    NAME: str

    def choose(self, to_file: bool, is_old: bool) -> None:
        self.path = self.folder / self.NAME
        self.to_file = to_file
        self.is_old = is_old and to_file
        if self.is_old:
            self.path.write_bytes(self.OLD)

    def check_folder(self, how: str) -> None:
        """After "close" or "abort": nothing is left but the file."""
        if how != "close" and self.is_old:
            assert self.path.read_bytes() == self.OLD
        if self.to_file:
            left = [self.path.name] if how == "close" or self.is_old else []
            assert [path.name for path in self.folder.iterdir()] == left


def make_test(machines: dict[str, type[Machine]]) -> Callable[[str], None]:
    """The test that runs machines of a file by their names."""

    @pytest.mark.timeout(SECONDS + 10 * PATIENCE)
    @pytest.mark.parametrize("name", machines)
    @pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of fork() beside threads
    def test_states(name: str) -> None:
        run_machine(machines[name])

    return test_states


def run_machine(machine: type[Machine]) -> None:
    """Runs a machine for its share of the time."""
    common: dict[str, Any] = {
        "deadline": None,
        "stateful_step_count": 20,
        "suppress_health_check": list(HealthCheck),
        "phases": (Phase.generate, Phase.shrink),
        "database": None,
    }
    if not SECONDS:
        run_state_machine_as_test(
            machine, settings=settings(max_examples=5, derandomize=True, **common)
        )
        return
    end = time.monotonic() + SECONDS / _MACHINES
    seed = int(time.time())
    while time.monotonic() < end:
        seed += 1
        print(f"{machine.__name__}: seed {seed}", file=sys.stderr)
        seeded = hypothesis.seed(seed)(type(machine.__name__, (machine,), {}))
        run_state_machine_as_test(seeded, settings=settings(max_examples=20, **common))


# ---- other threads, other processes ----


def outcome_of(work: Callable[[], Any]) -> Any:
    """The result of a call, or the exception that it raises."""
    try:
        return work()
    except Exception as error:
        return error


def in_threads(works: Sequence[Callable[[], Any]]) -> list[Any]:
    """The outcomes of calls that are made at the same time."""
    outcomes: list[Any] = [None] * len(works)
    start = threading.Barrier(len(works))

    def run(index: int) -> None:
        start.wait(PATIENCE)
        outcomes[index] = outcome_of(works[index])

    threads = [threading.Thread(target=run, args=(i,), daemon=True) for i in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive(), "a call hangs"
    return outcomes


def in_child(work: Callable[[], Any]) -> str:
    """The name of the exception that a call raises in a forked process, or "fine"."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        # Not a step of this may come back to the tests.
        try:
            signal.alarm(PATIENCE)
            try:
                work()
                answer = "fine"
            except BaseException as error:
                answer = f"{type(error).__name__}: {error}"
            os.write(write, answer.encode()[:1000])
        finally:
            os._exit(0)
    os.close(write)
    answer = os.read(read, 1000).decode()
    os.close(read)
    status = os.waitpid(child, 0)[1]
    assert status == 0, f"the child was ended by signal {status}: {answer}"
    return answer


@contextlib.contextmanager
def beside(work: Callable[[], Any], outcomes: list[Any]) -> Iterator[None]:
    """A call that another thread makes while the block runs."""
    thread = threading.Thread(target=lambda: outcomes.append(outcome_of(work)), daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join(PATIENCE)
        assert not thread.is_alive(), "a call hangs"


# ---- what went in ----


class Blocks:
    """Runs of numbers, each with a value of its own, in the order of the calls that wrote them.

    Calls that were made at the same time may have been in any order.
    """

    def __init__(self) -> None:
        self._groups: list[dict[int, int]] = []
        self._next = 0

    def new(self) -> int:
        """A value that no other run has."""
        self._next += 1
        return self._next

    def add(self, runs: dict[int, int]) -> None:
        """Values and lengths of runs that were written at the same time."""
        runs = {value: length for value, length in runs.items() if length > 0}
        if runs:
            self._groups.append(runs)

    @property
    def count(self) -> int:
        return sum(sum(group.values()) for group in self._groups)

    def check(self, numbers: np.ndarray[Any, Any]) -> None:
        """Compares with what came out."""
        assert len(numbers) == self.count
        at = 0
        for group in self._groups:
            left = dict(group)
            while left:
                value = int(numbers[at])
                length = left.pop(value)
                assert (numbers[at : at + length] == value).all()
                at += length
