# SPDX-License-Identifier: Apache-2.0
"""Each command's help has examples of its own, and they run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import numpy as np
import pytest
from cli_program import PROGRAM, run

COMMANDS = ["compress", "decompress", "head", "inspect", "explain", "estimate", "index", "compact",
            "verify", "bench", "cpu", "cvc", "cvc pack", "cvc append", "cvc unpack", "cvc info",
            "cvc verify", "cvc slice", "cvc concat", "cvc upgrade", "cvc quality"]


def listed(*group: str) -> list[str]:
    """The commands that the help of the program or of a group lists."""
    listing = run(*group, "--help").text.partition("Subcommands:")[2].partition("Examples:")[0]
    return re.findall(r"^  ([a-z]+) ", listing, re.MULTILINE)


def examples(command: str) -> list[str]:
    """The command lines of the examples, without the remarks behind them."""
    text = run(*command.split(), "--help").text.partition("Examples:\n")[2]
    lines = [line for line in text.splitlines() if line.strip()]
    return [re.split(r"  +", line.strip())[0] for line in lines if line.startswith("  ")]


def test_every_command_is_listed_here() -> None:
    found = [*listed(), *(f"cvc {name}" for name in listed("cvc"))]
    assert sorted(found) == sorted(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_are_those_of_the_command(command: str) -> None:
    lines = examples(command)
    assert len(lines) >= 2
    assert all(f"numpact {command}" in line for line in lines), lines
    assert max(map(len, run(*command.split(), "--help").text.partition("Examples:")[2]
                   .splitlines())) <= 100


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the examples of the commands for Pco files read; no Arrow is needed."""
    folder = tmp_path_factory.mktemp("examples")
    rng = np.random.default_rng(1)
    prices = np.round(100 + rng.normal(size=3000).cumsum(), 2)
    for name in ("prices.npy", "more.npy", "source.npy", "sst.npy"):
        np.save(folder / name, prices)
    prices.astype("<i8").tofile(folder / "ticks.raw")
    (folder / "trips.csv").write_text("id,fare,day,vendor\n" + "".join(
        f"{i},{x},2024-01-{1 + i % 31:02},CMT\n" for i, x in enumerate(prices)))
    for name in ("fare", "old", "prices", "prices.npy", "from_elsewhere"):
        run("compress", folder / "source.npy", "-q", "-o", folder / f"{name}.pco")
    run("compress", folder / "trips.csv", "-q", "-o", folder / "trips")
    (folder / "numpact").write_text(f'#!/bin/sh\nexec "{PROGRAM}" "$@"\n')
    (folder / "other_program").write_text("#!/bin/sh\nexec cat > /dev/null\n")
    for name in ("numpact", "other_program"):
        (folder / name).chmod(0o755)
    return folder


# Examples of tables and vectors run in test_cvc_examples.py and need pyarrow elsewhere.
RUNS = [line for command in COMMANDS if not command.startswith("cvc")
        for line in examples(command) if "parquet" not in line]


@pytest.mark.parametrize("line", RUNS)
def test_examples_run(folder: Path, line: str) -> None:
    words = shlex.split(line.partition("|")[0])
    targets = [words[words.index(option) + 1] for option in ["-o"] if option in words]
    if "--append" in words:
        run("compress", folder / "source.npy", "-qf", "-o", folder / targets[0])
    else:
        targets.append("prices.npy.pco")  # of the example that names no output
        if words[1] == "head":  # reads it
            targets = []
            run("compress", folder / "prices.npy", "-qf")
        for target in targets:
            (folder / target).unlink(missing_ok=True)
    if "fare.pco" not in targets:
        run("compress", folder / "source.npy", "-qf", "-o", folder / "fare.pco")
    line = line.replace("1000000:20", "1000:20")  # the file here is shorter
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    ran = subprocess.run(["sh", "-c", line], cwd=folder, env=environment, capture_output=True,
                         timeout=600, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
