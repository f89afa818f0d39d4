# SPDX-License-Identifier: Apache-2.0
import os
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

FULL = os.environ.get("NUMPACT_FULL", "0") not in ("", "0")
SEED = int(os.environ.get("NUMPACT_SEED") or int.from_bytes(os.urandom(4), "little"))


def pytest_report_header() -> str:
    return f"NUMPACT_SEED={SEED} repeats this run" + (", NUMPACT_FULL" if FULL else "")


@pytest.fixture(scope="session")
def effort() -> int:
    """How many times as many random cases as by default."""
    return 20 if FULL else 1


@pytest.fixture(scope="session")
def spec_effort() -> int:
    """The same of the tests that go through all specs: other cases are drawn in each run."""
    return 60 if FULL else 1


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers that depend on the seed and the name of the test only."""
    return np.random.default_rng([SEED, zlib.crc32(request.node.nodeid.split("/")[-1].encode())])


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo):
    outcome = yield
    report = outcome.get_result()
    if report.failed and "rng" in getattr(item, "fixturenames", ()):
        report.sections.append(("repeat", f"NUMPACT_SEED={SEED}" + (" NUMPACT_FULL=1" * FULL)))
