# SPDX-License-Identifier: Apache-2.0
"""The package uses the instruction set that NUMPACT_TARGET names; the library reads no variable."""

import os
import subprocess
import sys

import pytest

SCRIPT = "from numpact import _core; print([name for name, _, used in _core.cpu_targets() if used])"


def used_target(requested: str | None) -> str:
    environment = {name: text for name, text in os.environ.items() if name != "NUMPACT_TARGET"}
    if requested is not None:
        environment["NUMPACT_TARGET"] = requested
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return done.stdout.strip()


@pytest.mark.parametrize("requested", ["auto", "", "mmx"])
def test_the_best_is_the_default(requested: str) -> None:
    assert used_target(requested) == used_target(None)


def test_the_variable_names_another() -> None:
    assert used_target("scalar") == "['scalar']"
