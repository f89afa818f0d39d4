# SPDX-License-Identifier: Apache-2.0
"""Meson, Conan and Bazel build the amalgamation, from a copy of it, and run a program with it."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from conftest import ROOT, locked, run

EXAMPLE = ROOT / "examples/column_in_c.c"
# For one instruction set, not optimised: what is tested here is the packages.
QUICK = [
    "-O0",
    "-DNUMPACT_WITHOUT_AVX512_VBMI2",
    "-DNUMPACT_WITHOUT_AVX512",
    "-DNUMPACT_WITHOUT_AVX2",
    "-DNUMPACT_WITHOUT_SSE4",
]

# Bounds one compilation, which takes 40 s of processor time, also on a machine with other work.
COMPILE_SECONDS = 1500

slow = pytest.mark.skipif("NUMPACT_FULL" not in os.environ, reason="slow: NUMPACT_FULL=1 runs it")


@pytest.fixture(scope="module")
def sources() -> Path:
    """The amalgamation that contains all it needs."""
    with locked("packages") as folder:
        target = folder / "numpact"
        shutil.rmtree(target, ignore_errors=True)
        run(sys.executable, ROOT / "tools/amalgamate.py", target, "--vendored")
        return target


def assert_exports_numpact_alone(library: Path) -> None:
    """Functions of the headers, with the version of the soname, and nothing of Highway."""
    soname = re.search(
        r"\(SONAME\).*\[libnumpact\.so\.([\d.]+)\]", run("readelf", "-d", library).stdout
    )
    assert soname is not None
    exported = run("nm", "-D", "-C", "--defined-only", library).stdout
    assert f"numpact_compress@@NUMPACT_{soname[1]}" in exported
    assert not re.findall(r".*(?:hwy::|libdeflate).*", exported)


def test_meson_builds_a_subproject(sources: Path, tmp_path: Path) -> None:
    """By the wrap, for a project in C; then the installed library by its pkg-config file."""
    if shutil.which("meson") is None:
        pytest.skip("no meson is installed")
    (tmp_path / "meson.build").write_text(
        "project('column', 'c')\n"
        f"executable('column', '{EXAMPLE}', dependencies: dependency('numpact'))\n"
    )
    (tmp_path / "subprojects").mkdir()
    shutil.copytree(sources, tmp_path / "subprojects/numpact")
    shutil.copy(ROOT / "packaging/meson/numpact.wrap", tmp_path / "subprojects")
    build, prefix = tmp_path / "build", tmp_path / "prefix"
    settings = ["buildtype=plain", "default_library=both", f"cpp_args={','.join(QUICK)}"]
    run(
        "meson",
        "setup",
        build,
        tmp_path,
        f"--prefix={prefix}",
        "--libdir=lib",
        *(f"-Dnumpact:{setting}" for setting in settings),
    )
    run("meson", "compile", "-C", build, timeout=COMPILE_SECONDS)
    run(build / "column")
    run("meson", "install", "-C", build)
    assert_exports_numpact_alone(prefix / "lib/libnumpact.so")
    environment = os.environ | {"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "numpact", env=environment).stdout.split()
    run("cc", "-std=c99", EXAMPLE, "-o", tmp_path / "shared", *flags)
    run(tmp_path / "shared", env=os.environ | {"LD_LIBRARY_PATH": str(prefix / "lib")})
    archive = prefix / "lib/libnumpact.a"
    words = ["-I", prefix / "include", archive, "-lstdc++", "-lm", "-pthread"]
    run("cc", "-std=c99", EXAMPLE, "-o", tmp_path / "static", *words)
    run(tmp_path / "static")


@pytest.mark.parametrize("shared", [False, pytest.param(True, marks=slow)])
def test_conan_creates_a_package(shared: bool, tmp_path: Path) -> None:
    """The recipe writes the amalgamation, compiles it, and runs its test package."""
    conan = Path(sys.executable).with_name("conan")
    if not conan.exists():
        pytest.skip("no Conan is installed")
    tree = tmp_path / "tree"  # Conan writes beside the recipe
    for name in ("include", "packaging", "src", "tools"):
        shutil.copytree(ROOT / name, tree / name)
    shutil.copy(ROOT / "LICENSE", tree)
    environment = os.environ | {"CONAN_HOME": str(tmp_path / "home")}
    run(conan, "profile", "detect", env=environment)
    done = run(
        conan,
        "create",
        tree / "packaging/conan",
        "--no-remote",
        "-c",
        f"tools.build:cxxflags={json.dumps(QUICK)}",
        "-s",
        "compiler.cppstd=20",
        "-s",
        "build_type=Debug",  # the other types optimise, whatever the flags say
        "-o",
        f"numpact/*:shared={shared}",
        env=environment,
        timeout=COMPILE_SECONDS,
    )
    assert re.search(r"^\d+ bytes$", done.stdout + done.stderr, re.M)
    packages = tmp_path / "home/p"
    licenses = {path.parent.name for path in packages.rglob("licenses/**/LICENSE")}
    assert licenses == {"licenses", "hwy"}
    if shared:
        assert_exports_numpact_alone(next(packages.rglob("p/lib/libnumpact.so")))


# rules_cc, as far as Bazel 4 needs it; Debian's package of it is for a later Bazel.
RULES_CC = "".join(
    f"{rule} = native.{rule}\n"
    for rule in ("cc_binary", "cc_library", "cc_toolchain", "cc_toolchain_suite")
)
# Rules that Bazel loads before it compiles C++; Debian has them where Bazel does not look.
RULES_JAVA = Path("/usr/share/bazel/rules/java")


def test_bazel_builds_a_package(sources: Path, tmp_path: Path) -> None:
    """Bazel 4, in its sandbox, with the amalgamation in a folder of the work space."""
    if shutil.which("bazel") is None or not RULES_JAVA.exists():
        pytest.skip("no Bazel is installed")
    (tmp_path / "rules_cc/cc").mkdir(parents=True)
    (tmp_path / "rules_cc/WORKSPACE").touch()
    (tmp_path / "rules_cc/cc/BUILD").touch()
    (tmp_path / "rules_cc/cc/defs.bzl").write_text(RULES_CC)
    space = tmp_path / "space"
    shutil.copytree(sources, space / "third_party/numpact")
    (space / "WORKSPACE").touch()
    shutil.copy(EXAMPLE, space)
    (space / "BUILD.bazel").write_text(
        'load("@rules_cc//cc:defs.bzl", "cc_binary")\n'
        f'cc_binary(name = "column", srcs = ["{EXAMPLE.name}"], deps = ["//third_party/numpact"])\n'
    )
    root = tmp_path / "root"
    run(
        "bazel",
        f"--output_user_root={root}",
        "--batch",
        "build",
        f"--override_repository=rules_cc={tmp_path / 'rules_cc'}",
        f"--override_repository=rules_java={RULES_JAVA}",
        *(f"--copt={option}" for option in QUICK),
        "//:column",
        cwd=space,
        timeout=COMPILE_SECONDS,
    )
    run(space / "bazel-bin/column")
    # Bazel unpacks files that cannot be written to, so pytest would not remove them.
    run("chmod", "-R", "u+w", root)


def test_the_module_of_bazel_names_this_version(sources: Path) -> None:
    """Modules came after the Bazel that runs here; their files are in a subset of Python."""
    calls = [
        node
        for node in ast.walk(ast.parse((sources / "MODULE.bazel").read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    words = {
        call.func.id: {word.arg: ast.literal_eval(word.value) for word in call.keywords}
        for call in calls
    }
    header = (ROOT / "include/numpact/version.hpp").read_text()
    version = ".".join(re.findall(r"#define NUMPACT_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)", header))
    assert words["module"] == {"name": "numpact", "version": version}
    # BUILD.bazel loads its rules from there.
    assert words["bazel_dep"]["name"] == "rules_cc"
