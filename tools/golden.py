#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the files that later releases must be able to read: tests/fixtures/golden/VERSION.

To be run once for each release, with the command of that release (NUMPACT_CLI or build/release).
A folder that exists is never touched.
"""
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("NUMPACT_CLI") or str(ROOT / "build/release/cli/numpact")
COUNT = 3000


def walk(dtype: str, seed: int) -> np.ndarray:
    steps = np.random.default_rng(seed).integers(-3, 4, COUNT)
    return (100 + np.cumsum(steps) % 100).astype(dtype)


def columns():
    """Name, numbers and options of each Pco file."""
    types = ["u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8"]
    for seed, dtype in enumerate(types):
        yield f"auto_{dtype}", walk(dtype, seed), []
    integers = walk("i8", 20) * 60
    prices = np.round(walk("f8", 21) * 0.01, 2)
    yield "int_mult", integers, ["--mode", "int-mult=60"]
    yield "float_mult", prices, ["--mode", "float-mult=0.01"]
    yield "float_quant", walk("f4", 22).astype("f8"), ["--mode", "float-quant=29"]
    yield "dict", np.random.default_rng(23).choice(prices[:40], COUNT), ["--mode", "dict"]
    yield "consecutive", integers, ["--delta", "consecutive=3"]
    yield "lookback", np.tile(integers[:250], 12), ["--delta", "lookback"]
    yield "conv1", walk("i4", 24), ["--delta", "conv1=4"]
    odd = np.array([np.nan, -np.nan, np.inf, -np.inf, -0.0, 0.0, 5e-324, -1.5] * 50)
    yield "odd_floats", odd, []
    yield "none", integers[:0], []
    yield "one", integers[:1], []
    yield "chunks", integers, ["--page-size", "700"]
    yield "restarts", integers, ["--page-size", "2000", "--restart", "256"]
    yield "no_trailer", integers, ["--no-trailer"]
    for version in ["1", "2", "3", "4.0"]:
        yield f"compat_{version}", prices, ["--compat", version]


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def main() -> int:
    version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True,
                             check=True).stdout.split()[1]
    folder = ROOT / "tests/fixtures/golden" / version
    folder.mkdir(parents=True)
    manifest = {"pco": [], "cvc": []}
    source = folder / "source.npy"
    for name, numbers, options in columns():
        np.save(source, numbers)
        file = f"{name}.pco"
        subprocess.run([PROGRAM, "compress", source, "-q", "-o", folder / file, *options],
                       check=True)
        manifest["pco"].append({"file": file, "dtype": numbers.dtype.str, "count": len(numbers),
                                "sha256": digest(numbers.tobytes())})
    vectors = np.random.default_rng(30).normal(size=(120, 24)).astype("f4")
    np.save(source, vectors)
    for compression in ["none", "fp16", "int8", "lossless", "bfloat16", "int4",
                        "int8_row", "int8_dim", "pco"]:
        file = f"{compression}.cvc"
        subprocess.run([PROGRAM, "cvc", "pack", source, "-q", "-o", folder / file,
                        "--compression", compression], check=True)
        out = folder / "out.npy"
        subprocess.run([PROGRAM, "cvc", "unpack", folder / file, "-q", "-o", out], check=True)
        rows = np.load(out)
        out.unlink()
        manifest["cvc"].append({"file": file, "shape": rows.shape,
                                "sha256": digest(rows.astype("<f4").tobytes())})
    source.unlink()
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    print(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
