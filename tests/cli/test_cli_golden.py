# SPDX-License-Identifier: Apache-2.0
"""Files of every release so far give the numbers they were made of (tools/golden.py)."""

from __future__ import annotations

import hashlib
import io
import json

import numpy as np
import pytest
from cli_program import ROOT, run

GOLDEN = ROOT / "tests/fixtures/golden"
RELEASES = sorted(path.name for path in GOLDEN.iterdir())


def test_releases_are_kept() -> None:
    assert "0.1.0" in RELEASES


@pytest.mark.parametrize("release", RELEASES)
def test_pco_files(release: str) -> None:
    manifest = json.loads((GOLDEN / release / "manifest.json").read_text())
    assert len(manifest["pco"]) >= 28
    for entry in manifest["pco"]:
        path = GOLDEN / release / entry["file"]
        raw = run("decompress", path, "--to", "raw").out
        assert hashlib.sha256(raw).hexdigest() == entry["sha256"], entry["file"]
        assert len(raw) == entry["count"] * np.dtype(entry["dtype"]).itemsize
        run("verify", path)


@pytest.mark.parametrize("release", RELEASES)
def test_cvc_files(release: str) -> None:
    manifest = json.loads((GOLDEN / release / "manifest.json").read_text())
    assert len(manifest["cvc"]) >= 9
    for entry in manifest["cvc"]:
        path = GOLDEN / release / entry["file"]
        rows = np.load(io.BytesIO(run("cvc", "unpack", path, "-o", "-", "--to", "npy").out))
        assert list(rows.shape) == entry["shape"]
        assert hashlib.sha256(rows.astype("<f4").tobytes()).hexdigest() == entry["sha256"]
        run("cvc", "verify", path)
