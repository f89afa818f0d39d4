#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares numpact with the reference implementation and zstd on columns of real numbers.

Reads every numeric column of the Parquet and NPY files of a folder, checks that each of our files
and the reference's files is read back bit for bit by both, and measures sizes and speeds.
docs/benchmarks.md says how to read the figures. Exits with 1 if a round trip failed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

import report
from columns import columns, default_folder
from measure import Column, Measurement, Plan
from reference_cache import ReferenceCache


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=default_folder(),
                        help="folder or file with columns (default: %(default)s)")
    parser.add_argument("--columns", default="", metavar="REGEX", help="only names that match")
    parser.add_argument("--min-bytes", type=int, default=0, help="only columns of this size")
    parser.add_argument("--level", type=int, default=8, help="for numpact and pcodec")
    parser.add_argument("--peers", default="pcodec,zstd", help="any of pcodec,zstd")
    parser.add_argument("--rounds", type=int, default=5, help="at least so many for each column")
    parser.add_argument("--seconds", type=float, default=1.2,
                        help="small columns get more rounds, for so long")
    parser.add_argument("--threads", type=int, default=1, choices=[1], help="one is all there is")
    parser.add_argument("--fresh", action="store_true",
                        help="our contexts and output memory anew in every call")
    parser.add_argument("--only-size", action="store_true", help="no timing")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    parser.add_argument("--markdown", action="store_true", help="print tables for the docs only")
    return parser.parse_args()


def plan_of(arguments: argparse.Namespace) -> Plan:
    peers = tuple(name for name in arguments.peers.split(",") if name)
    unknown = set(peers) - {"pcodec", "zstd"}
    if unknown:
        sys.exit(f"unknown peers: {', '.join(sorted(unknown))}")
    return Plan(arguments.level, peers, arguments.rounds, arguments.seconds,
                arguments.only_size, arguments.fresh)


def measure_all(arguments: argparse.Namespace, plan: Plan) -> list[Column]:
    cache = ReferenceCache()
    measured = []
    if not arguments.markdown:
        print(report.header_line(plan))
    for name, numbers in columns(arguments.folder, arguments.columns, arguments.min_bytes):
        column = Measurement(name, numbers, plan, cache).run()
        measured.append(column)
        if not arguments.markdown:
            print(report.column_line(column, plan), flush=True)
        for failure in column.failures:
            print(f"FAILED {name}: {failure}", file=sys.stderr, flush=True)
    return measured


def print_summary(measured: list[Column], plan: Plan, place: Path, seconds: float) -> None:
    print(report.LEGEND)
    print(report.setting_line(plan, str(place)))
    for line in report.size_lines(measured) + report.speed_lines(measured):
        print(line)
    print(f"{seconds:.0f} s in all")


def main() -> int:
    arguments = parse_arguments()
    plan = plan_of(arguments)
    start = time.perf_counter()
    measured = measure_all(arguments, plan)
    if not measured:
        print(f"no columns in {arguments.folder}", file=sys.stderr)
        return 1
    if arguments.markdown:
        print(report.markdown(measured, plan, arguments.folder.name))
    else:
        print_summary(measured, plan, arguments.folder, time.perf_counter() - start)
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(c) for c in measured], indent=1) + "\n")
    failed = [column.name for column in measured if column.failures]
    if failed:
        print(f"ROUND TRIP FAILED in {len(failed)} columns: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
