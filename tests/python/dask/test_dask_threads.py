# SPDX-License-Identifier: Apache-2.0
"""How many threads a call takes inside Dask's tasks: one, since many tasks run at a time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import dask
import dask.threaded
import pytest

import numpact
from numpact._threads import ALL, resolve


@dask.delayed
def threads_in_a_task(expected: int | None) -> int:
    return resolve(expected)


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_schedulers_that_run_several_tasks(scheduler: str) -> None:
    tasks = [threads_in_a_task(None) for _ in range(4)]
    assert dask.compute(*tasks, scheduler=scheduler, num_workers=2) == (1, 1, 1, 1)


def test_the_scheduler_that_runs_one_task() -> None:
    assert dask.compute(threads_in_a_task(None), scheduler="synchronous") == (ALL,)
    assert resolve(None) == ALL


def test_what_is_asked_for_goes_before() -> None:
    assert dask.compute(threads_in_a_task(3), scheduler="threads") == (3,)
    # Before it had this pool, Dask did not carry context variables over to its threads.
    carried = hasattr(dask.threaded, "ContextAwareThreadPoolExecutor")
    with numpact.threads(2):
        assert dask.compute(threads_in_a_task(None), scheduler="threads") == (2 if carried else 1,)


_READS = """
import sys
import numpact, numpact.dask
numpact.write_table({"a": [1, None], "s": ["x", "y"]}, sys.argv[1])
print(len(numpact.dask.from_pco_table(sys.argv[1]).compute(scheduler="threads")))
"""


def test_nothing_is_said_at_the_end_of_the_process(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _READS, str(tmp_path / "t")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("2\n", "")
