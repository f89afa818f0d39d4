#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the memory that decoding takes above its input and output.

One call for each of several kinds of data, then a stream of many numbers that is written to a
temporary file and read again. Each in a process of its own (memory_use.cpp), whose peak of resident
memory the system reports.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpact_ctypes as numpact
from combo_data import combo_name, make_combo
from options import add_target, use_target

PROGRAM = "memory_use"
CASES = [("u8", "classic", "none", 0), ("i64", "classic", "none", 0),
         ("i64", "classic", "consecutive", 1), ("i64", "int_mult", "consecutive", 1),
         ("f64", "float_mult", "consecutive", 1), ("i64", "dict", "none", 0),
         ("i64", "classic", "lookback", 0), ("i32", "classic", "conv1", 32)]


def use_of(*words: object) -> dict[str, Any]:
    """The report of the program."""
    program = numpact.library_path().parent / PROGRAM
    done = subprocess.run([str(program), *map(str, words)], check=True, stdout=subprocess.PIPE,
                          text=True)
    return json.loads(done.stdout)


def line(name: str, use: dict[str, Any]) -> str:
    mark = "" if use["reset"] else "  (peak since the process began)"
    return (f"{name:44} {use['count']:11} {use['file']:12} {use['above'] / 1024:9.0f} "
            f"{use['seconds']:8.2f}{mark}")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1 << 22, help="numbers of a single call")
    parser.add_argument("--bytes", type=int, default=1_000_000_000,
                        help="bytes of numbers (i64) in the stream (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default=None, help="for the temporary file")
    add_target(parser)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    use_target(arguments.target)
    print(f"{'':44} {'numbers':>11} {'file bytes':>12} {'KiB above':>9} {'seconds':>8}")
    uses = {}

    def report(name: str, use: dict[str, Any]) -> None:
        uses[name] = use
        print(line(name, use), flush=True)

    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        path = Path(folder, "numbers.pco")
        for case in CASES:
            combo = make_combo(*case, level=8, count=arguments.count)
            path.write_bytes(numpact.compress(combo.numbers, combo.config))
            report(f"one call, {combo_name(*case)}", use_of("once", path))
        report("stream, writing", use_of("write", arguments.bytes // 8, path))
        report("stream, reading", use_of("stream", path))
    print("KiB above: peak of resident memory less what was resident before the call, when input "
          "and\noutput were there; the system counts to within some hundred KiB")
    if arguments.json:
        arguments.json.write_text(json.dumps(uses, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
