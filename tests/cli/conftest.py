# SPDX-License-Identifier: Apache-2.0
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))


# The package's command runs one in this many tests of a file, without a mark wheel_takes: it is the
# same code, finds Python in another way, and starts four times as slowly.
_WHEEL_SHARE = 4


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks as slow the tests of the package's command that only ./dev test-full runs."""
    seen: Counter[str] = Counter()
    for item in items:
        mark = item.get_closest_marker("wheel_takes")
        callspec = getattr(item, "callspec", None)
        if callspec is None or "wheel" not in callspec.id.split("-"):
            continue
        name = item.nodeid.partition("[" if mark else "::")[0]
        if seen[name] % (mark.args[0] if mark else _WHEEL_SHARE):
            item.add_marker(pytest.mark.slow)
        seen[name] += 1


@pytest.fixture(scope="session")
def arrow() -> None:
    """For tests of formats that need Arrow: skips them where the program has none."""
    from cli_program import PROGRAM
    import subprocess

    probe = subprocess.run([PROGRAM, "compress", "-", "--from", "csv", "--column", "a"],
                           input=b"a\n1\n", capture_output=True, check=False)
    if b"no Arrow" in probe.stderr or b"needs pyarrow" in probe.stderr:
        pytest.skip("the program has no Arrow")


@pytest.fixture
def grows(tmp_path: Path) -> Path:
    """Five numbers, and five.npy and nine.npy to add."""
    from cli_program import run
    import numpy as np

    np.save(tmp_path / "five.npy", np.arange(5))
    np.save(tmp_path / "nine.npy", np.arange(9))
    run("compress", tmp_path / "five.npy", "-o", tmp_path / "grows.pco")
    return tmp_path / "grows.pco"
