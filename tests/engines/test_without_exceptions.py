# SPDX-License-Identifier: Apache-2.0
"""The library without exceptions and RTTI: what it refers to, what it reads, and what it does where
memory fails."""

from __future__ import annotations

import os
import re
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT, locked, run

PROGRAMS = ROOT / "tests/engines/c_programs"
FIXTURES = ROOT / "tests/fixtures"
WARNINGS = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-g"]
# A program in C links what the standard library for C++ has besides its headers.
RUNTIME = ["-lstdc++", "-lm"]
WRAPS = [f"-Wl,--wrap={name}" for name in ("malloc", "aligned_alloc", "free")]

# The CMake option of a configuration, and how the program of failing allocations is told of it.
CONFIGURATIONS = {
    "reading": (["-DNUMPACT_DECODE_ONLY=ON"], ["-DTEST_READING"]),
    "whole": ([], []),
}
# Families of functions that are tested with memory that fails.
FAMILIES = {"reading": 7, "whole": 10}


@pytest.fixture(params=CONFIGURATIONS)
def configuration(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def library(configuration: str) -> Path:
    """libnumpact.a for one instruction set, installed."""
    with locked(f"without_exceptions-{configuration}") as folder:
        options, _ = CONFIGURATIONS[configuration]
        run("cmake", "-G", "Ninja", "-S", ROOT, "-B", folder / "build", *options,
            "-DNUMPACT_EXCEPTIONS=OFF", "-DNUMPACT_SIMD_TARGETS=avx2", "-DNUMPACT_CUDA=OFF",
            "-DNUMPACT_LIBDEFLATE=OFF", "-DNUMPACT_WERROR=ON",
            f"-DCMAKE_INSTALL_PREFIX={folder / 'prefix'}")  # fmt: skip
        run("cmake", "--build", folder / "build")
        run("cmake", "--install", folder / "build")
        return next((folder / "prefix").rglob("libnumpact.a"))


def linked(source: str, library: Path, target: Path, *options: str) -> Path:
    headers = library.parent
    while not (headers / "include").is_dir():
        headers = headers.parent
    run("cc", *WARNINGS, f"-I{headers / 'include'}", *options, PROGRAMS / source, library,
        "-o", target, *RUNTIME)  # fmt: skip
    return target


def test_it_throws_nothing_and_has_no_type_info(library: Path) -> None:
    symbols = run("nm", "-C", library).stdout
    assert "numpact_decompress" in symbols
    thrown = r".*(?:__cxa_throw|__cxa_begin_catch|__gxx_personality|_Unwind).*"
    assert not re.findall(thrown, symbols)
    assert not re.findall(r".* [A-TV-Zv] typeinfo .*", symbols)
    # Its operators new and delete are its own.
    assert not re.findall(r".* operator (?:new|delete).*", symbols)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Files of every version of Pco, odd and damaged ones, and collections of vectors."""
    for archive in ("pco/made.zip", "cvc/files.zip"):
        with zipfile.ZipFile(FIXTURES / archive) as packed:
            packed.extractall(tmp_path / "files")
    made = sorted(f for f in tmp_path.rglob("*") if f.suffix in (".pco", ".cvc"))
    return sorted(FIXTURES.glob("pco/*.pco")) + made


def test_it_reads_what_the_whole_library_reads(
    library: Path, prefix: Path, files: list[Path], tmp_path: Path
) -> None:
    small = linked("read_files.c", library, tmp_path / "small")
    shared = next(prefix.rglob("libnumpact.so"))
    whole = linked("read_files.c", shared, tmp_path / "whole", "-DNUMPACT_SHARED")
    found = run(small, *files).stdout
    environment = os.environ | {"LD_LIBRARY_PATH": str(shared.parent)}
    assert found == run(whole, *files, env=environment).stdout
    assert len(files) > 13
    assert found.count("  numbers: ") > 13


def test_memory_that_fails(configuration: str, library: Path, prefix: Path, tmp_path: Path) -> None:
    with locked(f"c_programs-{prefix.name}") as folder:
        run("cmake", "-G", "Ninja", "-S", PROGRAMS, "-B", folder,
            "-DCMAKE_BUILD_TYPE=RelWithDebInfo", f"-DCMAKE_PREFIX_PATH={prefix}")  # fmt: skip
        run("cmake", "--build", folder)
        inputs = [tmp_path / "numbers", tmp_path / "vectors"]
        run(folder / "failing_allocations", "--write", *inputs)
    _, options = CONFIGURATIONS[configuration]
    program = linked("failing_allocations.c", library, tmp_path / "failing", *options,
                     "-DTEST_PCO_AND_READING", str(PROGRAMS / "failing_malloc.c"),
                     *WRAPS)  # fmt: skip
    printed = run(program, *inputs).stdout
    errors = re.findall(r"^(.*): (\d+) errors, \d+ results without the memory$", printed, re.M)
    assert len(errors) == FAMILIES[configuration]
    assert all(int(count) > 0 for _, count in errors)
    drawn = re.search(r"^(\d+) bytes drawn at most$", printed, re.M)
    # A reserve has 1 MiB (kReserveBytes of src/base/memory.hpp).
    assert drawn is not None
    assert 0 < int(drawn[1]) < 2**19
    assert printed.endswith("done\n")
