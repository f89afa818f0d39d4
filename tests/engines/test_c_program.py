# SPDX-License-Identifier: Apache-2.0
"""Programs in C over an installed library: found by pkg-config, shared and static, as C and as C++,
under valgrind, and with memory that fails. The code of docs/c.md is that of these programs, which
examples/check_readme.py compares."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from conftest import ROOT, locked, run

EXAMPLES = ROOT / "examples"
VALGRIND = [
    "valgrind", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=all",
    "--errors-for-leak-kinds=all", "--quiet",
    "--soname-synonyms=somalloc=nouserintercepts",  # a program keeps its own operator new
]  # fmt: skip
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror", "-O1", "-g"]

# The compiler, and how it takes the source as C or as C++.
LANGUAGES = {"c": ["cc", "-std=c99", "-pedantic"], "c++": ["c++", "-std=c++17", "-x", "c++"]}


def flags(prefix: Path, *options: str) -> list[str]:
    """The output of pkg-config about a prefix."""
    folders = ":".join(str(f.parent) for f in prefix.glob("lib*/**/pkgconfig/numpact.pc"))
    environment = {**os.environ, "PKG_CONFIG_PATH": folders}
    return run("pkg-config", *options, "numpact", env=environment).stdout.split()


def environment_of(prefix: Path) -> dict[str, str]:
    """Where the loader finds a shared library; a static one needs nothing."""
    libraries = {str(f.parent) for f in prefix.glob("lib*/**/libnumpact.so")}
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(sorted(libraries))}


def compiled(source: Path, out: Path, prefix: Path, language: str, static: bool) -> Path:
    options = ["--cflags", "--libs", *(["--static"] if static else [])]
    # -x says the language of all files that follow, so it ends behind the source.
    end = ["-x", "none"] if language == "c++" else []
    run(*LANGUAGES[language], *WARNINGS, source, *end, "-o", out, *flags(prefix, *options))
    return out


def under_valgrind(command: Sequence[object], prefix: Path) -> str:
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")
    # valgrind does not know AVX-512.
    environment = {**environment_of(prefix), "NUMPACT_TARGET": "avx2"}
    return run(*VALGRIND, *command, env=environment).stdout


@pytest.fixture(params=["shared", "static"])
def either(request: pytest.FixtureRequest, prefix: Path, static_prefix: Path) -> tuple[Path, bool]:
    """A prefix, and whether its library is static."""
    return (prefix, False) if request.param == "shared" else (static_prefix, True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_column(either: tuple[Path, bool], language: str, tmp_path: Path) -> None:
    prefix, static = either
    source = EXAMPLES / "column_in_c.c"
    program = compiled(source, tmp_path / "column", prefix, language, static)
    needed = run("ldd", program, env=environment_of(prefix)).stdout
    assert ("libnumpact" in needed) != static
    printed = run(program, env=environment_of(prefix)).stdout
    assert re.search(r"^100000 numbers in \d{3,5} bytes$", printed, re.MULTILINE)
    assert re.search(r"^half of the file: truncated at byte \d+ of chunk 0$", printed, re.MULTILINE)
    assert re.search(r"^one byte less: output too small, \d+ suffice$", printed, re.MULTILINE)


@pytest.mark.parametrize("name", ["column_in_c", "arrow_in_c", "table_in_c"])
def test_under_valgrind(either: tuple[Path, bool], name: str, tmp_path: Path) -> None:
    prefix, static = either
    program = compiled(EXAMPLES / f"{name}.c", tmp_path / name, prefix, "c", static)
    assert under_valgrind([program], prefix) == run(program, env=environment_of(prefix)).stdout


def test_the_commands_of_the_guide(prefix: Path, static_prefix: Path, tmp_path: Path) -> None:
    text = (ROOT / "docs/c.md").read_text()
    commands = re.findall(r"^(cc column\.c .*?) +#", text, re.MULTILINE)
    assert len(commands) == 2
    shutil.copy(EXAMPLES / "column_in_c.c", tmp_path / "column.c")
    for command, folder in zip(commands, (prefix, static_prefix), strict=True):
        found = next(folder.glob("lib*/**/pkgconfig"))
        environment = environment_of(folder) | {"PKG_CONFIG_PATH": str(found)}
        run("sh", "-c", f"{command} && ./a.out", cwd=tmp_path, env=environment)


def failing_allocations(prefix: Path) -> Path:
    with locked(f"c_programs-{prefix.name}") as folder:
        run("cmake", "-G", "Ninja", "-S", Path(__file__).parent / "c_programs", "-B", folder,
            "-DCMAKE_BUILD_TYPE=RelWithDebInfo", f"-DCMAKE_PREFIX_PATH={prefix}")  # fmt: skip
        run("cmake", "--build", folder)
        return folder / "failing_allocations"


def test_memory_that_fails(either: tuple[Path, bool]) -> None:
    printed = run(failing_allocations(either[0])).stdout
    # A few allocations are for speed alone: without them the results are the same.
    errors = dict(
        re.findall(r"^(.*): (\d+) errors, \d+ results without the memory$", printed, re.M)
    )
    assert len(errors) == 13
    assert all(int(count) > 0 for count in errors.values())
    assert printed.endswith("done\n")


def test_memory_that_fails_under_valgrind(prefix: Path) -> None:
    assert under_valgrind([failing_allocations(prefix)], prefix).endswith("done\n")
