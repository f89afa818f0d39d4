# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/other_languages on a file that the command has written."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from conftest import ROOT, run
from test_c_program import environment_of, flags

PROGRAMS = ROOT / "examples/other_languages"
SAMPLE = ROOT / "samples/aircraft_positions.parquet"


def need(*commands: str) -> None:
    for command in commands:
        if shutil.which(command) is None:
            pytest.skip(f"{command} is not installed")


@pytest.fixture(scope="session")
def file(static_prefix: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A column of f64 of the sample."""
    command = os.environ.get("NUMPACT_CLI", str(static_prefix / "bin/numpact"))
    out = tmp_path_factory.mktemp("sample") / "latitude.pco"
    run(command, "compress", SAMPLE, "--column", "latitude", "-o", out)
    return out


def check(printed: str, file: Path) -> None:
    """The output of each program, compared with the Python package."""
    import pyarrow.parquet

    import numpact

    expected = pyarrow.parquet.read_table(SAMPLE)["latitude"].to_numpy()
    assert (numpact.decompress(file.read_bytes()) == expected).all()
    lines = printed.splitlines()
    found = re.fullmatch(r"(\d+) numbers, sum (-?\d+\.\d{3})", lines[0])
    assert found is not None, printed
    assert int(found[1]) == expected.size
    assert float(found[2]) == pytest.approx(expected.sum(), abs=0.002)
    assert lines[1] == f"compressed again: {len(numpact.compress(expected))} bytes"
    assert re.fullmatch(r"half of it: truncated: [a-z ]{10,}, at byte \d+ ?", lines[2]), printed
    assert len(lines) == 3


def test_rust(prefix: Path, file: Path, tmp_path: Path) -> None:
    need("rustc")
    library = next(prefix.glob("lib*/**/libnumpact.so")).parent
    program = tmp_path / "column"
    run("rustc", "-O", "-D", "warnings", PROGRAMS / "column.rs", "-o", program,
        "-L", library, "-l", "numpact")  # fmt: skip
    check(run(program, file, env=environment_of(prefix)).stdout, file)


def test_go(prefix: Path, file: Path, tmp_path: Path) -> None:
    need("go")
    environment = environment_of(prefix) | {
        "PKG_CONFIG_PATH": str(next(prefix.glob("lib*/**/pkgconfig"))),
        "GOCACHE": str(tmp_path / "cache"),
        "GOFLAGS": "-mod=mod",
        "CGO_ENABLED": "1",
        "GOTOOLCHAIN": "local",
    }
    program = tmp_path / "column"
    run("go", "vet", PROGRAMS / "column.go", env=environment)
    run("go", "build", "-o", program, PROGRAMS / "column.go", env=environment)
    check(run(program, file, env=environment).stdout, file)


def test_java(prefix: Path, file: Path, tmp_path: Path) -> None:
    need("java", "javac")
    home = Path(shutil.which("javac") or "").resolve().parents[1]
    run("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC",
        f"-I{home}/include", f"-I{home}/include/linux", PROGRAMS / "column_jni.c",
        "-o", tmp_path / "libcolumn_jni.so", *flags(prefix, "--cflags", "--libs"))  # fmt: skip
    printed = run("java", "-Xcheck:jni", f"-Djava.library.path={tmp_path}",
                  PROGRAMS / "Column.java", file, env=environment_of(prefix))  # fmt: skip
    check(printed.stdout, file)


def test_r(prefix: Path, file: Path, tmp_path: Path) -> None:
    need("R", "Rscript")
    for name in ("column.R", "column_r.c"):
        shutil.copy(PROGRAMS / name, tmp_path)
    environment = environment_of(prefix) | {
        "PKG_CPPFLAGS": " ".join(flags(prefix, "--cflags")),
        "PKG_LIBS": " ".join(flags(prefix, "--libs")),
    }
    run("R", "CMD", "SHLIB", "column_r.c", cwd=tmp_path, env=environment)
    check(run("Rscript", "column.R", file, cwd=tmp_path, env=environment).stdout, file)
