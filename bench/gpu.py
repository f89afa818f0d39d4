#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Decoding on a GPU: GB/s of output, compared with the device's copy bandwidth
measured in the same run.

For each type, mode and delta encoding a column that suits them is compressed with restart points
every 2^10 to 2^14 numbers, with none, and in chunks of 4,096 numbers; build/release/bench/
bench_gpu_pco decodes the files from the device's memory and from the host's, and compares with
what the CPU makes of them. Where NVIDIA's nvCOMP and CuPy are installed (pip install
nvidia-nvcomp-cu13 cupy-cuda13x) the same columns go through its codecs. CVC collections are
measured by bench_gpu_cvc. Without a GPU this says so and ends.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpact
import numpy as np
from columns import data_files, file_columns
from combo_data import DELTAS, MODES, make_numbers, mode_value

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "build" / "release" / "bench"
NO_GPU = 77  # what the programs end with

RESTARTS = (10, 11, 12, 13, 14)
SMALL_CHUNK = 4096
NVCOMP = ("Cascaded", "ANS", "Bitcomp", "LZ4")
ROUNDS = 15

Row = dict[str, Any]


class NoGpuError(Exception):
    """There is none, or no program for it."""


def run(program: str, *arguments: str) -> list[Row]:
    path = PROGRAMS / program
    if not path.exists():
        raise NoGpuError(f"{path} is not there: it is built where nvcc is found")
    done = subprocess.run([path, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode == NO_GPU:
        raise NoGpuError(done.stderr.strip())
    if done.returncode != 0:
        sys.exit(f"{program} failed: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def mode_argument(mode: str, type_name: str) -> str:
    if mode in ("classic", "dict"):
        return mode
    value = mode_value(mode, type_name)
    return f"{mode.replace('_', '-')}={value:.17g}"


def made_columns(types: list[str], count: int, words: list[str]
                 ) -> Iterator[tuple[str, np.ndarray, Row]]:
    """(name, numbers, options of numpact.compress) of columns whose name has one of the words."""
    for type_name in types:
        for mode in MODES[type_name[0]]:
            for delta, order in DELTAS:
                if delta == "conv1" and type_name.endswith("64"):
                    continue
                spec = delta if order == 0 else f"{delta}={order}"
                name = f"{type_name} {mode} {spec}"
                if words and not any(word in name for word in words):
                    continue
                numbers = make_numbers(type_name, mode, delta, order, count)
                yield name, numbers, {"mode": mode_argument(mode, type_name), "delta": spec}


def real_columns(files: list[Path]) -> Iterator[tuple[str, np.ndarray, Row]]:
    for path in files:
        for name, numbers in file_columns(path, None):
            yield f"{path.stem} {name}", numbers, {}


def settings(options: Row) -> Iterator[tuple[str, Row]]:
    yield "none", {**options, "trailer": True}
    if not str(options.get("delta", "")).startswith("lookback"):
        for log in RESTARTS:
            yield f"2^{log}", {**options, "trailer": 1 << log}
    yield "small chunks", {**options, "trailer": True, "paging": SMALL_CHUNK}


def pco_rows(name: str, numbers: np.ndarray, options: Row, folder: Path, level: int
             ) -> Iterator[Row]:
    """All settings in one call of the program, since each call starts the driver."""
    paths = {}
    for setting, more in settings(options):
        path = folder / f"{setting}.pco"
        path.write_bytes(numpact.compress(numbers, level=level, **more))
        paths[str(path)] = setting
    for row in run("bench_gpu_pco", *paths):
        yield {"column": name, "codec": "numpact", "restart": paths[row.pop("file")], **row}


def nvcomp_rows(name: str, numbers: np.ndarray) -> Iterator[Row]:
    """By nvCOMP's Python package; raises ImportError without it."""
    import cupy
    from nvidia import nvcomp

    on_device = cupy.asarray(numbers.view(f"i{numbers.itemsize}"))
    for algorithm in NVCOMP:
        codec = nvcomp.Codec(algorithm=algorithm)
        try:
            packed = codec.encode(nvcomp.as_array(on_device))
            times = []
            for _ in range(ROUNDS + 2):
                begin, end = cupy.cuda.Event(), cupy.cuda.Event()
                begin.record()
                decoded = codec.decode(packed)
                end.record()
                end.synchronize()
                times.append(cupy.cuda.get_elapsed_time(begin, end) / 1e3)
            back = cupy.asarray(decoded).view(on_device.dtype)
            same = bool((back == on_device).all())
        except Exception as error:  # noqa: BLE001: another's library, whatever it raises
            yield {"column": name, "codec": f"nvCOMP {algorithm}", "error": str(error)}
            continue
        seconds = sorted(times[2:])[ROUNDS // 2]
        yield {"column": name, "codec": f"nvCOMP {algorithm}",
               "bits": 8 * packed.buffer_size / numbers.size,
               "decode_gb_s": numbers.nbytes / seconds / 1e9, "mismatches": 0 if same else 1}


def describe(row: Row) -> str:
    if "error" in row:
        return f"{row['column']:34} {row['codec']:16} {row['error']}"
    text = f"{row['column']:34} {row['codec']:16} {row.get('restart', ''):13}"
    text += f"{row['bits']:8.2f} bits {row['decode_gb_s']:9.1f} GB/s"
    if "from_host_gb_s" in row:
        text += (f" {row['from_host_gb_s']:7.1f} from host {row['cpu_1_gb_s']:6.2f} CPU"
                 f" {row['cpu_all_gb_s']:6.2f} CPUs, points {100 * row['trailer_share']:.2f} %")
    return text + ("" if row["mismatches"] == 0 else "  WRONG NUMBERS")


def print_points(types: list[str], count: int, level: int, words: list[str]) -> None:
    """The cost of restart points, in percent of the file without a trailer; needs no GPU."""
    print(f"{'column':36} {'bits':>6} " + " ".join(f"{'2^' + str(log):>6}" for log in RESTARTS))
    for name, numbers, options in made_columns(types, count, words):
        if "lookback" in name:
            continue
        costs = []
        for log in RESTARTS:
            file = numpact.compress(numbers, level=level, trailer=1 << log, **options)
            trailer = numpact.read_trailer(file)
            costs.append(100 * (len(file) - trailer.file_bytes) / trailer.file_bytes)
        bits = 8 * trailer.file_bytes / count
        print(f"{name:36} {bits:6.2f} " + " ".join(f"{cost:6.2f}" for cost in costs), flush=True)


def draw(rows: list[Row], path: Path) -> None:
    """GB/s over the distance of restart points, a line for each column."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    labels = [f"2^{log}" for log in RESTARTS] + ["none"]
    figure, axes = pyplot.subplots(figsize=(10, 7), layout="constrained")
    for name in dict.fromkeys(row["column"] for row in rows):
        speeds = {row["restart"]: row["decode_gb_s"] for row in rows
                  if row["column"] == name and "restart" in row}
        known = [label for label in labels if label in speeds]
        axes.plot(known, [speeds[label] for label in known], marker="o", linewidth=1, label=name)
    axes.axhline(rows[0]["copy_gb_s"], color="black", linestyle=":", label="copying")
    axes.set_yscale("log")
    axes.set_xlabel("numbers between restart points")
    axes.set_ylabel("GB/s of output")
    axes.legend(fontsize=6, ncols=2)
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1 << 24, help="numbers of a made-up column")
    parser.add_argument("--types", default="i64,f64", help="of made-up columns")
    parser.add_argument("--columns", default="", help="only made-up columns whose name has one of "
                        "these texts, with commas between")
    parser.add_argument("--files", nargs="*", default=[], help="Parquet or NPY files, or folders")
    parser.add_argument("--level", type=int, default=6)
    parser.add_argument("--points", action="store_true", help="only what restart points cost")
    parser.add_argument("--no-nvcomp", action="store_true")
    parser.add_argument("--no-cvc", action="store_true")
    parser.add_argument("--rows", type=int, default=10_000_000, help="of CVC collections")
    parser.add_argument("--dimension", type=int, default=768)
    parser.add_argument("--out", type=Path, help="all results, as JSON")
    parser.add_argument("--plot", type=Path, help="a picture, as SVG or PNG")
    arguments = parser.parse_args()
    if arguments.plot and importlib.util.find_spec("matplotlib") is None:
        parser.error("--plot takes matplotlib: pip install -r bench/requirements.txt")

    types = [name for name in arguments.types.split(",") if name]
    words = [word for word in arguments.columns.split(",") if word]
    if arguments.points:
        print_points(types, arguments.count, arguments.level, words)
        return
    files = [path for place in arguments.files for path in data_files(Path(place))]
    rows: list[Row] = []

    def note(row: Row) -> None:
        rows.append(row)
        print(describe(row), flush=True)

    collections: list[Row] = []
    nvcomp = "not asked for" if arguments.no_nvcomp else ""
    try:
        run("bench_gpu_pco")
        with tempfile.TemporaryDirectory() as folder:
            for name, numbers, options in chain(made_columns(types, arguments.count,
                                                                          words),
                                                real_columns(files)):
                for row in pco_rows(name, numbers, options, Path(folder), arguments.level):
                    note(row)
                if nvcomp:
                    continue
                try:
                    for row in nvcomp_rows(name, numbers):
                        note(row)
                except ImportError as error:
                    nvcomp = str(error)
                    print(f"no nvCOMP: {error}")
        if not arguments.no_cvc:
            collections = run("bench_gpu_cvc", "--rows", str(arguments.rows), "--dimension",
                              str(arguments.dimension))
            for row in collections:
                print(json.dumps(row))
    except NoGpuError as error:
        print(f"skipped: {error}")
        return
    if arguments.out:
        arguments.out.write_text(json.dumps(
            {"pco": rows, "cvc": collections, "nvcomp": nvcomp or "measured"}, indent=1))
    if arguments.plot:
        draw([row for row in rows if row["codec"] == "numpact"], arguments.plot)


if __name__ == "__main__":
    main()
