# SPDX-License-Identifier: Apache-2.0
"""Writes the library as one source, numpact.cpp, next to a folder of its public headers.

    python3 tools/amalgamate.py FOLDER [--vendored [--highway FOLDER]]

Then `c++ -std=c++20 -O2 -c numpact.cpp` compiles all of it. Kernels are still compiled for every
instruction set and chosen when the program runs: the file includes itself once for each set, as
Highway's foreach_target.h does with a kernel. With --vendored nothing else is needed: Highway's
headers are packed in, and CRC-32 is computed by numpact. Else Highway's headers and libdeflate come
from the system.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections import defaultdict
from pathlib import Path

import cpp_names

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"
PUBLIC = ROOT / "include"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(["<])([^">]+)[">].*\n', re.M)
# They come behind Highway, where the once-compiled part begins.
BEHIND_HIGHWAY = ("simd/cpu_features.hpp", "simd/dispatch.hpp")
# Sources that differ between systems: one of these folders is compiled.
SYSTEM_FOLDERS = ("platform/posix/", "platform/windows/")
# In the order of dispatch.hpp's tables.
X86_TARGETS = ("SSE4", "AVX2", "AVX3", "AVX3_DL")
OTHER_TARGETS = ("EMU128", "SCALAR", "NEON_WITHOUT_AES", "NEON", "PPC8", "WASM", "SSE2")

INTRODUCTION = """\
// SPDX-License-{identifier}: Apache-2.0
// numpact {version} as one source; written by tools/amalgamate.py from the sources of that version.
//   c++ -std=c++20 -O2 -c numpact.cpp
// It includes itself, so it keeps its name. {needs}
// Licenses: LICENSE{licenses}.
"""

# Contracting products and sums would change the bytes of files. The other option is what the
# build of the library compiles four kernels with.
PRAGMAS = """\
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off", "no-tree-slp-vectorize")
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
#endif
#if defined(__MINGW64__) && !defined(__clang__) && !defined(NUMPACT_UNALIGNED_VECTOR_MOVES)
#error "add -Wa,-muse-unaligned-vector-move -DNUMPACT_UNALIGNED_VECTOR_MOVES (GCC bug 54412)"
#endif
"""

TARGET_LOOP = """\
#if (HWY_TARGETS & HWY_{name}) && (HWY_STATIC_TARGET != HWY_{name})
#undef HWY_TARGET
#define HWY_TARGET HWY_{name}
#include "numpact.cpp"
#ifdef HWY_TARGET_TOGGLE
#undef HWY_TARGET_TOGGLE
#else
#define HWY_TARGET_TOGGLE
#endif
#endif
"""


def listed_sources() -> list[str]:
    """The sources in the order of src/sources.txt: lower layers first."""
    lines = (SOURCES / "sources.txt").read_text().splitlines()
    return [line.split()[0] for line in lines if not line.startswith("#")]


def platform_sources() -> list[str]:
    """The sources that src/platform/sources.cmake lists for the library, for all systems."""
    text = (SOURCES / "platform/sources.cmake").read_text()
    found: list[str] = []
    for system in ("posix", "windows"):
        block = re.search(rf"^set\(numpact_{system}_sources\n(.*?)^\)", text, re.M | re.S)
        if block is None:
            sys.exit(f"amalgamate: no numpact_{system}_sources in src/platform/sources.cmake")
        found += [f"platform/{name}" for name in block.group(1).split()]
    return sorted(set(found))


def place_of(path: str) -> Path:
    return (PUBLIC if path.startswith("numpact/") else SOURCES) / path


def split_includes(text: str) -> tuple[str, list[str]]:
    """The text without its includes, and the system's headers among them.

    Those that depend on a condition stay in the text; Highway's are not mentioned.
    """
    kept: list[str] = []
    found: list[str] = []
    conditions: list[bool] = []
    for line in text.splitlines(keepends=True):
        match = INCLUDE.match(line)
        if match is None:
            if re.match(r"#\s*if", line):
                conditions.append(not re.search(r"_HPP|_H\b|HWY_ONCE", line))
            elif re.match(r"#\s*endif", line):
                conditions.pop()
            kept.append(line)
        elif match[1] == "<" and not match[2].startswith(("hwy/", "numpact/")):
            if any(conditions):
                kept.append(line)
            else:
                found.append(match[2])
    return "".join(kept), found


class Library:
    def __init__(self) -> None:
        self.sources = platform_sources() + listed_sources()
        # The first one specialises a template that other kernels use.
        first = "pco/stats/range_kernel.cpp"
        self.kernels = [first] + [
            s for s in self.sources if s.endswith("_kernel.cpp") and s != first
        ]
        plain = [
            s
            for s in self.sources
            if not s.endswith("_kernel.cpp") and not s.startswith(SYSTEM_FOLDERS)
        ]
        # The C interface opens the namespaces for all that follows.
        self.plain = sorted(plain, key=lambda source: source.startswith("capi/"))
        self.texts: dict[str, str] = {}
        self.headers: list[str] = []
        for source in self.sources:
            self.visit(source)

    def visit(self, path: str) -> None:
        """Takes a file in, and before it the headers that it includes."""
        if path in self.texts:
            return
        text = place_of(path).read_text()
        self.texts[path] = text
        for kind, name in INCLUDE.findall(text):
            if kind == '"' or name.startswith("numpact/"):
                self.visit(name)
        if not path.endswith(".cpp"):
            self.headers.append(path)

    def system_includes(self) -> list[str]:
        found = {
            name
            for path, text in self.texts.items()
            if not path.startswith(SYSTEM_FOLDERS)
            for name in split_includes(text)[1]
        }
        return sorted(found)

    def of_system(self, folder: str) -> list[str]:
        """The files of a folder, in the order in which they are compiled."""
        headers = [path for path in self.headers if path.startswith(folder)]
        return headers + [path for path in self.sources if path.startswith(folder)]

    def includes_all(self, path: str) -> set[str]:
        found: set[str] = set()
        todo = [path]
        while todo:
            for _, name in INCLUDE.findall(self.texts[todo.pop()]):
                if name in self.texts and name not in found:
                    found.add(name)
                    todo.append(name)
        return found

    def renames(self) -> dict[str, dict[str, str]]:
        """For each source, new names for what others call the same."""
        owners: dict[str, set[str]] = defaultdict(set)
        local: dict[str, set[str]] = {}
        for path, text in self.texts.items():
            for name in cpp_names.declared(text):
                owners[name.text].add(path)
                if name.is_local and path.endswith(".cpp"):
                    local.setdefault(path, set()).add(name.text)
        result: dict[str, dict[str, str]] = {}
        for path, names in local.items():
            known = self.includes_all(path) | {path}
            stem = path.removesuffix(".cpp").replace("/", "_")
            result[path] = {
                name: f"{name}_in_{stem}"
                for name in sorted(names)
                if owners[name] - known and not name.startswith("NUMPACT_")
            }
        return result


def body(library: Library, path: str, names: dict[str, str]) -> str:
    """A file without what is done once: includes, guards, the license line.

    Files of one system keep their includes of the system's headers, which others lack.
    """
    text = library.texts[path]
    if path.startswith(SYSTEM_FOLDERS):
        text = re.sub(r'^#include (?:"|<numpact/).*\n', "", text, flags=re.M)
    else:
        text, _ = split_includes(text)
    text = re.sub(r"^// SPDX-License-Identifier:.*\n|^#pragma once\n", "", text, flags=re.M)
    text = re.sub(r"^#(undef|define) HWY_TARGET_INCLUDE.*\n", "", text, flags=re.M)
    text = cpp_names.renamed(text, names) if names else text
    if path.endswith(".cpp"):
        defined = set(re.findall(r"^#define (\w+)", text, re.M))
        defined -= set(re.findall(r"^#undef (\w+)", text, re.M))
        text += "".join(f"#undef {name}\n" for name in sorted(defined))
    return f"\n// ---- {path}\n{text.strip()}\n"


def version() -> str:
    text = (ROOT / "include/numpact/version.hpp").read_text()
    return ".".join(re.findall(r"#define NUMPACT_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)", text))


def abi() -> str:
    """The version in the soname, as in cmake/Version.cmake."""
    major, minor, _ = version().split(".")
    return f"{major}.{minor}" if major == "0" else major


def write_build_files(folder: Path) -> None:
    for name in ("CMakeLists.txt", "meson.build", "BUILD.bazel", "MODULE.bazel"):
        text = (ROOT / "packaging/amalgamation" / name).read_text()
        (folder / name).write_text(text.replace("@VERSION@", version()).replace("@ABI@", abi()))
    text = (SOURCES / "numpact.map.in").read_text()
    (folder / "numpact.map").write_text(text.replace("@NUMPACT_ABI@", abi()))


def amalgamation(library: Library, vendored: bool) -> str:
    names = library.renames()
    per_target = [h for h in library.headers if h.endswith("-inl.hpp")]
    plain = [
        h
        for h in library.headers
        if h not in per_target
        and h not in BEHIND_HIGHWAY
        and h != "simd/targets.hpp"
        and not h.startswith(SYSTEM_FOLDERS)
    ]
    posix, windows = SYSTEM_FOLDERS
    highway = '"hwy/{}"' if vendored else "<hwy/{}>"
    needs = (
        "Highway's headers are in hwy/."
        if vendored
        else "It needs Highway's headers, and libdeflate to link."
    )
    parts = [
        INTRODUCTION.format(
            identifier="Identifier",
            version=version(),
            needs=needs,
            licenses=", hwy/LICENSE" if vendored else "",
        ),
        "#ifndef NUMPACT_AMALGAMATION\n#define NUMPACT_AMALGAMATION\n",
        PRAGMAS,
        "#define NUMPACT_OWN_CRC32\n" if vendored else "",
        body(library, "simd/targets.hpp", {}),
        "".join(f"#include <{name}>\n" for name in library.system_includes()),
        *(body(library, header, {}) for header in plain),
        f"\n#include {highway.format('detect_targets.h')}\n",
        "#undef HWY_ONCE\n#define HWY_ONCE (0 || HWY_IDE)\n",
        "#if !HWY_IDE && HWY_TARGETS != HWY_STATIC_TARGET\n",
        *(TARGET_LOOP.format(name=name) for name in OTHER_TARGETS + X86_TARGETS),
        "#endif\n#undef HWY_ONCE\n#define HWY_ONCE 1\n",
        "#undef HWY_TARGET\n#define HWY_TARGET HWY_STATIC_TARGET\n",
        "#endif  // NUMPACT_AMALGAMATION\n",
        f"\n// Once for each instruction set.\n#include {highway.format('highway.h')}\n",
        f"#include {highway.format('cache_control.h')}\n",
        *(body(library, header, {}) for header in per_target),
        "\n#if HWY_ONCE\n",
        *(body(library, header, {}) for header in BEHIND_HIGHWAY),
        "\n#endif  // HWY_ONCE\n",
        *(body(library, kernel, names.get(kernel, {})) for kernel in library.kernels),
        "\n// Once.\n#if HWY_ONCE\n",
        "\n#if defined(_WIN32)\n",
        *(body(library, part, names.get(part, {})) for part in library.of_system(windows)),
        "\n#else  // POSIX systems\n",
        *(body(library, part, names.get(part, {})) for part in library.of_system(posix)),
        "\n#endif\n",
        *(body(library, source, names.get(source, {})) for source in library.plain),
        "\n#endif  // HWY_ONCE\n",
    ]
    return re.sub(r"\n{3,}", "\n\n", "".join(parts))


def vendor_highway(source: Path, folder: Path) -> None:
    """Highway's headers that the library includes; they find each other without an option."""
    todo = ["highway.h", "cache_control.h", "detect_targets.h"]
    done: set[str] = set()
    while todo:
        name = todo.pop()
        if name in done:
            continue
        done.add(name)
        text = (source / "hwy" / name).read_text()
        depth = name.count("/")
        for kind, included in INCLUDE.findall(text):
            if kind == '"' and included.startswith("hwy/"):
                inner = included.removeprefix("hwy/")
                if (source / "hwy" / inner).exists():
                    todo.append(inner)
        text = text.replace('#include "hwy/', f'#include "{"../" * depth}')
        target = folder / "hwy" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("// Changed for numpact's amalgamation: the paths of includes.\n" + text)


def license_of_highway(source: Path) -> str:
    for place in (
        source / "../LICENSE",
        Path("/usr/share/doc/libhwy-dev/copyright"),
        source / "LICENSE",
    ):
        if place.exists():
            return place.read_text()
    sys.exit("amalgamate: the license of Highway was not found next to its headers")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--vendored",
        action="store_true",
        help="pack Highway's headers in, and do without libdeflate",
    )
    parser.add_argument(
        "--highway",
        type=Path,
        default=Path("/usr/include"),
        help="folder that has hwy/highway.h (default: /usr/include)",
    )
    arguments = parser.parse_args()
    folder: Path = arguments.folder
    if arguments.vendored and not (arguments.highway / "hwy/highway.h").exists():
        sys.exit(f"amalgamate: no Highway in {arguments.highway}: install libhwy-dev")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "numpact.cpp").write_text(amalgamation(Library(), arguments.vendored))
    shutil.rmtree(folder / "numpact", ignore_errors=True)
    shutil.copytree(
        ROOT / "include/numpact", folder / "numpact", ignore=shutil.ignore_patterns("cuda.hpp")
    )
    shutil.copy(ROOT / "LICENSE", folder)
    write_build_files(folder)
    if arguments.vendored:
        shutil.rmtree(folder / "hwy", ignore_errors=True)
        vendor_highway(arguments.highway, folder)
        (folder / "hwy/LICENSE").write_text(license_of_highway(arguments.highway))


if __name__ == "__main__":
    main()
