# SPDX-License-Identifier: Apache-2.0
"""Both commands: that of the build tree, and that of the Python package."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import peak_memory
import pytest
from cli_program import PROGRAM, ROOT, Ran

WHEEL = ROOT / ".venv/bin/numpact"
# Set where one program is under test, as one that is built with sanitizers.
_HAS_WHEEL = WHEEL.exists() and not os.environ.get("NUMPACT_ONLY_CLI")
PROGRAMS = [pytest.param(PROGRAM, id="build"),
            pytest.param(str(WHEEL), id="wheel",
                         marks=pytest.mark.skipif(not _HAS_WHEEL, reason="not installed"))]

# How many random files the property tests of CSV and of tables make together.
_FULL = os.environ.get("NUMPACT_FULL", "0") not in ("", "0")
FILES = int(os.environ.get("NUMPACT_PROPERTY_FILES") or (10_000 if _FULL else 300))
SEED = int(os.environ.get("NUMPACT_SEED") or 1)


def files_of(program: str) -> int:
    """How many files each property test makes for a program: the package's starts slowly."""
    return max(1, FILES // 2 if program == PROGRAM else FILES // 40)


class Tool:
    """One of the commands."""

    def __init__(self, program: str) -> None:
        self.program = program

    def run(self, *arguments: object, code: int | None = 0, stdin: bytes = b"",
            cwd: Path | None = None, env: dict[str, str] | None = None) -> Ran:
        """Runs it, checks the exit code unless None, and that all lines of errors are its."""
        words: Sequence[str] = [self.program, *map(str, arguments)]
        done = subprocess.run(words, input=stdin, capture_output=True, cwd=cwd, timeout=600,
                              check=False, env={**os.environ, **(env or {})})
        ran = Ran(done)
        assert ran.code in range(5), f"exit code {ran.code}\n{ran.err}"
        assert code is None or ran.code == code, f"exit code {ran.code}\n{ran.err}"
        assert all(line.startswith("numpact: ") for line in ran.err.splitlines()), ran.err
        return ran

    def refused(self, *arguments: object, code: int = 1, **keywords: object) -> str:
        """It must fail with one line and write nothing; gives the line without its beginning."""
        ran = self.run(*arguments, code=code, **keywords)
        assert ran.err.count("\n") == 1, ran.err
        assert ran.out == b""
        return ran.err.removeprefix("numpact: ").rstrip("\n")

    def peak_of(self, *arguments: object) -> tuple[int, str, int]:
        """Exit code, what it says, and its most memory in bytes. A part of that are the program's
        own pages, which differ by 15 MiB between two copies of one program: subtract those of a
        small run."""
        with tempfile.NamedTemporaryFile("r") as report:
            words = peak_memory.measured(report.name, [self.program, *map(str, arguments)])
            done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  timeout=600, check=False, text=True)
            return done.returncode, done.stderr, int(report.read()) << 10


@pytest.fixture(params=PROGRAMS)
def tool(request: pytest.FixtureRequest) -> Tool:
    return Tool(request.param)
