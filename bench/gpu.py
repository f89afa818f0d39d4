#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Decoding on a GPU: GB/s of output, compared with the device's copy bandwidth of the same run.

For each type, mode and delta encoding a column that suits them is compressed with restart points
every 2^10 to 2^14 numbers, with none, and in chunks of 4,096 numbers; bench_gpu_pco decodes the
files from the device's memory and from the host's, and compares with what the CPU makes of them.
bench_gpu_staging measures what the host does before, without a GPU: --staging. bench_gpu_cvc
measures CVC collections. Where NVIDIA's nvCOMP and CuPy are installed (pip install
nvidia-nvcomp-cu13 cupy-cuda13x) the same columns go through its codecs. Without a GPU this says so
and ends.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpact
import numpy as np
from columns import columns
from combo_data import combo_specs, make_numbers, mode_value

PROGRAMS = Path(__file__).resolve().parent.parent / "build" / "release" / "bench"
NO_GPU = 77  # what the programs end with
RESTARTS = (10, 11, 12, 13, 14)
SMALL_CHUNK = 4096
NVCOMP = ("Cascaded", "ANS", "Bitcomp", "LZ4")
ROUNDS = 15

Row = dict[str, Any]


class NoGpuError(Exception):
    """There is none, or no program for it."""


def run(program: str, *arguments: object) -> list[Row]:
    path = PROGRAMS / program
    if not path.exists():
        raise NoGpuError(f"{path} is not there: ./dev bench builds it, those of a GPU with nvcc")
    done = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode == NO_GPU:
        raise NoGpuError(done.stderr.strip())
    if done.returncode != 0:
        sys.exit(f"{program} failed: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def made_columns(options: argparse.Namespace) -> Iterator[tuple[str, np.ndarray, Row]]:
    """(name, numbers, options of numpact.compress) of columns whose name has one of the words."""
    words = [word for word in options.columns.split(",") if word]
    for type_name, mode, delta, order in combo_specs():
        spec = f"{delta}={order}" if order else delta
        name = f"{type_name} {mode} {spec}"
        if type_name not in options.types.split(",") or not any(w in name for w in words or [""]):
            continue
        value = mode_value(mode, type_name)
        text = f"{mode.replace('_', '-')}={value:.17g}" if value else mode
        numbers = make_numbers(type_name, mode, delta, order, options.count)
        yield name, numbers, {"mode": text, "delta": spec, "level": options.level}


def pco_rows(name: str, numbers: np.ndarray, how: Row, folder: Path) -> Iterator[Row]:
    """All settings in one call of the program, since each call starts the driver."""
    settings: dict[str, Row] = {"none": {"trailer": True}}
    if "lookback" not in name:
        settings |= {f"2^{log}": {"trailer": 1 << log} for log in RESTARTS}
    settings["small chunks"] = {"trailer": True, "paging": SMALL_CHUNK}
    for setting, more in settings.items():
        (folder / setting).write_bytes(numpact.compress(numbers, **how, **more))
    for row in run("bench_gpu_pco", *(folder / setting for setting in settings)):
        yield {"column": name, "codec": "numpact", "restart": Path(row.pop("file")).name, **row}


def nvcomp_rows(name: str, numbers: np.ndarray) -> Iterator[Row]:
    """By nvCOMP's Python package; raises ImportError without it."""
    import cupy
    from nvidia import nvcomp

    on_device = cupy.asarray(numbers.view(f"i{numbers.itemsize}"))
    for algorithm in NVCOMP:
        codec = nvcomp.Codec(algorithm=algorithm)
        packed = codec.encode(nvcomp.as_array(on_device))
        times = []
        for _ in range(ROUNDS + 2):
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            decoded = codec.decode(packed)
            end.record()
            end.synchronize()
            times.append(cupy.cuda.get_elapsed_time(begin, end) / 1e3)
        same = bool((cupy.asarray(decoded).view(on_device.dtype) == on_device).all())
        yield {"column": name, "codec": f"nvCOMP {algorithm}",
               "bits": 8 * packed.buffer_size / numbers.size, "mismatches": 0 if same else 1,
               "decode_gb_s": numbers.nbytes / sorted(times[2:])[ROUNDS // 2] / 1e9}


def describe(row: Row) -> str:
    text = f"{row['column']:34} {row['codec']:16} {row.get('restart', ''):13}"
    text += f"{row['bits']:8.2f} bits {row['decode_gb_s']:9.1f} GB/s"
    if "from_host_gb_s" in row:
        text += (f" {row['from_host_gb_s']:7.1f} from host, by all threads"
                 f" {row['from_host_all_gb_s']:7.1f} {row['cpu_1_gb_s']:6.2f} CPU"
                 f" {row['cpu_all_gb_s']:6.2f} CPUs, points {100 * row['trailer_share']:.2f} %")
    return text + ("" if row["mismatches"] == 0 else "  WRONG NUMBERS")


def print_points(options: argparse.Namespace) -> None:
    """The cost of restart points, in percent of the file without a trailer; needs no GPU."""
    print(f"{'column':36} {'bits':>6} " + " ".join(f"{'2^' + str(log):>6}" for log in RESTARTS))
    for name, numbers, how in made_columns(options):
        if "lookback" in name:
            continue
        costs = []
        for log in RESTARTS:
            file = numpact.compress(numbers, trailer=1 << log, **how)
            plain = numpact.read_trailer(file).file_bytes
            costs.append(100 * (len(file) - plain) / plain)
        print(f"{name:36} {8 * plain / numbers.size:6.2f} "
              + " ".join(f"{cost:6.2f}" for cost in costs), flush=True)


def print_windows(options: argparse.Namespace) -> None:
    """Restart points of Lookback, if they stored the window before them: their bytes, as multiples
    of the chunks' bytes. As latents, and if they took as many bits as these numbers do without
    deltas. Columns of a folder that Lookback compresses best; needs no GPU."""
    command = PROGRAMS.parent / "cli" / "numpact"
    for name, numbers in columns(options.windows):
        values = numbers[: options.count]
        packed_bytes = len(numpact.compress(values, delta="none")) / values.size
        done = subprocess.run([command, "inspect", "--json", "-"], input=numpact.compress(values),
                              capture_output=True, check=True)
        chunks = [chunk for chunk in json.loads(done.stdout)["chunks"]
                  if chunk["delta"]["name"] == "lookback"]
        stored = sum(chunk["meta_bytes"] + chunk["page_bytes"] for chunk in chunks)
        text = ""
        for log in (12, 14, 16):
            windows = [(min(at, 1 << chunk["delta"]["window_n_log"]), chunk) for chunk in chunks
                       for at in range(1 << log, chunk["count"], 1 << log)]
            plain = sum(n * v["latent_bits"] / 8 for n, chunk in windows
                        for v in chunk["variables"] if v["delta_encoded"])
            packed = sum(n * packed_bytes for n, _ in windows)
            if windows:
                text += f"  2^{log}: {plain / stored:8.2f} {packed / stored:8.2f}"
        if text:
            print(f"{name:40} {stored:>9} bytes{text}", flush=True)


def make_columns(options: argparse.Namespace) -> None:
    """Files with restart points every 4,096 numbers; Lookback in chunks of 4,096."""
    options.make.mkdir(parents=True, exist_ok=True)
    for name, numbers, how in made_columns(options):
        more = {"paging": SMALL_CHUNK, "trailer": True} if "lookback" in name else {"trailer": 4096}
        (options.make / f"{name}.pco").write_bytes(numpact.compress(numbers, **how, **more))


def print_staging(options: argparse.Namespace) -> None:
    """GB/s of file bytes from memory to the buffers that a device reads; needs no GPU."""
    print(f"{'column':34} {'bits':>6} threads {'copy':>7} {'staging':>7}  ratio   of CPU time "
          f"{'plans':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for name, numbers, how in made_columns(options):
            file = Path(folder) / "column.pco"
            file.write_bytes(numpact.compress(numbers, trailer=4096, **how))
            for threads in options.threads.split(","):
                for row in run("bench_gpu_staging", threads, file):
                    print(f"{name:34} {row['bits']:6.2f} {threads:>7} {row['memcpy_gb_s']:7.2f} "
                          f"{row['staging_gb_s']:7.2f} {row['ratio']:6.2f} "
                          f"{row['cpu_ratio']:13.2f} {row['plan_gb_s']:7.1f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1 << 24, help="numbers of a column")
    parser.add_argument("--types", default="i64,f64", help="of columns")
    parser.add_argument("--columns", default="", help="only columns whose name has one of these "
                        "texts, with commas between")
    parser.add_argument("--level", type=int, default=6)
    parser.add_argument("--points", action="store_true", help="only what restart points cost")
    parser.add_argument("--staging", action="store_true", help="only what the host does: metadata, "
                        "checksums and copies, compared with copies alone")
    parser.add_argument("--windows", type=Path, help="only what restart points with the window of "
                        "Lookback would take in the columns of this folder")
    parser.add_argument("--threads", default="1,2,4,8", help="of the staging")
    parser.add_argument("--make", type=Path, help="only write the columns to this folder")
    parser.add_argument("--rows", type=int, default=10_000_000, help="of CVC; 0: none")
    parser.add_argument("--out", type=Path, help="all results, as JSON")
    options = parser.parse_args()
    if options.points:
        print_points(options)
        return
    if options.make:
        make_columns(options)
        return
    if options.staging:
        print_staging(options)
        return
    if options.windows:
        print_windows(options)
        return
    rows: list[Row] = []
    has_nvcomp = True
    try:
        run("bench_gpu_pco")
        with tempfile.TemporaryDirectory() as folder:
            for name, numbers, how in made_columns(options):
                found = list(pco_rows(name, numbers, how, Path(folder)))
                try:
                    found += nvcomp_rows(name, numbers) if has_nvcomp else []
                except ImportError as error:
                    has_nvcomp = False
                    print(f"no nvCOMP: {error}")
                rows += found
                print("\n".join(map(describe, found)), flush=True)
        for row in run("bench_gpu_cvc", "--rows", options.rows) if options.rows else []:
            rows.append(row)
            print(json.dumps(row))
    except NoGpuError as error:
        print(f"skipped: {error}")
        return
    if options.out:
        options.out.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
