# SPDX-License-Identifier: Apache-2.0
"""Leaves the tests of tables out where packages are missing."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

# Helpers that tests of the package share with those of the command.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))

MISSING = [
    name for name in ("pyarrow", "pandas", "polars", "hypothesis") if find_spec(name) is None
]

if MISSING:
    collect_ignore_glob = ["test_*.py"]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if MISSING:
        terminalreporter.line(f"tests/python/tables: left out, there is no {', '.join(MISSING)}")
