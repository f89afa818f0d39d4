# SPDX-License-Identifier: Apache-2.0
"""Tensors, in an environment with PyTorch."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from environments import ROOT, Environment

FOLDER = ROOT / "tests/python/cvc"


@pytest.fixture(scope="module")
def with_torch(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """NUMPACT_TORCH_INDEX: where to get PyTorch. That of PyPI brings CUDA and Triton along on
    Linux, several gigabytes; https://download.pytorch.org/whl/cpu does not."""
    environment = Environment(tmp_path_factory.mktemp("torch"))
    environment.install(wheel, "pytest", "pyarrow")
    index = os.environ.get("NUMPACT_TORCH_INDEX")
    environment.install("torch", *(("--index-url", index) if index else ()))
    environment.install("triton")
    return environment


# Without a GPU the interpreter runs Triton's kernels; and that they compile can be seen all the
# same. Triton reads the variable when it is imported, hence a process for each.
@pytest.mark.slow
@pytest.mark.parametrize(
    "file, variables",
    [
        ("with_torch.py", {}),
        ("with_torch_dataset.py", {}),
        ("test_gpu.py", {"TRITON_INTERPRET": "1"}),
        ("test_triton_code.py", {}),
    ],
)
def test_with_torch(
    with_torch: Environment, file: str, variables: dict[str, str], tmp_path: Path
) -> None:
    done = subprocess.run(
        [with_torch.python, "-m", "pytest", "-q", "-p", "no:cacheprovider",
         "-c", ROOT / "tests/pytest.ini", FOLDER / file],
        capture_output=True, text=True, check=False, cwd=tmp_path, env={**os.environ, **variables},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "skipped" not in done.stdout.splitlines()[-1], done.stdout
