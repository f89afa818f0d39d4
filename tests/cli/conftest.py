# SPDX-License-Identifier: Apache-2.0
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))


@pytest.fixture(scope="session")
def arrow() -> None:
    """For tests of formats that need Arrow: skips them where the program has none."""
    from cli_program import PROGRAM
    import subprocess

    probe = subprocess.run([PROGRAM, "compress", "-", "--from", "csv", "--column", "a"],
                           input=b"a\n1\n", capture_output=True, check=False)
    if b"no Arrow" in probe.stderr or b"needs pyarrow" in probe.stderr:
        pytest.skip("the program has no Arrow")
