#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How small are columns drawn at random, and how many are larger than the reference's?

bench/drawn_columns.py draws them. Every file of numpact is read back by the reference. With --short
the columns are arrays of 32 to 2,000 numbers, and the automatic choice is also compared with the
best pair of a mode (auto, classic) and a delta (none, consecutive 1 to 3, lookback). Exits with 1
if a file is not read back.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

import goals
import numpact_ctypes as numpact
import numpy as np
from drawn_columns import LOG_N, SHORT_LOG_N, draw_column
from measure import same_bits
from peer_codecs import Ours, Pcodec, Setting
from rounds import seconds_of

MAX_SHARE = 1.001  # a file is over where it takes more than this share of the reference's
MAX_EXTRA_BYTES = 64  # and at most this many bytes more
MAX_OVER_FORCED = 1.02
FORCED = [(mode, delta, order) for mode in ("auto", "classic")
          for delta, order in (("none", 0), ("consecutive", 1), ("consecutive", 2),
                               ("consecutive", 3), ("lookback", 0))]


@dataclass
class Drawn:
    """Bytes and seconds of the same column, by numpact and by the reference."""

    index: int
    type: str
    count: int
    ours: int
    theirs: int
    our_seconds: float
    their_seconds: float
    is_read_back: bool
    forced: int = 0  # bytes of the best forced choice, if that was asked for

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    @property
    def is_over(self) -> bool:
        return self.ours > MAX_SHARE * self.theirs + MAX_EXTRA_BYTES


def best_forced(numbers: np.ndarray, level: int) -> int:
    return min(len(numpact.compress(numbers, numpact.Config(level, mode, 0, delta, order)))
               for mode, delta, order in FORCED)


def measure(seed: int, index: int, level: int, is_short: bool = False) -> Drawn:
    numbers = draw_column(seed, index, SHORT_LOG_N if is_short else LOG_N)
    ours, theirs = Ours(Setting(level)), Pcodec(Setting(level))
    our_action, make_ours = ours.writer(numbers)
    their_action, make_theirs = theirs.writer(numbers)
    our_file, their_file = make_ours(), make_theirs()
    out = np.zeros_like(numbers)
    theirs.reader(our_file, out)()
    return Drawn(index, numpact.TYPE_NAMES[numbers.dtype], numbers.size, len(our_file),
                 len(their_file), seconds_of(our_action), seconds_of(their_action),
                 same_bits(out, numbers), best_forced(numbers, level) if is_short else 0)


def geometric_mean(ratios: list[float]) -> float:
    return goals.geometric_mean(ratios) or 0


def report(columns: list[Drawn], max_rows: int) -> str:
    total = sum(c.ours for c in columns) / sum(c.theirs for c in columns)
    over = sorted((c for c in columns if c.is_over), key=lambda c: -c.ratio)
    speed = geometric_mean([c.their_seconds / c.our_seconds for c in columns])
    mean = geometric_mean([c.ratio for c in columns])
    lines = [f"{len(columns)} columns, ours / pcodec: all bytes {total:.4f}, geometric mean of "
             f"sizes {mean:.4f}, of compression speed {speed:.2f}",
             f"over by more than 0.1 % and {MAX_EXTRA_BYTES} bytes: {len(over)}, "
             f"{100 * len(over) / len(columns):.2f} %"]
    lines += [f"  {c.index:6} {c.type:4} {c.count:7} numbers {c.ours:8} {c.theirs:8} {c.ratio:.3f}"
              for c in over[:max_rows]]
    forced = sorted(((c.ours / c.forced, c) for c in columns if c.forced),
                    key=lambda pair: -pair[0])
    if forced:
        far = [pair for pair in forced if pair[0] > MAX_OVER_FORCED]
        lines.append(f"auto / best forced: mean {geometric_mean([r for r, _ in forced]):.4f}, over "
                     f"{MAX_OVER_FORCED}: {len(far)}, worst {forced[0][0]:.3f}")
        lines += [f"  {c.index:6} {c.type:4} {c.count:7} numbers {c.ours:8} {c.forced:8} {r:.3f}"
                  for r, c in far[:max_rows]]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, default=2000, help="(default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="index of the first one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--level", type=int, default=8, help="of both (default: %(default)s)")
    parser.add_argument("--short", action="store_true", help="arrays of 32 to 2,000 numbers")
    parser.add_argument("--list", type=int, default=20, metavar="N",
                        help="number of columns over the limits (default: %(default)s)")
    arguments = parser.parse_args()
    indices = range(arguments.first, arguments.first + arguments.columns)
    columns = [measure(arguments.seed, index, arguments.level, arguments.short)
               for index in indices]
    print(report(columns, arguments.list))
    failures = [column.index for column in columns if not column.is_read_back]
    for index in failures:
        print(f"FAILED column {index}: pcodec reads other numbers", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
