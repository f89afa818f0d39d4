# SPDX-License-Identifier: Apache-2.0
"""The library as one source compiles: `./dev engines` builds it, this only reads it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# For one instruction set: names that clash do so in each.
QUICK = [f"-DNUMPACT_WITHOUT_{one}" for one in ("AVX512_VBMI2", "AVX512", "AVX2", "SSE4")]


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ is installed")
def test_it_compiles(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "tools/amalgamate.py", tmp_path], check=True)
    done = subprocess.run(["g++", "-std=c++20", "-O0", *QUICK, "-fsyntax-only", "numpact.cpp"],
                          cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
