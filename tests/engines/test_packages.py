# SPDX-License-Identifier: Apache-2.0
"""How others get the library: CMake and pkg-config from C, Meson, Bazel, Debian, Conan."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, locked, run

EXAMPLE = ROOT / "examples/column_in_c.c"
# The amalgamation for one instruction set, not optimised: what is tested here is the packages.
QUICK = [
    "-O0",
    "-DNUMPACT_WITHOUT_AVX512_VBMI2",
    "-DNUMPACT_WITHOUT_AVX512",
    "-DNUMPACT_WITHOUT_AVX2",
    "-DNUMPACT_WITHOUT_SSE4",
]

# Bounds of what programs get. Stripped, with all instruction sets, for x86-64 by GCC 12: measured
# 3,105,512 and 1,260,248 bytes.
MAX_SHARED_BYTES = 3_150_000
MAX_DECODER_BYTES = 1_300_000

slow = pytest.mark.skipif("NUMPACT_FULL" not in os.environ, reason="slow: NUMPACT_FULL=1 runs it")


@pytest.fixture(params=["shared", "static"])
def either(request: pytest.FixtureRequest, prefix: Path, static_prefix: Path) -> Path:
    return prefix if request.param == "shared" else static_prefix


def library_path(prefix: Path) -> dict[str, str]:
    return os.environ | {"LD_LIBRARY_PATH": str(next(prefix.rglob("libnumpact.*")).parent)}


def test_a_project_in_c_finds_the_cmake_package(either: Path, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\n"
        "project(column LANGUAGES C)\n"
        "find_package(numpact CONFIG REQUIRED)\n"
        f"add_executable(column {EXAMPLE})\n"
        "target_link_libraries(column PRIVATE numpact::numpact)\n"
    )
    run(
        "cmake",
        "-G",
        "Ninja",
        "-S",
        tmp_path,
        "-B",
        tmp_path / "build",
        f"-DCMAKE_PREFIX_PATH={either}",
    )
    run("cmake", "--build", tmp_path / "build")
    run(tmp_path / "build/column")


def test_a_program_in_c_links_by_pkg_config(either: Path, tmp_path: Path) -> None:
    folder = next(either.rglob("numpact.pc")).parent
    environment = os.environ | {"PKG_CONFIG_PATH": str(folder)}
    static = ["--static"] if either.name == "static" else []
    flags = run("pkg-config", "--cflags", "--libs", *static, "numpact", env=environment).stdout
    run("cc", "-std=c99", EXAMPLE, "-o", tmp_path / "column", *flags.split())
    run(tmp_path / "column", env=library_path(either))


def test_pkg_config_asks_for_no_library_of_a_shared_one(prefix: Path) -> None:
    """Where libdeflate's own file is not installed, the flags are still found."""
    folder = next(prefix.rglob("numpact.pc")).parent
    environment = os.environ | {"PKG_CONFIG_LIBDIR": str(folder)}
    run("pkg-config", "--cflags", "--libs", "numpact", env=environment)


def test_the_shared_library_hides_what_it_is_made_of(prefix: Path) -> None:
    library = next(prefix.rglob("libnumpact.so"))
    exported = run("nm", "-D", "-C", "--defined-only", library).stdout
    assert "numpact_compress@@NUMPACT_" in exported
    assert not re.findall(r".*(?:hwy::|libdeflate).*", exported)


def stripped_bytes(file: Path, target: Path) -> int:
    run("strip", "-s", file, "-o", target)
    return target.stat().st_size


def decode_only(prefix: Path, target: Path) -> Path:
    """A program that decodes and no more, with the static library."""
    environment = os.environ | {"PKG_CONFIG_PATH": str(next(prefix.rglob("numpact.pc")).parent)}
    flags = run("pkg-config", "--cflags", "--libs", "numpact", env=environment).stdout
    source = ROOT / "tests/consume/project/decode_only.cpp"
    run("g++", "-std=c++20", "-O2", "-Wl,--gc-sections", source, "-o", target, *flags.split())
    run(target)
    return target


def test_programs_stay_small(prefix: Path, static_prefix: Path, tmp_path: Path) -> None:
    library = next(prefix.rglob("libnumpact.so"))
    assert stripped_bytes(library, tmp_path / "library") <= MAX_SHARED_BYTES
    program = decode_only(static_prefix, tmp_path / "program")
    assert stripped_bytes(program, tmp_path / "stripped") <= MAX_DECODER_BYTES


LIBRARY_ALONE = [
    f"-DNUMPACT_BUILD_{part}=OFF"
    for part in ("TESTS", "CLI", "BENCH", "EXAMPLES", "FUZZ", "CPCODEC")
] + ["-DNUMPACT_CUDA=OFF"]


def test_an_unknown_instruction_set_is_refused(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            "cmake",
            "-G",
            "Ninja",
            "-S",
            str(ROOT),
            "-B",
            str(tmp_path),
            *LIBRARY_ALONE,
            "-DNUMPACT_SIMD_TARGETS=avx2;avx9",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert 'there is no "avx9"' in done.stderr


@slow
def test_one_instruction_set_and_the_baseline(tmp_path: Path) -> None:
    """Takes minutes, since it compiles the library."""
    run(
        "cmake",
        "-G",
        "Ninja",
        "-S",
        ROOT,
        "-B",
        tmp_path / "build",
        *LIBRARY_ALONE,
        "-DCMAKE_BUILD_TYPE=MinSizeRel",
        "-DNUMPACT_SIMD_TARGETS=AVX2",
        "-DNUMPACT_LIBDEFLATE=OFF",
    )
    run("cmake", "--build", tmp_path / "build", timeout=1500)
    run("cmake", "--install", tmp_path / "build", "--prefix", tmp_path / "prefix")
    program = tmp_path / "targets.cpp"
    program.write_text(
        "#include <cstdio>\n#include <numpact/cpu.hpp>\n"
        "int main() {\n"
        "  for (const auto& target : numpact::cpu_targets()) std::puts(target.name.data());\n"
        "}\n"
    )
    library = next((tmp_path / "prefix").rglob("libnumpact.a"))
    run(
        "g++",
        "-std=c++20",
        "-I",
        tmp_path / "prefix/include",
        program,
        library,
        "-o",
        tmp_path / "targets",
        "-pthread",
    )
    assert run(tmp_path / "targets").stdout.split() in (["avx2", "scalar"], ["avx2", "sse2"])
    decode_only(tmp_path / "prefix", tmp_path / "program")


@pytest.fixture(scope="module")
def sources() -> Path:
    """The amalgamation that contains all it needs."""
    with locked("packages") as folder:
        run(sys.executable, ROOT / "tools/amalgamate.py", folder / "numpact", "--vendored")
        return folder / "numpact"


@slow
def test_meson_builds_a_subproject(sources: Path, tmp_path: Path) -> None:
    if shutil.which("meson") is None:
        pytest.skip("no meson is installed")
    (tmp_path / "meson.build").write_text(
        "project('column', 'c', 'cpp')\n"
        f"executable('column', '{EXAMPLE}', dependencies: dependency('numpact'))\n"
    )
    (tmp_path / "subprojects").mkdir()
    shutil.copytree(sources, tmp_path / "subprojects/numpact")
    shutil.copy(ROOT / "packaging/meson/numpact.wrap", tmp_path / "subprojects")
    build = tmp_path / "build"
    run(
        "meson",
        "setup",
        build,
        tmp_path,
        "-Dnumpact:buildtype=plain",
        f"-Dnumpact:cpp_args={','.join(QUICK)}",
    )
    run("meson", "compile", "-C", build)
    run(build / "column")


def test_the_bazel_file_names_files_of_the_amalgamation(sources: Path) -> None:
    """Bazel itself is not run here. Its files are in a subset of Python's syntax."""
    calls = [
        node
        for node in ast.walk(ast.parse((sources / "BUILD.bazel").read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    library = next(call for call in calls if call.func.id == "cc_library")
    named = {word.arg for word in library.keywords}
    assert {"name", "srcs", "hdrs", "copts", "textual_hdrs"} <= named
    globs = [call for call in calls if call.func.id == "glob"]
    assert len(globs) == 2
    for call in globs:
        for pattern in ast.literal_eval(call.args[0]):
            assert list(sources.glob(pattern + ("/*" if pattern.endswith("**") else ""))), pattern


@slow
def test_conan_creates_a_package(tmp_path: Path) -> None:
    conan = Path(sys.executable).with_name("conan")
    if not conan.exists():
        pytest.skip("no Conan is installed")
    environment = os.environ | {"CONAN_HOME": str(tmp_path / "home")}
    run(conan, "profile", "detect", env=environment)
    flags = json.dumps(QUICK)
    done = run(
        conan,
        "create",
        ROOT / "packaging/conan",
        "--no-remote",
        "-c",
        f"tools.build:cxxflags={flags}",
        "-s",
        "compiler.cppstd=20",
        env=environment,
    )
    assert re.search(r"^\d+ bytes$", done.stdout + done.stderr, re.M)


def test_recipes_name_this_version() -> None:
    header = (ROOT / "include/numpact/version.hpp").read_text()
    version = ".".join(re.findall(r"#define NUMPACT_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)", header))
    port = json.loads((ROOT / "packaging/vcpkg/vcpkg.json").read_text())
    assert port["version"] == version
    assert f'version: "{version}"' in (ROOT / "packaging/conda/recipe.yaml").read_text()
    assert (ROOT / "packaging/debian/changelog").read_text().startswith(f"numpact ({version}-")


@slow
def test_debian_builds_packages_that_lintian_accepts(tmp_path: Path) -> None:
    """Takes minutes, since it compiles the library: for one instruction set, not optimised."""
    for tool in ("dpkg-buildpackage", "dh", "lintian"):
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool} is installed")
    tree = tmp_path / "numpact-0.1.0"
    tree.mkdir()
    names = run("git", "-C", ROOT, "ls-files").stdout.split("\n")
    folders = ("cmake/", "include/", "src/")
    wanted = [name for name in names if name.startswith(folders)]
    for name in [*wanted, "CMakeLists.txt", "LICENSE"]:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tree / name)
    run("tar", "-czf", "numpact_0.1.0.orig.tar.gz", tree.name, cwd=tmp_path)
    shutil.copytree(ROOT / "packaging/debian", tree / "debian")
    environment = os.environ | {
        "NUMPACT_OPTIONS": "-DNUMPACT_SIMD_TARGETS=scalar",
        "DEB_BUILD_OPTIONS": "noopt nostrip parallel=2",
    }
    run("dpkg-buildpackage", "-us", "-uc", "-b", cwd=tree, env=environment, timeout=1500)
    packages = sorted(tmp_path.glob("*.deb"))
    assert [p.name.split("_")[0] for p in packages] == ["libnumpact-dev", "libnumpact0.1"]
    reports = subprocess.run(
        ["lintian", "--allow-root", *map(str, packages)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert not re.findall(r"^[EW]: .*", reports.stdout, re.M), reports.stdout
    root = tmp_path / "root"
    for package in packages:
        run("dpkg", "-x", package, root)
    folder = next(root.rglob("numpact.pc")).parent
    environment = os.environ | {"PKG_CONFIG_PATH": str(folder)}
    for static in ([], ["--static"]):
        flags = run("pkg-config", "--cflags", "--libs", *static, "numpact", env=environment).stdout
        if static:
            flags = flags.replace("-lnumpact", str(next(root.rglob("libnumpact.a"))))
        run("cc", "-std=c99", EXAMPLE, "-o", tmp_path / "column", *flags.split())
        run(tmp_path / "column", env=library_path(root))
