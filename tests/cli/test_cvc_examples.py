# SPDX-License-Identifier: Apache-2.0
"""The examples that `numpact cvc ... --help` and docs/cli*.md give do what they say."""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import zlib
from pathlib import Path

import numpy as np
import pytest
from cli_program import PROGRAM, ROOT
from cvc_support import cvc, safetensors, vecs, vectors

COMMANDS = ["info", "quality", "pack", "unpack", "verify", "upgrade", "slice", "concat"]
ROWS = 2000


def lines_of(text: str) -> list[str]:
    return re.findall(r"^ *((?:\w+ (?:\S+ )?\| )?numpact cvc .*?)(?:  .*)?$", text, re.MULTILINE)


def examples() -> list[str]:
    texts = [block for page in sorted((ROOT / "docs").glob("cli*.md"))
             for block in re.findall(r"```sh\n(.*?)```", page.read_text(), re.DOTALL)]
    texts += [cvc(command, "--help").text.split("Examples:")[-1] for command in COMMANDS]
    return sorted({line for text in texts for line in lines_of(text)})


def columnar(text: np.ndarray) -> bytes:
    """A file of two columns, with a section for each half."""
    halves = text.astype("<f2").tobytes()
    ids = np.arange(ROWS, dtype="<i8").tobytes()
    middle = ROWS // 2
    header = json.dumps({
        "format_type": "columnar", "num_vectors": ROWS,
        "columns": [{"name": "text", "dimension": 16, "dtype": "float32", "compression": "fp16"},
                    {"name": "id", "dimension": 1, "dtype": "int64", "compression": "none"}],
        "sections": [{"start_index": first, "end_index": first + middle, "num_vectors": middle,
                      "metadata": {"lang": lang}} for first, lang in ((0, "de"), (middle, "en"))],
        "chunks": [{"rows": ROWS, "columns": {
            "text": {"compression": "fp16", "offset": 0, "size": len(halves)},
            "id": {"compression": "none", "offset": len(halves), "size": len(ids)}}}],
    }).encode()
    payload = halves + ids
    return (b"CVCF" + struct.pack("<HHI", 2, 0, len(header)) + header
            + struct.pack("<II", len(payload), zlib.crc32(payload)) + payload)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files that examples read."""
    text = vectors(ROWS, 16)
    np.save(tmp_path / "embeddings.npy", text)
    (tmp_path / "sift.fvecs").write_bytes(vecs(text))
    (tmp_path / "model.safetensors").write_bytes(safetensors({"wte.weight": ("F32", text)}))
    (tmp_path / "docs.cvc").write_bytes(columnar(text))
    pack = ["pack", tmp_path / "embeddings.npy", "-o"]
    for name in ["embeddings.npy.cvc", "packed.cvc", "sift.cvc", "hurt.cvc"]:
        cvc(*pack, tmp_path / name, "--chunk-rows", 500)
    cvc(*pack, tmp_path / "old.cvc", "--version", "0.1")
    cvc("slice", tmp_path / "docs.cvc", tmp_path / "part.cvc", "--rows", "0:500")
    hurt = bytearray((tmp_path / "hurt.cvc").read_bytes())
    hurt[-1] ^= 1
    (tmp_path / "hurt.cvc").write_bytes(hurt)
    (tmp_path / "numpact").symlink_to(PROGRAM)
    (tmp_path / "generate").write_text("#!/bin/sh\nhead -c 307200 /dev/zero\n")
    (tmp_path / "generate").chmod(0o755)
    return tmp_path


def target_of(line: str) -> str | None:
    """The file that an example makes."""
    words = line.split()
    if "|" in words:
        return words[-1]
    if "-o" in words:
        return words[words.index("-o") + 1]
    if words[2] in ("slice", "upgrade"):
        return words[4]
    return words[3] + ".cvc" if words[2] == "pack" else None


def move(path: Path, to: Path) -> None:
    if path.exists():
        path.replace(to)


def run_all(folder: Path, lines: list[str]) -> None:
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    for line in lines:
        target = target_of(line)
        if target is not None:
            move(folder / target, folder / "aside")
        ran = subprocess.run(["sh", "-c", line], cwd=folder, env=environment, capture_output=True,
                             timeout=600, check=False)
        assert ran.returncode == 0, f"{line}\n{ran.stderr.decode()}"
        assert target is None or (folder / target).exists(), line
        move(folder / "aside", folder / str(target))


def test_examples_without_arrow(folder: Path) -> None:
    lines = [line for line in examples() if "parquet" not in line]
    assert len(lines) > 15
    run_all(folder, lines)


@pytest.mark.usefixtures("arrow")
def test_examples_with_arrow(folder: Path) -> None:
    subprocess.run([PROGRAM, "cvc", "unpack", "docs.cvc", "-o", "docs.parquet"], cwd=folder,
                   check=True)
    lines = [line for line in examples() if "parquet" in line]
    assert len(lines) > 3
    run_all(folder, lines)
