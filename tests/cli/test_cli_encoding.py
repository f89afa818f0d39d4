# SPDX-License-Identifier: Apache-2.0
"""numpact compress --compat, --page-size auto, --favor-decode-speed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_program import USAGE, refused, run

FORMATS = {"2": [2, 0], "3": [3, 0], "4.0": [4, 0], "4.1": [4, 1]}


@pytest.fixture
def signal(tmp_path: Path) -> Path:
    """Numbers that suit Conv1."""
    rng = np.random.default_rng(9)
    numbers = np.zeros(20_000)
    for i in range(2, numbers.size):
        numbers[i] = 1.6 * numbers[i - 1] - 0.9 * numbers[i - 2] + 40 * rng.normal()
    path = tmp_path / "waves.npy"
    np.save(path, numbers.round().astype(np.int16))
    return path


def info_of(path: Path) -> dict[str, Any]:
    return json.loads(run("inspect", path, "--json").text)


@pytest.mark.parametrize("version", FORMATS)
def test_compat(signal: Path, version: str) -> None:
    packed = signal.with_suffix(".pco")
    run("compress", signal, "--compat", version, "-o", packed)
    info = info_of(packed)
    assert info["format_version"] == FORMATS[version]
    deltas = {chunk["delta"]["name"] for chunk in info["chunks"]}
    assert ("conv1" in deltas) == (version == "4.1")
    again = run("decompress", packed, "--to", "raw", "-o", "-").out
    assert again == np.load(signal).tobytes()


def test_compat_refuses(signal: Path, tmp_path: Path) -> None:
    assert "none of 1, 2, 3, 4.0, 4.1" in refused("compress", signal, "--compat", "5", code=USAGE)
    assert "none of 1, 2, 3, 4.0, 4.1" in refused("compress", signal, "--compat", "4", code=USAGE)
    assert "no such number type" in refused("compress", signal, "--compat", "1", code=USAGE)
    assert "no such mode" in refused("compress", signal, "--compat", "3", "--mode", "dict",
                                     code=USAGE)
    assert "no such delta" in refused("compress", signal, "--compat", "2", "--delta", "lookback",
                                      code=USAGE)
    np.save(tmp_path / "bytes.npy", np.zeros(10, np.uint8))
    assert "no such number type" in refused("compress", tmp_path / "bytes.npy", "--compat", "4.0",
                                            code=USAGE)
    assert not list(tmp_path.glob("*.pco"))


def test_append_keeps_the_version(signal: Path) -> None:
    packed = signal.with_suffix(".pco")
    run("compress", signal, "--compat", "4.0", "-o", packed)
    run("compress", signal, "--append", "-o", packed)
    info = info_of(packed)
    assert info["format_version"] == [4, 0]
    assert info["count"] == 40_000
    before = packed.read_bytes()
    line = refused("compress", signal, "--append", "--compat", "3", "-o", packed, code=USAGE)
    assert "newer" in line
    assert packed.read_bytes() == before


def test_page_size_auto(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    numbers = np.concatenate([rng.normal(0, 10, 30_000), rng.normal(0, 1e9, 50_000)])
    path, packed = tmp_path / "a.npy", tmp_path / "a.npy.pco"
    np.save(path, numbers.astype(np.int64))
    run("compress", path)
    default = packed.read_bytes()
    run("compress", path, "-f", "--page-size", "auto")
    assert packed.read_bytes() == default
    assert len(info_of(packed)["chunks"]) >= 2
    run("compress", path, "-f", "--page-size", 80_000)
    assert len(info_of(packed)["chunks"]) == 1
    assert "--page-size" in refused("compress", path, "-f", "--page-size", "automatic", code=USAGE)


def test_favor_decode_speed(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    numbers = rng.integers(0, 2**32, 60_000, dtype=np.uint32)
    for i in np.flatnonzero(rng.random(numbers.size) < 0.12):
        if i >= 500:
            numbers[i] = numbers[i - 500]
    path, packed = tmp_path / "a.npy", tmp_path / "a.npy.pco"
    np.save(path, numbers)
    run("compress", path)
    assert "lookback" in run("inspect", packed).text
    run("compress", path, "-f", "--favor-decode-speed")
    assert "lookback" not in run("inspect", packed).text
    assert run("decompress", packed, "--to", "raw", "-o", "-").out == numbers.tobytes()
