# SPDX-License-Identifier: Apache-2.0
"""The library and the command without vectors (NUMPACT_CVC=OFF)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, locked, run

VECTORS = ("cvc", "collection")


@pytest.fixture(scope="module")
def build() -> Path:
    with locked("without_vectors") as folder:
        run("cmake", "-G", "Ninja", "-S", ROOT, "-B", folder / "build", "-DNUMPACT_CVC=OFF",
            "-DNUMPACT_SIMD_TARGETS=avx2", "-DNUMPACT_CUDA=OFF", "-DNUMPACT_WERROR=ON",
            "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O0",
            "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
            f"-DCMAKE_INSTALL_PREFIX={folder / 'prefix'}")  # fmt: skip
        run("cmake", "--build", folder / "build")
        run("cmake", "--install", folder / "build")
        return folder


def test_no_file_of_vectors_is_compiled(build: Path) -> None:
    compiled = [
        Path(entry["file"]).relative_to(ROOT)
        for entry in json.loads((build / "build/compile_commands.json").read_text())
        if str(ROOT / "src") in entry["file"] or str(ROOT / "cli") in entry["file"]
    ]
    texts = [str(path) for path in compiled]
    # Sources that are compiled together are included by others.
    for united in (build / "build").rglob("*.cxx"):
        texts.append(united.read_text())
    for united in (build / "build/src/kernels").glob("*.cpp"):
        texts.append(united.read_text())
    assert len(compiled) > 20
    root = str(ROOT)
    assert not [text for text in texts for word in VECTORS if word in text.replace(root, "")]


def test_names_and_headers(build: Path) -> None:
    symbols = run("nm", "-C", next((build / "prefix").rglob("libnumpact.a"))).stdout
    assert "numpact_decompress" in symbols
    assert "cvc" not in symbols
    headers = sorted((build / "prefix/include/numpact").rglob("*.h*"))
    assert not [path for path in headers for word in VECTORS if word in path.name]
    # Each can be included without those of vectors.
    for header in headers:
        compiler, standard = ("c++", "c++20") if header.suffix == ".hpp" else ("cc", "c11")
        run(compiler, f"-std={standard}", "-fsyntax-only", f"-I{build / 'prefix/include'}",
            "-x", "c++" if compiler == "c++" else "c", header)  # fmt: skip


def test_command(build: Path, tmp_path: Path) -> None:
    command = build / "prefix/bin/numpact"
    assert "cvc" not in run(command, "--help").stdout.lower()
    (tmp_path / "a.csv").write_text("x,name\n1,a\n2,b\n")
    run(command, "compress", tmp_path / "a.csv", "-o", tmp_path / "a")
    assert run(command, "decompress", tmp_path / "a").stdout == "x,name\n1,a\n2,b\n"
    refused = subprocess.run([command, "cvc", "info", "x"], capture_output=True, text=True)
    assert refused.returncode == 2
    assert "cvc" in refused.stderr
