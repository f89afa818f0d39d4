# SPDX-License-Identifier: Apache-2.0
"""How others get the library: CMake and pkg-config from C, recipes of vcpkg and conda."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, run

EXAMPLE = ROOT / "examples/column_in_c.c"
# Bounds of what programs get. Stripped, with all instruction sets, for x86-64 by GCC 12: measured
# 3,860,712 and 1,125,088 bytes. The former was 2,994,984 before it had manifests, filters, the
# reader and the writer of tables, the comparison of numbers at one distance, the test of numbers
# for randomness, the estimate of sizes, appends with other columns, collections of vectors, texts
# that repeat, decimals, rounding within a bound, rotated codes, categories, vectors read in ranges,
# and filters for each instruction set. Between the former and its bound are about 1 %.
MAX_SHARED_BYTES = 3_950_000
MAX_DECODER_BYTES = 1_200_000

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


def test_recipes_name_this_version() -> None:
    header = (ROOT / "include/numpact/version.hpp").read_text()
    version = ".".join(re.findall(r"#define NUMPACT_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)", header))
    port = json.loads((ROOT / "packaging/vcpkg/vcpkg.json").read_text())
    assert port["version"] == version
    assert f'version: "{version}"' in (ROOT / "packaging/conda/recipe.yaml").read_text()
    assert (ROOT / "packaging/debian/changelog").read_text().startswith(f"numpact ({version}-")


# The functions of vcpkg that the port calls.
VCPKG = """
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND ${CMAKE_COMMAND} -G Ninja
    -S ${arg_SOURCE_PATH} -B ${BUILD} -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}
    -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF ${EXTRA_OPTIONS} ${arg_OPTIONS})
endfunction()
function(vcpkg_cmake_install)
  if(INSTALL)
    execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} --target install
      COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
  endif()
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  file(READ ${BUILD}/cmake_install.cmake text)
  string(FIND "${text}" "/${arg_CONFIG_PATH}/numpactTargets" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "the package is not installed in ${arg_CONFIG_PATH}")
  endif()
endfunction()
function(vcpkg_fixup_pkgconfig)
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  file(COPY ${arg_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share/numpact)
endfunction()
"""


@pytest.mark.parametrize("install", [False, pytest.param(True, marks=slow)])
def test_the_port_of_vcpkg_runs_with_stand_ins(install: bool, tmp_path: Path) -> None:
    """Without vcpkg: CMake knows the port's options, and the paths that it names are right."""
    script = tmp_path / "run.cmake"
    script.write_text(f"{VCPKG}include({ROOT}/packaging/vcpkg/portfile.cmake)\n")
    packages = tmp_path / "packages"
    done = run(
        "cmake",
        f"-DBUILD={tmp_path / 'build'}",
        f"-DCURRENT_PACKAGES_DIR={packages}",
        f"-DINSTALL={install}",
        "-DEXTRA_OPTIONS=-DCMAKE_BUILD_TYPE=Debug;-DNUMPACT_SIMD_TARGETS=scalar",
        "-P",
        script,
        timeout=1500,
    )
    assert "Manually-specified variables were not used" not in done.stdout + done.stderr
    assert (packages / "share/numpact/LICENSE").exists()
    if install:
        assert (packages / "lib/cmake/numpact/numpactConfig.cmake").exists()
        assert (packages / "lib/libnumpact.a").exists()


def test_the_manifest_of_vcpkg_is_in_order() -> None:
    """The fields that vcpkg requires, by its reference, in the order of its formatter."""
    port = json.loads((ROOT / "packaging/vcpkg/vcpkg.json").read_text())
    order = ["name", "version", "description", "homepage", "license", "supports", "dependencies"]
    assert list(port) == [field for field in order if field in port]
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", port["name"])
    names = [need if isinstance(need, str) else need["name"] for need in port["dependencies"]]
    assert names == sorted(set(names))
    assert {"vcpkg-cmake", "vcpkg-cmake-config"} <= set(names)


@pytest.mark.parametrize("platform", ["linux-64", "linux-aarch64", "osx-arm64"])
def test_the_recipe_of_conda_renders(platform: str, tmp_path: Path) -> None:
    """By rattler-build's own parser; without a channel there is nothing to build with."""
    rattler = pytest.importorskip("rattler_build")
    variants = rattler.VariantConfig.from_yaml(
        "c_stdlib: [libc]\nc_stdlib_version: ['1']\ncxx_compiler: [cxx]\n"
    )
    settings = rattler.RenderConfig(rattler.PlatformConfig(target_platform=platform))
    recipe = rattler.Stage0Recipe.from_file(ROOT / "packaging/conda/recipe.yaml")
    [rendered] = recipe.render(variants, settings)
    found = rendered.recipe.to_dict()
    build = ["cmake", "ninja", f"cxx_{platform}", f"libc_{platform} 1.*"]
    assert sorted(found["requirements"]["build"]) == sorted(build)
    assert found["requirements"]["host"] == ["libdeflate", "libhwy"]
    source = (ROOT / "packaging/conda" / found["source"][0]["path"]).resolve()
    assert all((source / name).exists() for name in found["about"]["license_file"])
    # CMake knows the options of the script, and the test of the contents looks at what it installs.
    words = shlex.split(found["build"]["script"][0].replace("$PREFIX", str(tmp_path / "prefix")))
    words[words.index("-B") + 1] = str(tmp_path / "build")
    done = run(*words, cwd=source)
    assert "Manually-specified variables were not used" not in done.stdout + done.stderr
    [contents] = (test["package_contents"] for test in found["tests"])
    assert all((source / "include" / name).exists() for name in contents["include"])
    assert contents["lib"] == ["numpact"]
