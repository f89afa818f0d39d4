# SPDX-License-Identifier: Apache-2.0
"""The library as one source: written, compiled by two compilers, linked, compared, mixed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, locked, run

# Leaving out parts and the level of optimisation change the time of compiling, not the results.
QUICK = [
    "-O1",
    "-DNUMPACT_WITHOUT_AVX512_VBMI2",
    "-DNUMPACT_WITHOUT_AVX512",
    "-DNUMPACT_WITHOUT_SSE4",
]
OTHER_VERSION = "0.9.0"
NO_SUCH_TARGET = 77  # the exit status of PRINT_FILE

slow = pytest.mark.skipif("NUMPACT_FULL" not in os.environ, reason="slow: NUMPACT_FULL=1 runs it")

# Compresses fixed numbers with a checksum, and prints the file's bytes. An argument names the
# instruction set; ends with 77 where the processor does not have it.
PRINT_FILE = r"""
#include <math.h>
#include <numpact/numpact.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 30000 };

int main(int argc, char** argv) {
  if (argc > 1 && numpact_set_cpu_target(argv[1], NULL) != NUMPACT_OK) return 77;
  static double numbers[COUNT];
  for (int i = 0; i < COUNT; ++i) numbers[i] = 0.3 * i + 0.7 * ((i * 7919) % 1000) / 3.0;
  numpact_context* context = NULL;
  if (numpact_context_create(NULL, &context, NULL) != NUMPACT_OK) return 1;
  numpact_encode_options options;
  numpact_encode_options_init(&options);
  options.trailer = NUMPACT_TRAILER_INDEX;
  const size_t capacity = numpact_compress_bound(NUMPACT_F64, COUNT, &options);
  unsigned char* file = malloc(capacity);
  size_t size = 0;
  if (numpact_compress(context, NUMPACT_F64, numbers, COUNT, &options, file, capacity, &size,
                       NULL) != NUMPACT_OK)
    return 1;
  numpact_verification verification = {.struct_size = sizeof verification};
  if (numpact_verify(context, file, size, &verification, NULL) != NUMPACT_OK) return 1;
  if (verification.trailer != NUMPACT_TRAILER_SOUND || !verification.is_sound) return 1;
  for (size_t i = 0; i < size; ++i) printf("%02x", file[i]);
  printf("\n");
  return 0;
}
"""

# Opens two versions of the shared library for all to see, and lets each read what the other wrote.
TWO_VERSIONS = r"""
#include <dlfcn.h>
#include <numpact/numpact.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 1000 };

struct library {
  const char* (*version)(void);
  numpact_status (*create)(const numpact_context_options*, numpact_context**, numpact_error*);
  numpact_status (*compress)(numpact_context*, numpact_type, const void*, size_t,
                             const numpact_encode_options*, void*, size_t, size_t*, numpact_error*);
  numpact_status (*decompress)(numpact_context*, const void*, size_t, numpact_type, void*, size_t,
                               numpact_error*);
};

static int open_library(const char* path, struct library* library) {
  void* handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (handle == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
  *(void**)&library->version = dlsym(handle, "numpact_version");
  *(void**)&library->create = dlsym(handle, "numpact_context_create");
  *(void**)&library->compress = dlsym(handle, "numpact_compress");
  *(void**)&library->decompress = dlsym(handle, "numpact_decompress_exact");
  return 0;
}

static int pass(const struct library* from, const struct library* to) {
  static int numbers[COUNT], again[COUNT];
  static unsigned char file[100000];
  for (int i = 0; i < COUNT; ++i) numbers[i] = i * i % 977;
  numpact_context *writer = NULL, *reader = NULL;
  size_t size = 0;
  if (from->create(NULL, &writer, NULL) != NUMPACT_OK) return 1;
  if (to->create(NULL, &reader, NULL) != NUMPACT_OK) return 1;
  if (from->compress(writer, NUMPACT_I32, numbers, COUNT, NULL, file, sizeof file, &size, NULL) !=
      NUMPACT_OK)
    return 1;
  memset(again, 0, sizeof again);
  if (to->decompress(reader, file, size, NUMPACT_I32, again, COUNT, NULL) != NUMPACT_OK) return 1;
  return memcmp(numbers, again, sizeof numbers) != 0;
}

int main(int argc, char** argv) {
  struct library one, other;
  if (argc != 3 || open_library(argv[1], &one) != 0 || open_library(argv[2], &other) != 0) return 1;
  printf("%s %s\n", one.version(), other.version());
  return pass(&one, &one) + pass(&one, &other) + pass(&other, &one) + pass(&other, &other);
}
"""


def amalgamate(folder: Path, *options: str) -> Path:
    run(sys.executable, ROOT / "tools/amalgamate.py", folder, *options)
    return folder


def is_current(built: Path) -> bool:
    """Whether no source is newer than what was built from them."""
    sources = [
        *ROOT.glob("src/**/*.[ch]pp"),
        *ROOT.glob("include/**/*.h*"),
        *ROOT.glob("tools/*.py"),
        *ROOT.glob("packaging/amalgamation/*"),
    ]
    return built.exists() and built.stat().st_mtime > max(s.stat().st_mtime for s in sources)


@pytest.fixture(scope="module")
def vendored() -> Path:
    """A folder with the amalgamation and its object, which nothing outside the folder was needed
    for; the object is that of another version, and exports its functions."""
    with locked("amalgamation") as folder:
        built = folder / "numpact.o"
        if not is_current(built):
            amalgamate(folder, "--vendored")
            source = folder / "numpact.cpp"
            text, changed = re.subn(
                r"(#define NUMPACT_VERSION_MINOR +)\d+", r"\g<1>9", source.read_text()
            )
            assert changed == 1
            source.write_text(text)
            run(
                "g++",
                "-std=c++20",
                *QUICK,
                "-fPIC",
                "-fvisibility=hidden",
                "-DNUMPACT_SHARED",
                "-c",
                "numpact.cpp",
                cwd=folder,
            )
        return folder


def link(folder: Path, program: Path, *more: object) -> Path:
    """A C program with the amalgamation's object."""
    target = program.with_suffix(".linked")
    run(
        "gcc",
        "-std=c99",
        "-O1",
        "-I",
        folder,
        program,
        folder / "numpact.o",
        "-o",
        target,
        "-lstdc++",
        "-lm",
        "-pthread",
        *more,
    )
    return target


def link_with_library(prefix: Path, program: Path, target: Path) -> Path:
    """A C program with the installed static library."""
    library = next(prefix.rglob("libnumpact.a"))
    words = ["-I", prefix / "include", program, library, "-o", target]
    run("gcc", "-std=c99", *words, "-lstdc++", "-lm", "-pthread", "-ldeflate")
    return target


def test_runs_the_example_in_c(vendored: Path, tmp_path: Path) -> None:
    program = tmp_path / "column_in_c.c"
    shutil.copy(ROOT / "examples/column_in_c.c", program)
    run(link(vendored, program))


def test_writes_the_bytes_of_the_library(
    vendored: Path, static_prefix: Path, tmp_path: Path
) -> None:
    program = tmp_path / "print_file.c"
    program.write_text(PRINT_FILE)
    from_one_source = run(link(vendored, program)).stdout
    target = link_with_library(static_prefix, program, tmp_path / "from_library")
    assert from_one_source == run(target).stdout


def test_needs_no_library_but_the_standard_ones(vendored: Path) -> None:
    expected_value = run("nm", "-C", "--undefined-only", vendored / "numpact.o").stdout
    assert not re.findall(r"hwy::.*|libdeflate.*", expected_value)


def test_keeps_the_choice_of_instruction_sets(vendored: Path, tmp_path: Path) -> None:
    program = tmp_path / "target.c"
    program.write_text(
        "#include <numpact/numpact.h>\n#include <stdio.h>\n"
        "int main(int n, char** words) {\n"
        "  if (n > 1 && numpact_set_cpu_target(words[1], NULL) != NUMPACT_OK) return 1;\n"
        "  return puts(numpact_cpu_target()) < 0;\n}\n"
    )
    target = link(vendored, program)
    assert run(target, "scalar").stdout == "scalar\n"
    if " avx2 " in Path("/proc/cpuinfo").read_text():
        assert run(target).stdout == "avx2\n"


def test_two_versions_share_a_process(vendored: Path, prefix: Path, tmp_path: Path) -> None:
    other = tmp_path / "libnumpact.so.0.9"
    script = tmp_path / "numpact.map"
    script.write_text("NUMPACT_0.9 { global: numpact_*; local: *; };\n")
    run(
        "g++",
        "-shared",
        vendored / "numpact.o",
        "-o",
        other,
        f"-Wl,-soname,{other.name}",
        f"-Wl,--version-script={script}",
        "-pthread",
    )
    program = tmp_path / "two_versions.c"
    program.write_text(TWO_VERSIONS)
    target = tmp_path / "two_versions"
    run("gcc", "-std=gnu99", "-I", prefix / "include", program, "-o", target, "-ldl")
    library = next(prefix.rglob("libnumpact.so"))
    this_version = run("pkg-config", "--modversion", next(prefix.rglob("numpact.pc"))).stdout
    versions = {this_version.strip(), OTHER_VERSION}
    assert set(run(target, library, other).stdout.split()) == versions
    assert set(run(target, other, library).stdout.split()) == versions
    # In Python, beside the module that has the library linked in.
    script_text = (
        "import ctypes, sys, numpy, numpact\n"
        "for path in sys.argv[1:]: ctypes.CDLL(path, ctypes.RTLD_GLOBAL)\n"
        "numbers = numpy.arange(1000)\n"
        "assert (numpact.decompress(numpact.compress(numbers)) == numbers).all()\n"
    )
    run(sys.executable, "-c", script_text, library, other)


def test_a_foreign_libdeflate_is_not_taken(vendored: Path, tmp_path: Path) -> None:
    """Another library of the process may export functions by the names of libdeflate's."""
    foreign = tmp_path / "foreign.c"
    foreign.write_text(
        "unsigned libdeflate_crc32(unsigned a, const void* b, unsigned long c)\n"
        "{ (void)a; (void)b; (void)c; return 7; }\n"
    )
    run("gcc", "-shared", "-fPIC", foreign, "-o", tmp_path / "foreign.so")
    program = tmp_path / "print_file.c"
    program.write_text(PRINT_FILE)
    target = link(vendored, program)
    preloaded = run(target, env={"LD_PRELOAD": str(tmp_path / "foreign.so")}).stdout
    assert preloaded == run(target).stdout


def test_compiles_with_clang_and_the_headers_of_the_system(tmp_path: Path) -> None:
    if shutil.which("clang++") is None:
        pytest.skip("no clang++ is installed")
    amalgamate(tmp_path)
    run("clang++", "-std=c++20", *QUICK, "-fsyntax-only", "numpact.cpp", cwd=tmp_path)


@slow
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_compiles_with_all_instruction_sets(
    compiler: str, static_prefix: Path, tmp_path: Path
) -> None:
    """Takes minutes: the one line of the documents, the example in C, and the library's bytes by
    each instruction set that the processor has."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} is installed")
    amalgamate(tmp_path, "--vendored")
    run(compiler, "-std=c++20", "-O2", "-c", "numpact.cpp", cwd=tmp_path, timeout=1800)
    example = tmp_path / "column_in_c.c"
    shutil.copy(ROOT / "examples/column_in_c.c", example)
    run(link(tmp_path, example))
    program = tmp_path / "print_file.c"
    program.write_text(PRINT_FILE)
    expected = run(link_with_library(static_prefix, program, tmp_path / "from_library")).stdout
    target = link(tmp_path, program)
    assert run(target).stdout == expected
    for name in ("scalar", "sse4", "avx2", "avx512", "avx512_vbmi2"):
        done = subprocess.run([target, name], capture_output=True, text=True, check=False)
        assert done.returncode in (0, NO_SUCH_TARGET)
        assert name != "scalar" or done.returncode == 0
        assert done.returncode == NO_SUCH_TARGET or done.stdout == expected, name


def test_bad_use_is_named(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            str(ROOT / "tools/amalgamate.py"),
            str(tmp_path),
            "--vendored",
            "--highway",
            str(tmp_path),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "amalgamate: no Highway" in done.stderr
