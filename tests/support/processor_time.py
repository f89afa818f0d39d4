# SPDX-License-Identifier: Apache-2.0
"""Processor time in place of time on the clock, which other programs on the machine stretch."""

from __future__ import annotations

import time
from collections.abc import Callable


def seconds_of(work: Callable[[], object]) -> float:
    """Processor seconds of this process, on all threads, for a call."""
    begin = time.process_time()
    work()
    return time.process_time() - begin
