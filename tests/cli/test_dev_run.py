# SPDX-License-Identifier: Apache-2.0
"""`./dev run` and `./dev python` mean paths as the caller does, wherever they are called from."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build/release/cli/numpact"


@pytest.mark.skipif(os.environ.get("NUMPACT_CLI") != str(BUILT), reason="another build is tested")
def test_paths_are_those_of_the_caller(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    for arguments in (["compress", "t.csv", "-o", "t", "-q"], ["verify", "t"]):
        done = subprocess.run([ROOT / "dev", "run", "--", *arguments], cwd=tmp_path, check=False,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "t").iterdir()) == \
        ["a.pco", "b.pco", "manifest.json"]
