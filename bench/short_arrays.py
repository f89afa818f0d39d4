#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is the automatic choice near the best forced one on short arrays, and how large is the
reference's file?

The forced ones are every pair of mode (auto, classic) and delta (none, consecutive 1 to 3,
lookback) at the same level. bench/short_kinds.py makes the arrays; slices of the real columns that
are at hand come after them. Files are without a trailer.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpact_ctypes as numpact
import numpy as np
from goals import geometric_mean
from options import add_target, use_target
from peer_codecs import Pcodec, Setting
from short_kinds import LENGTHS, made, slices

FORCED = [(mode, delta, order) for mode in ("auto", "classic")
          for delta, order in (("none", 0), ("consecutive", 1), ("consecutive", 2),
                               ("consecutive", 3), ("lookback", 0))]
MAX_OVER_FORCED = 1.02
MAX_OVER_REFERENCE = 1.05


@dataclass(frozen=True)
class Tried:
    name: str
    level: int
    automatic: int  # bytes
    forced: int
    forced_by: str  # of the best forced one
    reference: int

    @property
    def over_forced(self) -> float:
        return self.automatic / self.forced

    @property
    def over_reference(self) -> float:
        return self.automatic / self.reference if self.reference else 0.0


def try_one(name: str, numbers: np.ndarray, level: int, with_forced: bool) -> Tried:
    def size(**how: object) -> int:
        return len(numpact.compress(numbers, numpact.Config(level=level, **how)))

    forced, forced_by = size(), "auto"
    automatic = forced
    for mode, delta, order in FORCED if with_forced else []:
        bytes_ = size(mode=mode, delta=delta, delta_order=order)
        if bytes_ < forced:
            forced, forced_by = bytes_, f"{mode} {delta} {order}"
    _, make = Pcodec(Setting(level)).writer(numbers)
    return Tried(name, level, automatic, forced, forced_by, len(make()))


def report(title: str, tried: list[Tried], max_listed: int) -> list[str]:
    lines = []
    for level in sorted({one.level for one in tried}):
        group = [one for one in tried if one.level == level]
        far = [one for one in group if one.over_forced > MAX_OVER_FORCED]
        large = [one for one in group if one.over_reference > MAX_OVER_REFERENCE]
        lines.append(
            f"{title}, level {level}: {len(group)} arrays; auto / best forced: mean "
            f"{geometric_mean(one.over_forced for one in group):.4f}, over "
            f"{MAX_OVER_FORCED}: {len(far)}, worst "
            f"{max(one.over_forced for one in group):.3f}; ours / pcodec: sum "
            f"{sum(o.automatic for o in group) / sum(o.reference for o in group):.4f}, mean "
            f"{geometric_mean(one.over_reference for one in group):.4f}, over "
            f"{MAX_OVER_REFERENCE}: {len(large)}, worst "
            f"{max(one.over_reference for one in group):.3f}")
        for one in sorted(far, key=lambda one: -one.over_forced)[:max_listed]:
            lines.append(f"  {one.over_forced:.3f} {one.name}: {one.automatic}, {one.forced_by} "
                         f"{one.forced}, pcodec {one.reference}")
        for one in sorted(large, key=lambda one: -one.over_reference)[:max_listed]:
            lines.append(f"  pcodec {one.over_reference:.3f} {one.name}: {one.automatic}, "
                         f"{one.forced_by} {one.forced}, pcodec {one.reference}")
    return lines


def nanoseconds(arrays: Iterable[tuple[str, np.ndarray]], level: int) -> dict[int, float]:
    """Time to compress a number, by the arrays' length: the geometric mean over arrays."""
    found: dict[int, list[float]] = {}
    for _, numbers in arrays:
        compressor = numpact.Compressor(numbers, numpact.Config(level=level))
        best = float("inf")
        for _ in range(30):
            start = time.perf_counter_ns()
            compressor.run()
            best = min(best, time.perf_counter_ns() - start)
        found.setdefault(numbers.size, []).append(best / numbers.size)
    return {n: geometric_mean(times) or 0.0 for n, times in found.items()}


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--levels", default="4,8,12", metavar="a,b")
    parser.add_argument("--lengths", default=",".join(map(str, LENGTHS)), metavar="a,b")
    parser.add_argument("--slices", type=int, default=2, metavar="N",
                        help="of each length out of a real column (default: %(default)s)")
    parser.add_argument("--list", type=int, default=10, metavar="N",
                        help="maximum cases that are listed (default: %(default)s)")
    parser.add_argument("--speed", action="store_true", help="time compressing instead")
    parser.add_argument("--fast", action="store_true", help="without forced choices")
    add_target(parser)
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    use_target(arguments.target)
    levels = [int(level) for level in arguments.levels.split(",")]
    lengths = tuple(int(n) for n in arguments.lengths.split(","))
    if arguments.speed:
        for level in levels:
            times = nanoseconds(made(lengths), level)
            print(f"level {level}, ns a number: "
                  + ", ".join(f"{n}: {time:.1f}" for n, time in times.items()))
        return
    for title, arrays in (("made", made(lengths)), ("real", slices(lengths, arguments.slices))):
        tried = [try_one(name, numbers, level, not arguments.fast)
                 for name, numbers in arrays for level in levels]
        if tried:
            print("\n".join(report(title, tried, arguments.list)), flush=True)


if __name__ == "__main__":
    main()
