# SPDX-License-Identifier: Apache-2.0
"""Tensors, in an environment with PyTorch."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from environments import ROOT, Environment


@pytest.mark.slow
def test_with_torch(wheel: Path, tmp_path: Path) -> None:
    """NUMPACT_TORCH_INDEX: where to get PyTorch. That of PyPI brings CUDA along on Linux, several
    gigabytes; https://download.pytorch.org/whl/cpu does not."""
    environment = Environment(tmp_path / "torch")
    environment.install(wheel, "pytest")
    index = os.environ.get("NUMPACT_TORCH_INDEX")
    environment.install("torch", *(("--index-url", index) if index else ()))
    done = subprocess.run(
        [environment.python, "-m", "pytest", "-q", "-p", "no:cacheprovider",
         "-c", ROOT / "tests/pytest.ini", ROOT / "tests/python/cvc/with_torch.py"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "skipped" not in done.stdout.splitlines()[-1], done.stdout
