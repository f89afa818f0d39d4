#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares numpact with the reference implementation and other codecs on columns of real numbers.

Reads every numeric column of the Parquet and NPY files of a folder, checks that each of our files
and the reference's files is read back bit for bit by both, and measures sizes and speeds.
docs/benchmarks/peers.md explains the figures. Exits with 1 if a round trip failed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import peer_list
import report
from columns import columns, default_folder
from measure import Column, Measurement, Plan
from options import add_target, use_target, use_threads
from peer_codecs import Codec, Setting
from reference_cache import ReferenceCache
from result_tables import write_tables


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=default_folder(),
                        help="folder or file with columns (default: %(default)s)")
    parser.add_argument("--columns", default="", metavar="REGEX", help="only names that match")
    parser.add_argument("--min-bytes", type=int, default=0, help="only columns of this size")
    parser.add_argument("--level", type=int, default=8, help="for numpact and pcodec")
    parser.add_argument("--peers", default=peer_list.DEFAULT, metavar="a,b",
                        help=f"all, or any of {', '.join(peer_list.PEERS)} (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="at least this many for each column")
    parser.add_argument("--seconds", type=float, default=1.2,
                        help="small columns get more rounds, for so long")
    parser.add_argument("--threads", type=int, default=1, help="for codecs that can use them")
    add_target(parser)
    parser.add_argument("--fresh", action="store_true",
                        help="our contexts and output memory anew in every call")
    parser.add_argument("--only-size", action="store_true", help="no timing")
    parser.add_argument("--only-decode", action="store_true", help="no timing of compression")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    parser.add_argument("--csv", type=Path, metavar="FOLDER",
                        help="write codecs.csv and columns.csv, for the documents and the chart")
    parser.add_argument("--markdown", action="store_true", help="print tables for the docs only")
    parser.add_argument("--plot", type=Path, metavar="FILE",
                        help="draw ratio against speed: .svg or .png")
    arguments = parser.parse_args()
    if arguments.threads < 1:
        parser.error("--threads: at least 1")
    if (arguments.plot or arguments.csv) and arguments.only_size:
        parser.error("--plot and --csv need times")
    return arguments


def plan_of(arguments: argparse.Namespace) -> Plan:
    return Plan(arguments.level, arguments.rounds, arguments.seconds, arguments.threads,
                arguments.target, arguments.only_size, arguments.only_decode, arguments.fresh)


def chosen_codecs(arguments: argparse.Namespace) -> list[Codec]:
    try:
        names = peer_list.chosen_names(arguments.peers)
    except ValueError as error:
        sys.exit(str(error))
    if "all" in arguments.peers.split(","):
        peer_list.install_missing()
    setting = Setting(arguments.level, arguments.threads, arguments.fresh)
    codecs, skipped = peer_list.make_codecs(names, setting)
    for name, reason in skipped.items():
        print(f"skipped {name}: {reason}", file=sys.stderr)
    return codecs


def measure_all(arguments: argparse.Namespace, plan: Plan, codecs: list[Codec]) -> list[Column]:
    cache = ReferenceCache()
    measured = []
    if not arguments.markdown:
        print(report.header_line(plan))
    for name, numbers in columns(arguments.folder, arguments.columns, arguments.min_bytes):
        column = Measurement(name, numbers, plan, codecs, cache).run()
        measured.append(column)
        if not arguments.markdown:
            print(report.column_line(column, plan), flush=True)
        for failure in column.failures:
            print(f"FAILED {name}: {failure}", file=sys.stderr, flush=True)
        for peer, reason in column.unfit.items():
            print(f"left out {peer} of {name}: {reason}", file=sys.stderr, flush=True)
    return measured


def print_summary(measured: list[Column], plan: Plan, setting: str, seconds: float) -> None:
    print(report.LEGEND)
    print(setting)
    lines = report.size_lines(measured)
    if not plan.only_size:
        lines += report.speed_lines(measured) + report.decode_goal_lines(measured)
        lines += report.codec_lines(measured)
    for line in lines:
        print(line)
    print(f"{seconds:.0f} s in all")


def write_outputs(arguments: argparse.Namespace, measured: Sequence[Column], setting: str) -> None:
    if arguments.json:
        everything = {"setting": setting, "columns": [asdict(c) for c in measured]}
        arguments.json.write_text(json.dumps(everything, indent=1) + "\n")
    if arguments.csv:
        write_tables(measured, arguments.csv)
    if arguments.plot:
        try:
            from plot import draw

            draw(measured, arguments.plot, setting)
        except ImportError as error:
            sys.exit(f"no plot: {error}; install bench/requirements.txt")


def main() -> int:
    arguments = parse_arguments()
    use_target(arguments.target)
    use_threads(arguments.threads)
    plan = plan_of(arguments)
    codecs = chosen_codecs(arguments)
    start = time.perf_counter()
    measured = measure_all(arguments, plan, codecs)
    if not measured:
        print(f"no columns in {arguments.folder}", file=sys.stderr)
        return 1
    setting = report.setting_line(plan, arguments.folder.name, codecs)
    if arguments.markdown:
        print(report.markdown(measured, plan, arguments.folder.name, codecs))
    else:
        print_summary(measured, plan, setting, time.perf_counter() - start)
    write_outputs(arguments, measured, setting)
    failed = [column.name for column in measured if column.failures]
    if failed:
        print(f"ROUND TRIP FAILED in {len(failed)} columns: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
