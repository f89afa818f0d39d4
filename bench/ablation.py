#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each tuned constant of the encoder buys: each at several multiples of its value, alone.

The constants are those that the sources define by NUMPACT_TUNED, and the columns of the level's
row. A switch is turned instead, a logarithm moved by one, a ratio near 1 moved by its distance from
1. The factors 0 and 1000 show what happens without the test, gate or proposal that a constant
bounds. Bytes are exact. Work is counted as edges of the control flow, in a build for profiles by
clang: it does not vary between runs, and not every machine counts instructions.

Prints, for each constant and factor, the change of the sum of bytes, of their geometric mean, and
of the work, in per cent, over the numbers of each group of columns: the shared ones, those of
hard_columns.py, and slices of 1,000. --validation adds columns on which nothing may be set.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from columns import columns, default_folder
from numpact_ctypes import ROOT, type_byte
from report import plain_table

BUILD = ROOT / "build" / "ablation"
CASES = ROOT.parent / "shared" / "cases"
VALIDATION = ROOT.parent / "shared" / "validation"
SLICE = 1000
BYTES_PER_CENT = 0.05  # what a constant must move to stay, in either direction
WORK_PER_CENT = 1.0


@dataclass(frozen=True)
class Run:
    name: str
    factor: float
    failed: bool
    bytes: list[int]
    edges: list[int]


def made_columns() -> Iterator[tuple[str, np.ndarray]]:
    if not CASES.is_dir():
        return
    sys.path.insert(0, str(CASES))
    import hard_columns

    for name, numbers, _ in hard_columns.columns():
        yield name, np.ascontiguousarray(numbers)


def groups_of(arguments: argparse.Namespace) -> dict[str, list[np.ndarray]]:
    """The numbers of each group, by its name."""
    limit = arguments.numbers or None
    shared = [v for name, v in columns(arguments.folder)][:: arguments.one_in]
    random = np.random.default_rng(1)
    begins = [int(random.integers(0, max(1, v.size - SLICE))) for v in shared]
    groups = {
        "shared": [v[:limit] for v in shared],
        "made": [v[:limit] for _, v in made_columns()],
        "slices": [v[at : at + SLICE] for v, at in zip(shared, begins, strict=True)],
    }
    if arguments.validation:
        groups["validation"] = [v[:limit] for _, v in columns(VALIDATION)]
    return {name: found for name, found in groups.items() if found}


def write_columns(path: Path, groups: dict[str, list[np.ndarray]]) -> None:
    with path.open("wb") as file:
        for numbers in (v for group in groups.values() for v in group):
            kind = type_byte(numbers)
            file.write(np.array([kind, numbers.size], np.uint64).tobytes())
            file.write(np.ascontiguousarray(numbers).tobytes())


def build() -> Path:
    subprocess.run(
        ["cmake", "--preset", "ablation"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL
    )
    subprocess.run(
        ["cmake", "--build", BUILD, "--target", "ablation"], check=True, stdout=sys.stderr
    )
    return BUILD / "bench" / "ablation"


class Program:
    """bench/ablation.cpp on a file of columns."""

    def __init__(self, program: Path, file: Path, arguments: argparse.Namespace) -> None:
        self._command = [
            str(program),
            str(file),
            str(arguments.level),
            "1" if arguments.favor_decode_speed else "0",
            str(arguments.jobs),
        ]

    def run(self, settings: list[tuple[str, float]]) -> tuple[dict[str, float], Iterator[Run]]:
        """The constants with their values, and a result for each setting."""
        lines = "".join(f"{name} {factor}\n" for name, factor in settings)
        with tempfile.TemporaryFile("w+") as requests:
            requests.write(lines)
            requests.seek(0)
            process = subprocess.Popen(
                self._command, stdin=requests, stdout=subprocess.PIPE, text=True
            )
        assert process.stdout is not None
        constants = json.loads(process.stdout.readline())["constants"]
        return constants, (Run(**json.loads(line)) for line in process.stdout)


def is_logarithm(name: str) -> bool:
    return name.lower().endswith(("log2", "log"))


def settings_for(
    constants: dict[str, float], arguments: argparse.Namespace
) -> list[tuple[str, float]]:
    settings = []
    for name, value in constants.items():
        if not re.search(arguments.constants, name):
            continue
        for factor in arguments.factors:
            # A switch has one other value, and a logarithm the next ones.
            if is_logarithm(name) and factor not in (0.5, 2):
                continue
            if value == 0 and factor < 1:
                continue
            settings.append((name, factor))
    return settings


def change(now: list[int], before: list[int]) -> tuple[float, float]:
    """Of the sum and of the geometric mean, in per cent."""
    logs = [math.log(a / b) for a, b in zip(now, before, strict=True)]
    return (100 * (sum(now) / sum(before) - 1), 100 * math.expm1(sum(logs) / len(logs)))


def row_of(run: Run, base: Run, sizes: dict[str, int]) -> tuple[list[str], bool]:
    """The cells of a run, and whether it moves anything."""
    if run.failed or 0 in run.bytes or len(run.bytes) != len(base.bytes):
        return ["fails"], True
    cells = []
    moves = False
    at = 0
    for group, n in sizes.items():
        part = slice(at, at + n)
        at += n
        by_sum, by_mean = change(run.bytes[part], base.bytes[part])
        work, _ = change(run.edges[part], base.edges[part])
        cells += [f"{by_sum:+.3f}", f"{by_mean:+.3f}", f"{work:+.1f}"]
        if group != "validation":
            moves |= max(abs(by_sum), abs(by_mean)) >= BYTES_PER_CENT
            moves |= abs(work) >= WORK_PER_CENT
    return cells, moves


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=default_folder(),
        help="folder or file with columns (default: %(default)s)",
    )
    parser.add_argument(
        "--constants", default="", metavar="REGEX", help="only those whose name, FILE.NAME, matches"
    )
    parser.add_argument(
        "--factors",
        default="0.5,2",
        metavar="a,b",
        help="multiples of the values (default: %(default)s)",
    )
    parser.add_argument(
        "--numbers",
        type=int,
        default=1 << 17,
        metavar="N",
        help="the first N of each column; 0: all (default: %(default)s)",
    )
    parser.add_argument(
        "--one-in",
        type=int,
        default=1,
        metavar="N",
        help="every Nth column of the folder alone, to be done sooner",
    )
    parser.add_argument("--validation", action="store_true", help="measure those columns, too")
    parser.add_argument("--level", type=int, default=8)
    parser.add_argument("--favor-decode-speed", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    arguments = parser.parse_args()
    arguments.factors = [float(factor) for factor in arguments.factors.split(",")]
    return arguments


def main() -> int:
    arguments = parse_arguments()
    program = build()
    groups = groups_of(arguments)
    sizes = {name: len(found) for name, found in groups.items()}
    kept = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "columns"
        write_columns(file, groups)
        runner = Program(program, file, arguments)
        constants, _ = runner.run([])
        settings = settings_for(constants, arguments)
        print(
            f"{len(constants)} constants, {len(settings)} settings; columns: "
            + ", ".join(f"{n} {name}" for name, n in sizes.items()),
            file=sys.stderr,
        )
        _, runs = runner.run([("-", 1.0), *settings])
        base = next(runs)
        titles = ["constant", "value", "factor"]
        for name in sizes:
            titles += [f"{name} sum", "mean", "work"]
        rows = []
        idle = set(constants) if not arguments.constants else {name for name, _ in settings}
        for run in runs:
            cells, moves = row_of(run, base, sizes)
            if moves:
                idle.discard(run.name)
            cells += [""] * (len(titles) - 3 - len(cells))
            rows.append([run.name, f"{constants[run.name]:g}", f"{run.factor:g}", *cells])
            kept.append(run)
            print(f"{len(rows)} of {len(settings)}", end="\r", file=sys.stderr)
    print("\n".join(plain_table(titles, rows)))
    print(
        f"\nmove nothing by {BYTES_PER_CENT} % of the bytes or {WORK_PER_CENT} % of the work: "
        + ", ".join(sorted(idle))
    )
    if arguments.json:
        arguments.json.write_text(json.dumps([vars(run) for run in [base, *kept]]) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
