# SPDX-License-Identifier: Apache-2.0
"""How many threads a call takes inside Dask's tasks: one, since many tasks run at a time."""

from __future__ import annotations

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
