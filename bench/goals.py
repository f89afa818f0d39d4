# SPDX-License-Identifier: Apache-2.0
"""How decoding stands against its goals: each item, a column or a kind of data, should be decoded
at least 1.2 times as fast as pcodec decodes the same file, or at 60 % of the speed of memcpy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LARGE = 1_000_000  # bytes from which a column counts
RATIO = 1.2
MEMCPY = 0.6


@dataclass(frozen=True)
class Standing:
    """One item: our speed as a multiple of pcodec's, and of memcpy's if that was measured."""

    name: str
    ratio: float
    memcpy: float | None = None

    def text(self) -> str:
        share = "" if self.memcpy is None else f", {self.memcpy:.0%} of memcpy"
        return f"{self.name} {self.ratio:.2f}{share}"


def geometric_mean(values: Iterable[float | None]) -> float | None:
    logs = [math.log(value) for value in values if value]
    return math.exp(sum(logs) / len(logs)) if logs else None


def short_of_goal(standings: Iterable[Standing]) -> list[Standing]:
    """The items that reach neither goal, the slowest first."""
    short = [s for s in standings if s.ratio < RATIO and (s.memcpy is None or s.memcpy < MEMCPY)]
    return sorted(short, key=lambda standing: standing.ratio)


def goal_lines(what: str, standings: Sequence[Standing]) -> list[str]:
    """Mean and minimum, then a line for each item that falls short."""
    if not standings:
        return []
    slowest = min(standings, key=lambda standing: standing.ratio)
    shares = [s.memcpy for s in standings if s.memcpy is not None]
    share = geometric_mean(shares)
    lines = [f"{what}: {len(standings)}, ours / pcodec: geometric mean "
             f"{geometric_mean(s.ratio for s in standings):.3f}, minimum {slowest.ratio:.2f} "
             f"({slowest.name})"]
    if share is not None:
        lines.append(f"  of memcpy: geometric mean {share:.1%}, minimum {min(shares):.1%}")
    short = short_of_goal(standings)
    under = sum(standing.ratio < RATIO for standing in standings)
    lines.append(f"  under {RATIO}: {under}; of these under {MEMCPY:.0%} of memcpy: {len(short)}")
    return lines + [f"    {standing.text()}" for standing in short]
