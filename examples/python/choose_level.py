# SPDX-License-Identifier: Apache-2.0
"""Which level? Size and speed of each on a column of yours, as a table and a plot.

    ./dev python examples/python/choose_level.py [FILE.parquet COLUMN] [--plot level.svg]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

import numpact

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "aircraft_positions.parquet"


class Measurement(NamedTuple):
    level: int
    ratio: float
    compress_mb_s: float
    decompress_mb_s: float


def seconds(work: Callable[[], Any], rounds: int) -> float:
    """The best of some rounds."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def measure(numbers: npt.NDArray[Any], level: int, rounds: int) -> Measurement:
    """One thread, so that levels are told apart and not machines."""
    file = numpact.compress(numbers, level, threads=1)
    out = np.empty_like(numbers)
    megabytes = numbers.nbytes / 1e6
    return Measurement(
        level,
        numbers.nbytes / len(file),
        megabytes / seconds(lambda: numpact.compress(numbers, level, threads=1), rounds),
        megabytes / seconds(lambda: numpact.decompress_into(file, out, threads=1), rounds),
    )


def plot(measurements: list[Measurement], title: str, path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    speeds = [m.compress_mb_s for m in measurements]
    ratios = [m.ratio for m in measurements]
    axes.plot(speeds, ratios, marker="o")
    for m in measurements:
        axes.annotate(str(m.level), (m.compress_mb_s, m.ratio), (4, 4), textcoords="offset points")
    axes.set(xscale="log", xlabel="compression, MB/s", ylabel="times smaller", title=title)
    axes.grid(visible=True, alpha=0.3)
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=SAMPLE)
    parser.add_argument("column", nargs="?", default="latitude")
    parser.add_argument("--plot", type=Path, help="write a picture here")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    column = pq.read_table(arguments.file, columns=[arguments.column])[arguments.column]
    numbers = column.drop_null().to_numpy()

    print("level  times smaller  compress MB/s  decompress MB/s")
    measurements = []
    for level in range(13):
        m = measure(numbers, level, arguments.rounds)
        measurements.append(m)
        print(f"{m.level:5} {m.ratio:14.3f} {m.compress_mb_s:14.1f} {m.decompress_mb_s:16.1f}")
    if arguments.plot:
        plot(measurements, f"{arguments.column} of {arguments.file.name}", arguments.plot)
        print(f"wrote {arguments.plot}")


if __name__ == "__main__":
    main()
