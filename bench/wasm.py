#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed of the WebAssembly modules in Node, compared with the native library.

Usage: ./dev bench wasm [FOLDER]

Every --every-th column of a folder, one thread, the best of --rounds runs. `simd` and `scalar` are
the modules that ./dev wasm has built. MB/s counts bytes of numbers.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import tempfile
from pathlib import Path

import numpact
import numpy as np
from columns import columns, default_folder
from rounds import fastest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "build/wasm/package"
MIN_BYTES = 1_000_000
BUILDS = ["native", "simd", "scalar"]


def native(numbers: np.ndarray, level: int, rounds: int) -> tuple[float, float, bytes]:
    file = numpact.compress(numbers, level=level, threads=1)
    encode = fastest(lambda: numpact.compress(numbers, level=level, threads=1), rounds)
    out = np.empty_like(numbers)
    decode = fastest(lambda: numpact.decompress_into(file, out, threads=1), rounds)
    return encode, decode, file


def in_node(folder: Path, dtype: str, level: int, rounds: int) -> dict[str, list[float]]:
    command = ["node", ROOT / "bench/wasm.mjs", PACKAGE, folder, dtype, str(level), str(rounds)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def measured(args: argparse.Namespace) -> list[tuple[str, int, dict[str, list[float]]]]:
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        large = list(columns(args.folder, min_bytes=MIN_BYTES))
        for column, numbers in large[:: args.every]:
            encode, decode, file = native(numbers, args.level, args.rounds)
            (folder / "numbers").write_bytes(numbers.tobytes())
            (folder / "file").write_bytes(file)
            times = {"native": [encode, decode]}
            times |= in_node(folder, numbers.dtype.str[1:], args.level, args.rounds)
            rows.append((f"{column}, {numbers.dtype}", numbers.nbytes, times))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=default_folder())
    parser.add_argument("--every", type=int, default=12)
    parser.add_argument("--level", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    heads = [f"{what} {build}" for what in ("encode", "decode") for build in BUILDS]
    print(f"| column | MB | {' | '.join(heads)} |\n|{' --- |' * (2 + len(heads))}")
    rows = measured(args)
    for name, size, times in rows:
        speeds = [size / times[build][i] / 1e6 for i in (0, 1) for build in BUILDS]
        shown = " | ".join(f"{speed:,.0f}" for speed in speeds)
        print(f"| {name} | {size / 1e6:.1f} | {shown} |")
    means = [math.exp(sum(math.log(s / t[w][i] / 1e6) for _, s, t in rows) / len(rows))
             for i in (0, 1) for w in BUILDS]  # fmt: skip
    print(f"| geometric mean | | {' | '.join(f'{mean:,.0f}' for mean in means)} |")


if __name__ == "__main__":
    main()
