#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Estimates of the compressed size against the files: errors, and speed.

Of each column the first 2^20 numbers are estimated and compressed, on one thread. Exits with 1 if
fewer than nine files of ten are within the stated error.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpact_ctypes as numpact
import numpy as np
from columns import columns, default_folder
from options import add_target, use_target
from report import plain_table

MAX_NUMBERS = 1 << 20
MIN_SHARE_WITHIN = 0.9


@dataclass(frozen=True)
class Estimated:
    name: str
    numbers: int
    size: int
    estimate: int
    error: int
    speedup: float  # the time of compress over that of the estimate

    @property
    def is_within(self) -> bool:
        return abs(self.size - self.estimate) <= self.error


def processor_time(action: Callable[[], object]) -> int:
    """Of this thread, in nanoseconds: other programs would disturb the longer of two calls more."""
    start = time.thread_time_ns()
    action()
    return time.thread_time_ns() - start


def measured(name: str, numbers: np.ndarray, level: int, rounds: int) -> Estimated:
    config = numpact.Config(level=level)
    compressor = numpact.Compressor(numbers, config)
    estimator = numpact.Estimator(numbers, config)
    compress, estimate = (min(processor_time(action) for _ in range(rounds))
                          for action in (compressor.run, estimator.run))
    return Estimated(name, numbers.size, compressor.run(), *estimator.run(), compress / estimate)


def quantiles(values: Sequence[float]) -> list[str]:
    """Median, and the values that three and nine of ten do not exceed."""
    ordered = sorted(values)
    return [f"{ordered[min(len(ordered) - 1, int(share * len(ordered)))]:.1%}"
            for share in (0.5, 0.75, 0.9)]


def report(found: Sequence[Estimated]) -> str:
    within = sum(column.is_within for column in found)
    rows = [["difference from the file", *quantiles([abs(c.estimate / c.size - 1) for c in found])],
            ["stated error", *quantiles([c.error / c.estimate for c in found])]]
    lines = [f"within the stated error: {within} of {len(found)} ({within / len(found):.1%})",
             *plain_table(["share of the bytes", "median", "75 %", "90 %"], rows)]
    for title, min_numbers in (("all columns", 0), ("columns of 2^20 numbers", MAX_NUMBERS)):
        ratios = [column.speedup for column in found if column.numbers >= min_numbers]
        if ratios:
            lines.append(f"time of compress / of the estimate, {title} ({len(ratios)}): median "
                         f"{statistics.median(ratios):.1f}, least {min(ratios):.1f}")
    lines += [f"not within: {c.name} {c.size:,} bytes, estimated {c.estimate:,} +- {c.error:,}"
              for c in found if not c.is_within]
    return "\n".join(lines)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=default_folder())
    parser.add_argument("--level", type=int, default=8)
    parser.add_argument("--match", default="", help="regular expression for names of columns")
    parser.add_argument("--rounds", type=int, default=5, help="for each column")
    parser.add_argument("--json", action="store_true")
    add_target(parser)
    options = parser.parse_args(words)
    use_target(options.target)
    found = [measured(name, numbers[:MAX_NUMBERS], options.level, options.rounds)
             for name, numbers in columns(options.folder, options.match)]
    if not found:
        sys.exit("no columns")
    print(json.dumps([asdict(column) for column in found]) if options.json else report(found))
    within = sum(column.is_within for column in found)
    return 0 if within >= MIN_SHARE_WITHIN * len(found) else 1


if __name__ == "__main__":
    sys.exit(main())
