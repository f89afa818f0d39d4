# SPDX-License-Identifier: Apache-2.0
"""The wheel, and virtual environments that it is installed into."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from environments import ROOT, Environment


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The one named by NUMPACT_WHEEL (./dev test does), else one that is built here."""
    named = os.environ.get("NUMPACT_WHEEL")
    if named:
        return Path(named)
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", ROOT, "--no-deps", "-q", "-w", folder]
    built = ROOT / "build/release"
    parts = ("src/libnumpact.a", "cli/libnumpact_cli_parts.a")
    if all((built / part).exists() for part in parts):
        command += ["-C", f"cmake.define.NUMPACT_PREBUILT={built}"]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def fresh(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel and what it depends on, nothing else."""
    environment = Environment(tmp_path_factory.mktemp("fresh"))
    environment.install(wheel)
    return environment


@pytest.fixture(scope="session")
def with_pyarrow(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel with its extra for tables.

    Installing pyarrow takes seconds, so only the slow tests do it (NUMPACT_FULL). The others link
    what this process has.
    """
    environment = Environment(tmp_path_factory.mktemp("with_pyarrow"))
    if os.environ.get("NUMPACT_FULL"):
        environment.install(f"{wheel}[cli]")
    else:
        environment.install("--no-deps", wheel)
        environment.link("nanobind_backend", "numpy", "numpy.libs", "pyarrow")
    return environment
