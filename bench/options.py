# SPDX-License-Identifier: Apache-2.0
"""Options that several benchmarks have, and programs in C++ that they run."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from typing import Any

import numpact_ctypes as numpact


def add_target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--target", default="", metavar="NAME",
                        help="instruction set of our kernels, passed on as NUMPACT_TARGET: scalar, "
                             "sse4, avx2, avx512, ... (default: the best there is)")


def use_target(target: str) -> None:
    """Must come before the first call of our library, which loads it."""
    if target:
        os.environ["NUMPACT_TARGET"] = target
        print(f"NUMPACT_TARGET={target}", file=sys.stderr)


def use_threads(threads: int) -> None:
    if not numpact.set_threads(threads):
        print("this build of numpact decodes with one thread only", file=sys.stderr)


def json_lines(program: str, *words: object) -> list[dict[str, Any]]:
    """What a program of this folder, built next to the library, prints."""
    command = [numpact.library_path().parent / program, *map(str, words)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]
