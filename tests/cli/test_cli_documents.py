# SPDX-License-Identifier: Apache-2.0
"""Output of the command that docs/cli.md and its other pages show is that of the command.

Blocks of output begin with a line "$ numpact ...". What follows is the output, or its first lines
if the block says so by a last line "...".
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from cli_program import FAILURE, PROGRAM, ROOT, run
from shared_files import locked

DOCUMENTS = sorted((ROOT / "docs").glob("cli*.md"))
BLOCK = re.compile(r"^```text\n(\$ numpact .*?)^```$", re.DOTALL | re.MULTILINE)
CHUNK = 10_000


def documents() -> str:
    return "\n".join(document.read_text(encoding="utf-8") for document in DOCUMENTS)


def sessions() -> list[tuple[str, str]]:
    """The commands of all blocks, and the output that is shown for each."""
    found = []
    for block in BLOCK.findall(documents()):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            if "emb_wine" not in command:  # test_cvc_quality.py compares it, within tolerances
                found.append((command, output))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the commands read."""
    folder = tmp_path_factory.mktemp("documents")
    rng = np.random.default_rng(1)
    (folder / "samples").symlink_to(ROOT / "samples")
    np.save(folder / "text.npy", rng.standard_normal((20_000, 96)).astype(np.float32))
    walk = np.round(1000 + rng.normal(size=3 * CHUNK).cumsum(), 2)
    np.save(folder / "prices.npy", walk)
    np.save(folder / "embeddings.npy", np.zeros((10, 4), np.float32))
    run("compress", folder / "prices.npy", "-q", "--page-size", CHUNK, "-o", folder / "prices.pco")
    whole = (folder / "prices.pco").read_bytes()
    (folder / "cut.pco").write_bytes(whole[: len(whole) * 4 // 5])
    run("cvc", "pack", folder / "embeddings.npy", "-q", "-o", folder / "embeddings.cvc")
    steps = np.random.default_rng(1).integers(-50, 51, 10_000)
    np.save(folder / "whole.npy", (10_000 + steps.cumsum()).astype(np.int64))
    run("compress", folder / "whole.npy", "-q", "--page-size", 2500, "-o", folder / "damaged.pco")
    damaged = bytearray((folder / "damaged.pco").read_bytes())
    damaged[len(damaged) * 3 // 8] ^= 1
    (folder / "damaged.pco").write_bytes(damaged)
    return folder


@pytest.fixture(scope="module")
def tables(folder: Path) -> Path:
    """The files that need pyarrow to be made."""
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    text = np.load(folder / "text.npy")
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(text.ravel()), 96)
    pq.write_table(pa.table({"text": vectors, "id": np.arange(20_000)}), folder / "docs.parquet")
    tips = pa.array([None if 7 <= i < 49 else i / 100 for i in range(1000)], pa.float64())
    pq.write_table(pa.table({"tip": tips}), folder / "trips.parquet")
    run("cvc", "pack", folder / "docs.parquet", "-q", "--compression", "text=int8,id=pco", "-o",
        folder / "docs.cvc")
    return folder


def test_message_of_a_lock_that_another_process_holds(folder: Path) -> None:
    shown = re.search(r"^numpact: (all\.pco: .* \(--lock-timeout\))$", documents(), re.MULTILINE)
    assert shown
    shutil.copy(folder / "prices.pco", folder / "all.pco")
    with locked(folder / "all.pco"):
        ran = run("compress", "prices.npy", "--append", "-o", "all.pco", "--lock-timeout", 0,
                  code=FAILURE, cwd=folder)
    assert shown[0] in ran.err.splitlines()


def test_blocks_are_found() -> None:
    assert len(sessions()) >= 8


@pytest.mark.usefixtures("arrow", "tables")
@pytest.mark.parametrize(("command", "shown"), sessions(), ids=lambda text: text.split("\n")[0])
def test_output_is_that_of_the_command(folder: Path, command: str, shown: str) -> None:
    path = f"{folder}:{os.environ['PATH']}"
    (folder / "numpact").unlink(missing_ok=True)
    (folder / "numpact").symlink_to(PROGRAM)
    ran = subprocess.run(["sh", "-c", command], cwd=folder, env={**os.environ, "PATH": path},
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600,
                         check=False)
    if shown.endswith("...\n"):
        lines = shown.removesuffix("...\n").splitlines()
        assert ran.stdout.splitlines()[: len(lines)] == lines
    else:
        assert ran.stdout == shown
