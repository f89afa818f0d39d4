# SPDX-License-Identifier: Apache-2.0
"""Times of several actions that see the same machine in the same minute."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Collection, Mapping

Action = Callable[[], object]
MAX_ROUNDS = 200


def seconds_of(action: Action) -> float:
    start = time.perf_counter_ns()
    action()
    return (time.perf_counter_ns() - start) * 1e-9


def fastest(action: Action, rounds: int) -> float:
    """Seconds of the fastest round."""
    return min(seconds_of(action) for _ in range(rounds))


def best_of_rounds(actions: Mapping[str, Action], rounds: int, seconds: float,
                   once_over: float = float("inf"), always: Collection[str] = ()
                   ) -> tuple[dict[str, float], int]:
    """The best time of each action, and how many rounds there were: at least `rounds`, and more
    while `seconds` last. Each round calls every action, in an order of its own, so that none always
    finds the caches as the same other one left them. An action that took over `once_over` seconds
    is left out of later rounds, unless it is in `always`."""
    names = list(actions)
    shuffle = random.Random(1).shuffle
    best = dict.fromkeys(names, float("inf"))
    done = 0
    gc.collect()
    gc.disable()
    try:
        end = time.perf_counter() + seconds
        while done < rounds or (time.perf_counter() < end and done < MAX_ROUNDS):
            shuffle(names)
            for name in names:
                if done == 0 or best[name] <= once_over or name in always:
                    best[name] = min(best[name], seconds_of(actions[name]))
            done += 1
    finally:
        gc.enable()
    return best, done
