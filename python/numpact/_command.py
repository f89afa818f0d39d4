# SPDX-License-Identifier: Apache-2.0
"""The command ``numpact``: the program that the package carries, told where Python is.

The program reads and writes Parquet, Arrow and CSV through this Python's pyarrow.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def program() -> Path:
    """Where the program lies."""
    name = "numpact.exe" if sys.platform == "win32" else "numpact"
    return Path(__file__).resolve().parent / "_bin" / name


def main() -> int:
    """Becomes the program; returns only where that is not there, or cannot be become."""
    path = program()
    if not path.exists():
        print("numpact: this installation does not have the command", file=sys.stderr)
        return 1
    if sys.executable:
        os.environ["NUMPACT_PYTHON"] = sys.executable
    if sys.platform != "win32":
        os.execv(path, ["numpact", *sys.argv[1:]])
    import subprocess

    return subprocess.run([path, *sys.argv[1:]], check=False).returncode
