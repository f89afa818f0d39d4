# SPDX-License-Identifier: Apache-2.0
"""The library without exceptions and RTTI: what it refers to and exports, its size, what it reads,
and what it does where memory fails."""

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
    "whole": (["-DCMAKE_BUILD_TYPE=MinSizeRel", "-DBUILD_SHARED_LIBS=ON",
               "-DNUMPACT_BUILD_BOTH=ON"], []),
}  # fmt: skip
# Bound of the shared library of "whole", stripped: 1,020,240 bytes are measured by GCC 12.
MAX_SHARED_BYTES = 1_030_000
# Functions of the C interface that it leaves out.
LEFT_OUT = (
    r"numpact_(?:cvc_writer|cvc_options_init|file_plan|table_|collection_|half_to_float|round"
    r"|\w*arrow)"
)
# Operators new and delete of the C++ library, and functions that throw and unwind.
FOREIGN = r"_Zn[wa]|_Zd[la]P|__cxa_throw|__cxa_begin_catch|_Unwind|__gxx_personality"
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


def read_files(library: Path, files: list[Path], program: Path) -> str:
    options = ["-DNUMPACT_SHARED"] if library.suffix == ".so" else []
    linked("read_files.c", library, program, *options)
    environment = os.environ | {"LD_LIBRARY_PATH": str(library.parent)}
    return run(program, *files, env=environment).stdout


def test_it_reads_what_the_whole_library_reads(
    library: Path, prefix: Path, files: list[Path], tmp_path: Path
) -> None:
    found = read_files(next(prefix.rglob("libnumpact.so")), files, tmp_path / "whole")
    assert len(files) > 13
    assert found.count("  numbers: ") > 13
    assert read_files(library, files, tmp_path / "small") == found
    shared = library.with_suffix(".so")
    if shared.exists():
        assert read_files(shared, files, tmp_path / "small_shared") == found


def dynamic_symbols(library: Path, kind: str) -> set[str]:
    """Without versions, and without the names of versions."""
    listed = run("nm", "-D", kind, library).stdout.splitlines()
    return {line.split()[-1].partition("@")[0] for line in listed if " A " not in line}


@pytest.mark.parametrize("configuration", ["whole"])
def test_the_shared_library_is_small_and_exports_the_c_interface(
    configuration: str, library: Path, prefix: Path, tmp_path: Path
) -> None:
    shared = library.with_suffix(".so")
    exported = dynamic_symbols(shared, "--defined-only")
    whole = dynamic_symbols(next(prefix.rglob("libnumpact.so")), "--defined-only")
    assert all(name.startswith("numpact_") for name in exported)
    assert exported <= whole
    left_out = {name for name in whole - exported if name.startswith("numpact_")}
    assert all(re.match(LEFT_OUT, name) for name in left_out), left_out
    # Its operators new and delete are its own, and it throws nothing itself.
    used = dynamic_symbols(shared, "--undefined-only")
    assert "malloc" in used
    assert not [name for name in used if re.match(FOREIGN, name)]
    run("strip", "-o", tmp_path / "stripped", shared)
    assert (tmp_path / "stripped").stat().st_size <= MAX_SHARED_BYTES


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
