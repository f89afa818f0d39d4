# SPDX-License-Identifier: Apache-2.0
"""Runs the command line program."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
from archives import unpacked
from shared_files import leftovers  # noqa: F401

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("NUMPACT_CLI") or str(ROOT / "build/release/cli/numpact")
# tools/windows.sh: the program is one of Windows.
ON_WINE = "NUMPACT_WINE" in os.environ
FIXTURES = ROOT / "tests/fixtures/pco"
MADE = unpacked("pco/made.zip") / "made"

DONE, FAILURE, USAGE, CORRUPT, LIMIT = range(5)

DTYPES = {
    "u8": np.uint8, "i8": np.int8, "u16": np.uint16, "i16": np.int16, "f16": np.float16,
    "u32": np.uint32, "i32": np.int32, "f32": np.float32,
    "u64": np.uint64, "i64": np.int64, "f64": np.float64,
}


class Ran:
    def __init__(self, completed: subprocess.CompletedProcess[bytes]) -> None:
        self.code = completed.returncode
        self.out = completed.stdout
        self.err = completed.stderr.decode()

    @property
    def text(self) -> str:
        return self.out.decode()


def run(*arguments: object, code: int | None = DONE, stdin: bytes = b"", cwd: Path | None = None,
        before: Callable[[], None] | None = None, env: dict[str, str] | None = None) -> Ran:
    """Runs it, checks the exit code (unless None) and that all lines on standard error are its.

    `env` goes on top of the environment.
    """
    ran = Ran(subprocess.run([PROGRAM, *map(str, arguments)], input=stdin, capture_output=True,
                             cwd=cwd, preexec_fn=before, timeout=600, check=False,
                             env={**os.environ, **(env or {})}))
    assert code is None or ran.code == code, f"exit code {ran.code}\n{ran.err}"
    assert all(line.startswith("numpact: ") for line in ran.err.splitlines()), ran.err
    return ran


def refused(*arguments: object, code: int, **keywords: object) -> str:
    """Runs the program, which must fail with one line and write nothing; gives the line."""
    ran = run(*arguments, code=code, **keywords)
    assert ran.err.count("\n") == 1, ran.err
    assert ran.out == b""
    return ran.err.removeprefix("numpact: ").rstrip("\n")


def any_bits(name: str, count: int, seed: int = 1) -> np.ndarray:
    """Numbers of all kinds: NaNs with payloads, infinities, negative zeros, subnormals."""
    dtype = np.dtype(DTYPES[name])
    rng = np.random.default_rng(seed)
    numbers = np.frombuffer(rng.bytes(count * dtype.itemsize), dtype).copy()
    third = count // 3
    numbers[:third] = np.arange(third).astype(dtype)
    if dtype.kind == "f":
        bits = numbers.view(f"u{dtype.itemsize}")
        quiet = np.array(np.nan, dtype).view(bits.dtype)
        bits[third : third + 5] = quiet + np.arange(5, dtype=bits.dtype)
        numbers[third + 5 : third + 9] = [np.inf, -np.inf, -0.0, np.finfo(dtype).tiny]
    return numbers


def count(path: Path) -> int:
    """Numbers in a Pco file, which must be sound."""
    run("verify", path)
    return int(json.loads(run("inspect", path, "--json").out)["count"])
