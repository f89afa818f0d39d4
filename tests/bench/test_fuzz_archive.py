# SPDX-License-Identifier: Apache-2.0
"""Archives of fuzz inputs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "fuzz/archive.py"


def archive(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *map(str, arguments)],
                          capture_output=True, text=True)


def test_inputs_come_back(tmp_path: Path) -> None:
    folder = tmp_path / "inputs"
    folder.mkdir()
    inputs = [b"", b"a", bytes(range(256)), b"\n" * 300]
    for i, data in enumerate([*inputs, b"a"]):
        (folder / str(i)).write_bytes(data)
    packed = archive("pack", tmp_path / "all.bin", folder)
    assert packed.stdout.endswith(f"4 of 4 inputs, {4 * 4 + 557} bytes\n")
    archive("unpack", tmp_path / "all.bin", tmp_path / "again").check_returncode()
    assert sorted(f.read_bytes() for f in (tmp_path / "again").iterdir()) == sorted(inputs)


def test_limits_keep_the_smallest(tmp_path: Path) -> None:
    folder = tmp_path / "inputs"
    folder.mkdir()
    for size in (5, 1, 9):
        (folder / str(size)).write_bytes(b"x" * size)
    archive("pack", tmp_path / "two.bin", folder, "--max-inputs", 2).check_returncode()
    assert (tmp_path / "two.bin").read_bytes() == b"\1\0\0\0x\5\0\0\0xxxxx"
    archive("pack", tmp_path / "one.bin", folder, "--max-bytes", 8).check_returncode()
    assert (tmp_path / "one.bin").read_bytes() == b"\1\0\0\0x"


def test_cut_archives_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "cut.bin").write_bytes(b"\1\0\0\0x\5\0\0\0xx")
    done = archive("unpack", tmp_path / "cut.bin", tmp_path / "out")
    assert done.returncode == 1 and "byte 5 is cut off" in done.stderr
