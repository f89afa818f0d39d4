#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One round on a machine with an NVIDIA GPU: tests, the benchmark of two builds, compute-sanitizer.

Needs what `./dev gpu-round prepare` has made and nothing else: it builds nothing. Every step has a
time limit, and all end within 8 minutes. Results are printed, and kept in build/gpu-round.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROUND = ROOT / "build/gpu-round"
TESTS = ROOT / "build/release/tests/gpu"
PROGRAM = "bench_gpu_pco"
BUILDS = {"before": ROUND / "before" / PROGRAM, "after": ROOT / "build/release/bench" / PROGRAM}
NO_GPU = 77  # what the programs end with
ALL_SECONDS = 470
START = time.monotonic()
# Seconds of each step. The first test also waits for the driver, which compiles the kernels.
TEST_SECONDS = 100
BENCH_SECONDS = 160
SANITIZER_SECONDS = 100
# Tests of the path from the host and of the kernels, small enough for the sanitizer.
SANITIZED = "*Many*:*FilesWithErrors*:*RestartPoint*:*Refused*:*ReleasesAndMade*"


def run(command: list[str | Path], seconds: float) -> tuple[int, str]:
    """The exit status (124: too slow) and the output."""
    seconds = max(1.0, min(seconds, START + ALL_SECONDS - time.monotonic()))
    try:
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        output = late.stdout or b""
        return 124, output.decode(errors="replace") if isinstance(output, bytes) else output
    return done.returncode, done.stdout


def report(name: str, status: int, output: str, begin: float) -> bool:
    (ROUND / f"{name}.log").write_text(output)
    verdict = {0: "passed", 124: "stopped: too slow"}.get(status, f"failed with {status}")
    print(f"{name}: {verdict}, {time.monotonic() - begin:.0f} s", flush=True)
    if status not in (0, 124):
        print("\n".join(output.splitlines()[-15:]), flush=True)
    return status == 0


def tests() -> bool:
    passed = True
    for name in ("pco_device_test", "cvc_device_test"):
        begin = time.monotonic()
        passed &= report(name, *run([TESTS / name], TEST_SECONDS), begin)
    return passed


def bench() -> bool:
    """Both builds decode each file, one after the other."""
    rows = []
    end = time.monotonic() + BENCH_SECONDS
    titles = ("resident", "from the host", "all threads")
    print(f"{'GB/s: before, after':34} {'bits':>6}", *(f"{title:>19}" for title in titles))
    keys = ("decode_gb_s", "from_host_gb_s", "from_host_all_gb_s")
    for file in sorted(ROUND.glob("*.pco")):
        found = {}
        for build, program in BUILDS.items():
            status, output = run([program, file], end - time.monotonic())
            if status != 0:
                print(f"{file.stem}: {build} failed with {status}: {output.strip()[-300:]}")
                return False
            found[build] = json.loads(output.splitlines()[-1])
            rows.append({"column": file.stem, "build": build, **found[build]})
        old, new = found["before"], found["after"]
        wrong = "" if old["mismatches"] == new["mismatches"] == 0 else "  WRONG NUMBERS"
        # Older builds use one thread in any case.
        speeds = " ".join(
            f"{build.get(key, build['from_host_gb_s']):9.1f}"
            for key in keys
            for build in (old, new)
        )
        print(f"{file.stem:34} {new['bits']:6.2f} {speeds}{wrong}", flush=True)
    (ROUND / "bench.json").write_text(json.dumps(rows, indent=1))
    return all(row["mismatches"] == 0 for row in rows)


def sanitizer() -> bool:
    tool = shutil.which("compute-sanitizer") or shutil.which(
        "compute-sanitizer", path="/usr/local/cuda/bin"
    )
    if tool is None:
        print("compute-sanitizer was not found")
        return False
    passed = True
    for kind in ("memcheck", "racecheck"):
        begin = time.monotonic()
        command = [tool, "--tool", kind, "--error-exitcode", "1", TESTS / "pco_device_test"]
        result = run([*command, f"--gtest_filter={SANITIZED}"], SANITIZER_SECONDS)
        passed &= report(kind, *result, begin)
    return passed


def main() -> None:
    missing = [str(path) for path in (TESTS, *BUILDS.values()) if not path.exists()]
    if missing or not any(ROUND.glob("*.pco")):
        sys.exit(f"run ./dev gpu-round prepare COMMIT first: {', '.join(missing) or 'no columns'}")
    if run([BUILDS["after"]], TEST_SECONDS)[0] == NO_GPU:
        print("skipped: there is no GPU")
        return
    passed = [step() for step in (tests, bench, sanitizer)]
    print(f"{time.monotonic() - START:.0f} s in all; logs are in {ROUND}")
    sys.exit(0 if all(passed) else 1)


if __name__ == "__main__":
    main()
