#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How near each stage of decoding is to the limit that latencies set.

Runs bench_kernels, which times the stages in cycles a number, and chains of dependent operations.
A stage in which each number waits for one before it cannot be faster than its chain:

  walk of codes   load of a node, mask, add: for the four interleaved states of a page at once
  Conv1           multiplication, addition, choice, shift

The other stages have no such chain. Their instructions are the limit.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence

import numpact_ctypes as numpact
from options import add_target
from report import plain_table

ANS_STATES = 4

# The paths of decoding: (title, pattern of their names, chain of one number).
PATHS: list[tuple[str, str, str]] = [
    ("walk", r"walk/", "walk"),
    ("unpack", r"unpack/", ""),
    ("unpack and walk", r"unpack_and_walk/", "walk"),
    ("consecutive", r"consecutive/", ""),
    ("conv1", r"conv1/", "conv1"),
    ("lookback", r"lookback/", ""),
    ("join", r"(int_mult|float_mult|float_quant|dict)/", ""),
    ("page", r"page_(codes|both)/", "walk"),
    ("page without codes", r"page_offsets/", ""),
]
OPERATIONS = ("load", "shift", "mask", "add", "multiply")


def chains(latency: Mapping[str, float]) -> dict[str, float]:
    """Cycles a number that the chain of a stage takes, from the latencies of its operations."""
    walk = latency["load"] + latency["mask"] + latency["add"]
    # The choice is a conditional move, which takes as long as an addition.
    conv1 = latency["multiply"] + 2 * latency["add"] + latency["shift"]
    return {"walk": walk / ANS_STATES, "conv1": conv1, "": 0.0}


def path_of(name: str) -> tuple[str, str] | None:
    """The title and the chain of a stage."""
    return next(((title, chain) for title, pattern, chain in PATHS
                 if re.match(pattern, name)), None)


def rows(cycles: Mapping[str, float]) -> list[list[str]]:
    latency = {name: cycles[f"latency/{name}"] for name in OPERATIONS}
    bounds = chains(latency)
    result = []
    for name, value in cycles.items():
        path = path_of(name)
        if path is None:
            continue
        bound = bounds[path[1]]
        cells = [f"{bound:.2f}", f"{value / bound:.2f}"] if bound else ["", ""]
        result.append([name, path[0], f"{value:.2f}", *cells])
    return result


def measured(pattern: str, target: str, seconds: float) -> dict[str, float]:
    """Cycles a number by the name of the stage."""
    program = numpact.library_path().parent / "bench_kernels"
    command = [str(program), "--benchmark_format=json", f"--benchmark_min_time={seconds}",
               f"--benchmark_filter=^latency/|{pattern}"]
    if target:
        command += ["--target", target]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {b["name"]: b["cycles"] for b in json.loads(text)["benchmarks"]}


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pattern", nargs="?", default=".",
                        help="regular expression for the names of stages")
    parser.add_argument("--seconds", type=float, default=0.05, help="for each stage")
    parser.add_argument("--json", action="store_true", help="cycles by name")
    add_target(parser)
    options = parser.parse_args(words)
    cycles = measured(options.pattern, options.target, options.seconds)
    if options.json:
        print(json.dumps(cycles))
        return 0
    latency = ", ".join(f"{name} {cycles['latency/' + name]:.1f}" for name in OPERATIONS)
    print(f"latencies in cycles: {latency}")
    print("\n".join(plain_table(["stage", "path", "cycles a number", "bound", "of the bound"],
                                rows(cycles))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
