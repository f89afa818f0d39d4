#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions of a warp for a batch of 256 numbers on a GPU, counted without one.

The emulation of the kernels counts how often a warp executes each step (src/gpu/walk/view.hpp), and
the machine code of the kernels, from nvcc and nvdisasm, says how many instructions a step has. Its
line information tells to which step an instruction belongs. Left out is code that runs only if the
lanes of a warp have diverged. Both sides of other branches within a step count, so the sum is an
upper bound. nvdisasm is part of CUDA, and of the package nvidia-cuda-nvdisasm of PyPI.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import numpact
from combo_data import make_numbers, mode_value

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "release" / "bench" / "bench_gpu_steps"
# Type, mode, delta encoding, order.
COLUMNS = (
    ("i64", "classic", "none", 0),
    ("i64", "classic", "consecutive", 1),
    ("f64", "float_mult", "consecutive", 1),
    ("i32", "classic", "conv1", 8),
)
# An instruction of each loop, and how often a body has it: compilers repeat bodies.
OF_BODY = {
    "kTurns": ("SHFL.BFLY", 2),
    "kWidths": ("LDG", 1),
    "kMoments": ("SHFL.UP", 5),
    "kConv1Terms": ("LDG", 1),
    "kConv1Latents": ("STS", 1),
}
BITS = {"h": 8, "t": 16, "j": 32, "m": 64}

Frame = tuple[str, int]
Regions = dict[str, list[tuple[int, int, str]]]


def regions_of(folder: Path) -> Regions:
    """For each source the lines (first, last, step) that are executed as often as the step."""
    regions: Regions = defaultdict(list)
    for path in sorted(folder.glob("*.hpp")):
        lines = path.read_text().splitlines()
        for first, line in enumerate(lines, 1):
            found = re.search(r"count\(Step::(k\w+)\)", line)
            if not found:
                continue
            depth = 0
            for last in range(first, len(lines) + 1):
                code = lines[last - 1].split("//")[0]
                depth += code.count("{") - code.count("}")
                if depth < 0:
                    regions[path.name].append((first, last, found[1]))
                    break
    return regions


class Kernel:
    """The instructions of a kernel: (address, text, frames from the innermost outwards)."""

    def __init__(self, lines: list[str]) -> None:
        self.code: list[tuple[str, tuple[Frame, ...]]] = []
        labels: dict[str, int] = {}
        frames: list[Frame] = []
        starts = True
        for line in lines:
            if found := re.search(r'//## File "([^"]+)", line (\d+)', line):
                if starts:
                    frames = []
                    starts = False
                frames.append((Path(found[1]).name, int(found[2])))
            elif found := re.match(r"(\.L_\w+):", line):
                labels[found[1]] = len(self.code)
            elif found := re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", line):
                starts = True
                self.code.append((found[1], tuple(frames)))
        self.labels = labels

    def executed(self) -> list[tuple[str, tuple[Frame, ...]]]:
        """What is reached from the start if lanes never diverge at a shuffle."""
        seen = [False] * len(self.code)
        open_ = [0]
        while open_:
            at = open_.pop()
            while at < len(self.code) and not seen[at]:
                seen[at] = True
                text = self.code[at][0]
                name = re.sub(r"^@!?U?P\w+\s+", "", text)
                target = re.search(r"`\((\.L_\w+)\)", text)
                if name.startswith(("BRA", "CALL")) and not name.startswith("BRA.DIV") and target:
                    open_.append(self.labels[target[1]])
                if name == text and re.match(r"(BRA(\.U)?|EXIT|RET\S*)\b(?!\.DIV)", name):
                    break
                at += 1
        return [
            code
            for code, was_seen in zip(self.code, seen, strict=True)
            if was_seen and not re.match(r"NOP\b", code[0])
        ]


Kernels = dict[tuple[int, bool], Kernel]


def step_of(frames: tuple[Frame, ...], regions: Regions) -> tuple[str, tuple[Frame, ...]]:
    """The step of an instruction, and the frames around it, which differ between copies of it."""
    for i, (source, line) in enumerate(frames):
        inside = [r for r in regions.get(source, []) if r[0] <= line <= r[1]]
        if inside:
            return min(inside, key=lambda r: r[1] - r[0])[2], frames[i + 1 :]
    return "kGroups", ()


def instructions_of(kernel: Kernel, regions: Regions, bits: int) -> dict[str, float]:
    """Instructions of one execution of each step: all of its copies, divided by their number."""
    copies: dict[str, dict[tuple[Frame, ...], Counter[str]]] = defaultdict(
        lambda: defaultdict(Counter)
    )
    for text, frames in kernel.executed():
        step, around = step_of(frames, regions)
        name = re.sub(r"^@!?U?P\w+\s+", "", text).split()[0]
        copies[step][around][name] += 1
    result = {}
    for step, of_step in copies.items():
        largest = max(sum(names.values()) for names in of_step.values())
        whole = sum(2 * sum(names.values()) >= largest for names in of_step.values())
        names = sum(of_step.values(), Counter())
        if step in OF_BODY:
            prefix, per_body = OF_BODY[step]
            if step == "kMoments" and bits == 64:
                per_body *= 2  # a shuffle for each half of a sum
            shuffles = sum(n for name, n in names.items() if name.startswith(prefix))
            whole = max(shuffles // per_body, 1)
        result[step] = sum(names.values()) / whole
    return result


def kernels_of(bits: int, options: argparse.Namespace, folder: Path) -> Kernels:
    """The kernels for numbers of `bits` bits, by bits of primary latents and order of deltas."""
    cubin = folder / f"{bits}.cubin"
    source = ROOT / "src" / "gpu" / "cuda" / f"pco_{bits}.cu"
    command = [
        *(options.nvcc, "-cubin", f"-arch={options.arch}", "-std=c++20", "-O3", "-DNDEBUG"),
        *("--expt-relaxed-constexpr", "--fmad=false", "-lineinfo", "-Xptxas", "-v"),
        *("-I", ROOT / "src", "-I", ROOT / "include", source, "-o", cubin),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    for line in done.stderr.splitlines():
        if options.registers and re.search(r"entry function|spill|Used", line):
            print(line)
    command = [options.nvdisasm, "-gi", "-c", cubin]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    kernels = {}
    for section in re.split(r"^\.text\.", text, flags=re.M)[1:]:
        name = section.split(":", 1)[0]
        found = re.search(r"decode_groupsI\w(\w)LNS0_10DeltaOrderE(\d)", name)
        if found:
            kernels[BITS[found[1]], found[2] == "1"] = Kernel(section.splitlines()[1:])
    return kernels


def print_column(column: tuple[str, str, str, int], kernels: dict[int, Kernels], folder: Path,
                 options: argparse.Namespace) -> None:
    type_name, mode, delta, order = column
    numbers = make_numbers(type_name, mode, delta, order, options.count)
    value = mode_value(mode, type_name)
    text = f"{mode.replace('_', '-')}={value:.17g}" if value else mode
    spec = f"{delta}={order}" if order else delta
    file = folder / "column.pco"
    file.write_bytes(numpact.compress(numbers, mode=text, delta=spec, trailer=options.restart))
    bits = 8 * numbers.itemsize
    if bits not in kernels:
        kernels[bits] = kernels_of(bits, options, folder)
    kernel = kernels[bits][32 if mode == "dict" else bits, delta in ("conv1", "lookback")]
    sizes = instructions_of(kernel, regions_of(ROOT / "src" / "gpu" / "walk"), bits)
    for tasks in options.tasks.split(","):
        done = subprocess.run([PROGRAM, tasks, file], capture_output=True, text=True, check=True)
        row = json.loads(done.stdout)
        steps = {s: n * sizes.get(s, 0.0) / row["batches"] for s, n in row["steps"].items()}
        shares = ", ".join(f"{step[1:]} {n:.0f}" for step, n in steps.items() if n >= 1)
        print(f"{f'{type_name} {mode} {spec}':32} {tasks:>5}  {sum(steps.values()):.0f}: {shares}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1 << 18, help="numbers of a column")
    parser.add_argument("--restart", type=int, default=1 << 12)
    parser.add_argument("--tasks", default="1,8", help="most tasks of a warp")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    parser.add_argument("--nvdisasm", default=shutil.which("nvdisasm") or "nvdisasm")
    parser.add_argument("--registers", action="store_true", help="print those of each kernel")
    options = parser.parse_args()
    if not PROGRAM.exists():
        sys.exit(f"{PROGRAM} is not there: ./dev bench builds it")
    print(f"{'column':32} tasks  instructions of a warp for a batch")
    kernels: dict[int, Kernels] = {}
    with tempfile.TemporaryDirectory() as folder:
        for column in COLUMNS:
            print_column(column, kernels, Path(folder), options)


if __name__ == "__main__":
    main()
