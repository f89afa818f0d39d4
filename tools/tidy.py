#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the house rules that no compiler checks: layers, lengths of files, functions and lines,
license lines and source lists.

Prints one line `file:line: message` per finding and exits with 1 if there is any.
"""
import re
import subprocess
import sys
from pathlib import Path

from cpp_functions import cpp_functions, python_functions

ROOT = Path(__file__).resolve().parent.parent
SOURCES = {".cpp", ".cu"}
CODE = SOURCES | {".hpp"}
SCRIPTS = {".py", ".sh", ".cmake"}
MAX_COLUMNS = 100
MAX_LINES = 600
MAX_FUNCTION_LINES = 70  # a screen; docstrings do not count
# Lines of an area, without blank ones, tests, and what programs write into documents. These are the
# goals that hold, at their present value: lower one when its count has fallen, raise none.
MAX_AREA_LINES = {"docs": 6_750}
PRODUCT_AREAS = ("src", "include", "cli", "python", "integrations")
AREA_SUFFIXES = {".cpp", ".hpp", ".cu", ".c", ".h", ".py", ".pyi", ".js", ".mjs", ".ts", ".cmake"}
MADE_BY_PROGRAMS = re.compile(r"<!-- (\w+): made by.*?<!-- end of \1 -->", re.DOTALL)
# Files compiled once for each instruction set: sources, and headers that only they include.
KERNEL_SOURCE = "_kernel.cpp"
KERNEL_HEADER = "-inl.hpp"
KERNEL_NAMES = (KERNEL_SOURCE, KERNEL_HEADER)
SPDX = "SPDX-License-Identifier: Apache-2.0"
# Parts of a Markdown line that do not count: targets of links, and code spans.
UNBREAKABLE = re.compile(r"\]\([^)]*\)|`[^`]*`")
INCLUDE = re.compile(r'\s*#\s*include\s+([<"])([^>"]+)[>"]')
C_CODE = {".c", ".h"}
# Systems are told apart in one folder, which has a file of each subject for each of them.
PLATFORM = Path("src/platform")
SYSTEM_CONDITION = re.compile(
    r"\s*#\s*(?:if|ifdef|ifndef|elif)\b.*\b"
    r"(?:_?WIN(?:32|64)|__linux(?:__)?|__unix(?:__)?|__APPLE__|__MACH__|__GLIBC__|__BIONIC__"
    r"|__ANDROID__|__(?:Free|Net|Open)BSD__|__MINGW\w*|__CYGWIN__|__EMSCRIPTEN__|__wasi__"
    r"|_POSIX_\w+|TARGET_OS_\w+)\b")
SYSTEM_HEADER = re.compile(
    r"\s*#\s*include\s+<(?:windows|winternl|shellapi|io|direct|unistd|fcntl|poll|signal|csignal"
    r"|spawn|dirent|termios|pthread|dlfcn|pwd|sys/\w+)(?:\.h)?>")
# Attributes of exported functions, which every compiler names in its own way; and plug-ins, each of
# which includes the headers of the program that loads it.
MAY_ASK_FOR_SYSTEM = ("include/numpact/version.hpp", "include/numpact/numpact.h", "integrations/",
                      "tests/")
# Features that Microsoft's compiler lacks, and the files that may use them: those that ask for the
# compiler and have an alternative.
NOT_IN_EVERY_COMPILER = {
    "a built-in function": re.compile(r"\b__builtin_\w+"),
    "an attribute of GCC": re.compile(r"__attribute__|\[\[gnu::"),
    "assembler": re.compile(r"(?<!\w)(?:asm|__asm__)\s*(?:volatile\s*)?\("),
    "an integer of 128 bits": re.compile(r"\b__int128\b"),
    "a type of POSIX": re.compile(r"\b(?:ssize_t|off_t|pid_t|mode_t|uid_t|gid_t)\b"),
    "a statement as expression": re.compile(r"\(\{\s*$"),
    "an extension of GCC": re.compile(
        r"\b(?:__typeof__|typeof|__extension__|__PRETTY_FUNCTION__|__thread|_Float16|__fp16)\b"
        r"|\balloca\s*\(|\?:|\bcase\b[^:]*\.\.\.|#\s*pragma\s+(?:GCC|clang)"),
    "an array of variable length": re.compile(
        r"^\s+(?:char|int|float|double|std::\w+)\s+\w+\[(?!k[A-Z])[a-z]\w*(?:\(\))?\];"),
}
ASKS_FOR_COMPILER = (
    "include/numpact/version.hpp", "include/numpact/numpact.h", "src/platform/posix/",
    "src/platform/compiler.hpp", "src/platform/x87_flags.hpp", "src/base/float_environment.hpp",
    "src/simd/cpu_features.cpp",
    "src/simd/lane_count-inl.hpp", "src/pco/latent/walk-inl.hpp",
    "src/pco/latent/unpack_vbmi-inl.hpp", "src/pco/delta/conv1_kernel.cpp",
    "src/cvc/quality/distance.cpp", "src/gpu/")
# What the product has once, by words that a second implementation would have, and where it is.
PRODUCT = ("src", "include", "cli", "python", "integrations")
ONCE = {
    "parser or writer of manifests": (
        re.compile(r'"(?:numpact-table|nulls_dropped|logical_type)\b'), ("src/table/",)),
    "parser of filters": (
        re.compile(r'"is not null"'),
        ("src/table/filter/", "include/numpact/table_filter.hpp",
         "python/numpact/_folders/filters.py")),
    # The command prints headers that the library has checked in its own form. Python's own reads
    # headers of CVC files that the library has checked, what numpact wrote for itself, the filters
    # of polars, and indexes of datasets, of which it checks levels and values before.
    "reader of JSON": (
        re.compile(r"(?:\bJson|nlohmann::(?:ordered_)?json)::parse\b|simdjson|rapidjson"
                   r"|\bjson\.loads?\("),
        ("src/json/", "cli/commands/cvc/info.cpp",
         "cli/report/inspect_json.cpp", "python/numpact/cvc/", "python/numpact/dask/_cvc.py",
         "python/numpact/dask/_schemas.py", "python/numpact/_folders/polars_predicates.py",
         "python/numpact/_remote/chunk_index.py", "python/numpact/_remote/dataset_index.py",
         "integrations/duckdb/fetch_headers.py")),
}
# Programs for tests and benchmarks of some systems: their build files leave them out elsewhere.
MAY_USE_SYSTEM = (*MAY_ASK_FOR_SYSTEM, "fuzz/", "bench/", "src/gpu/emulation/")


def project_files():
    """Every file git tracks or would track, fixtures excepted, as paths relative to the root."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = sorted({Path(name) for name in names.split("\0") if name})
    return [p for p in paths if (ROOT / p).is_file() and p.parts[:2] != ("tests", "fixtures")]


def is_source(path):
    return (path.suffix in CODE | SCRIPTS or path.name == "CMakeLists.txt"
            or str(path) in ("dev", ".ci/run", "tools/layers.txt"))


class Layers:
    """The table of tools/layers.txt."""

    def __init__(self, text):
        self.level = {}
        self.everywhere, self.public_from, self.outside, self.allowed = set(), set(), set(), set()
        layer = 0
        for line in text.splitlines():
            line = line.partition("#")[0].strip()
            if not line:
                continue
            head, _, rest = line.partition(": ")
            if head == "public everywhere":
                self.everywhere |= set(rest.split())
            elif head == "public all from":
                self.public_from |= set(rest.split())
            elif head == "outside":
                self.outside = set(rest.split())
            elif line.startswith("allow "):
                source, _, target = line[len("allow "):].partition(" -> ")
                self.allowed.add((source.strip(), target.strip()))
            else:
                self.level.update((entry, layer) for entry in line.split())
                layer += 1

    def entry(self, path):
        """The entry that owns a path, or None: the longest folder or file stem in the table."""
        inner = path.relative_to("src") if path.parts[0] == "src" else path
        stem = inner.with_suffix("").as_posix()
        while stem != ".":
            if stem in self.level:
                return stem
            stem = Path(stem).parent.as_posix()
            if stem in self.level:
                return stem
        return stem_family(inner, self.level)

    def complaint(self, source, target):
        """Why a file of entry `source` may not include one of entry `target`, or None."""
        if source == target or (source, target) in self.allowed:
            return None
        if source in self.outside:
            return f"{source} sees public headers only"
        if self.level[target] < self.level[source]:
            return None
        alternative = "sideways" if self.level[target] == self.level[source] else "up"
        return f"{source} includes {alternative} into {target} (tools/layers.txt)"


def stem_family(inner, level):
    """Entry of a file named after an entry: pco/wire_test.cpp belongs to pco/wire."""
    for entry in level:
        if inner.with_suffix("").as_posix().startswith(entry + "_"):
            return entry
    return None


def resolve(path, name):
    """The project file that `#include` of `name` in `path` means, or None."""
    for folder in (Path("src"), path.parent, Path(path.parts[0]), Path("include"), Path("tests"),
                   Path("cli"), Path(".")):
        target = (ROOT / folder / name).resolve()
        if target.is_file() and target.is_relative_to(ROOT):
            return target.relative_to(ROOT)
    return None


def check_include(path, mark, name, layers, included):
    """Yields what is wrong with one include line; notes its target in `included`."""
    if name.startswith("hwy/"):
        may = path.parts[:2] == ("src", "simd") or path.parts[0] == "tests"
        if not (may or path.name.endswith(KERNEL_NAMES)):
            yield "only *_kernel.cpp, *-inl.hpp, src/simd and tests include Highway"
        return
    if mark == "<" and not name.startswith("numpact/"):
        return
    target = resolve(path, name)
    if target is None:
        yield f"no such file in the project: {name}"
        return
    included.add(target)
    if target.name.endswith(KERNEL_HEADER) and not path.name.endswith(KERNEL_NAMES):
        yield f"only *{KERNEL_SOURCE} and *{KERNEL_HEADER} include {name}"
    if path.parts[0] == "include":
        if target.parts[0] != "include":
            yield "a public header includes an internal one"
        return
    source = layers.entry(path)
    if source is None:
        return  # reported once per file
    if target.parts[0] == "include":
        short = target.relative_to("include/numpact").as_posix()
        if short not in layers.everywhere and source not in layers.public_from:
            yield f"{source} may not include the public header {name} (tools/layers.txt)"
        return
    owner = layers.entry(target)
    if owner is not None:
        complaint = layers.complaint(source, owner)
        if complaint:
            yield complaint


def check_code(path, lines, layers, included):
    """Yields (line, message) for the include rules of one C++ file."""
    if path.parts[0] != "include" and layers.entry(path) is None:
        yield 1, "in no layer of tools/layers.txt"
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match:
            for message in check_include(path, match[1], match[2], layers, included):
                yield number, message


def check_system(path, lines):
    """Yields (line, message) for what only src/platform may do."""
    if path.is_relative_to(PLATFORM):
        return
    name = path.as_posix()
    for number, line in enumerate(lines, 1):
        if SYSTEM_CONDITION.match(line) and not name.startswith(MAY_ASK_FOR_SYSTEM):
            yield number, "asks for the system: what differs there belongs in src/platform"
        if SYSTEM_HEADER.match(line) and not name.startswith(MAY_USE_SYSTEM):
            yield number, "includes a header of some systems: use src/platform"


def check_compilers(path, lines):
    """Yields (line, message) for what not every compiler has, in what users compile."""
    name = path.as_posix()
    if path.parts[0] not in ("src", "include", "cli") or name.startswith(
            ASKS_FOR_COMPILER):
        return
    for number, line in enumerate(lines, 1):
        code = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line.partition("//")[0])
        for what, pattern in NOT_IN_EVERY_COMPILER.items():
            if pattern.search(code):
                yield number, f"{what}: use src/platform/compiler.hpp or standard C++"


def check_text(path, lines):
    """Yields (line, message) for what holds in every source file."""
    first = 1 if lines and lines[0].startswith("#!") else 0
    places = [i for i, line in enumerate(lines) if SPDX in line and "SPDX =" not in line]
    if places[:1] != [first]:
        yield first + 1, f"this line should be: {SPDX}"
    for place in places[1:]:
        yield place + 1, "second license line"
    if len(lines) > MAX_LINES:
        yield len(lines), f"{len(lines)} lines, at most {MAX_LINES}: split the file"
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_COLUMNS:
            yield number, f"{len(line)} columns, at most {MAX_COLUMNS}"
        if line != line.rstrip():
            yield number, "space at the end of the line"
        if "\t" in line:
            yield number, "tab"


def check_once(path, lines):
    """Yields (line, message) for a second implementation of what the product has once."""
    if path.parts[0] not in PRODUCT:
        return
    for what, (words, places) in ONCE.items():
        if path.as_posix().startswith(places):
            continue
        for number, line in enumerate(lines, 1):
            if words.search(line):
                yield number, f"a second {what}? It is in {places[0]}"


def functions_of(path, text):
    """The functions of a C++ or Python file."""
    return python_functions(text) if path.suffix == ".py" else cpp_functions(text)


def check_functions(path, text):
    """Yields (line, message) for long functions."""
    for function in functions_of(path, text):
        if function.lines > MAX_FUNCTION_LINES:
            yield (function.first,
                   f"{function.name}: {function.lines} lines, at most {MAX_FUNCTION_LINES}")


def check_markdown(lines):
    """Yields (line, message) for text that is too long; tables and code blocks may be."""
    is_code = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code and not line.startswith(("|", "    ")):
            if len(UNBREAKABLE.sub("", line)) > MAX_COLUMNS:
                yield number, f"{len(line)} columns, at most {MAX_COLUMNS}: ./dev format"


def area_of(path):
    """The area whose lines a file adds to, or None."""
    area = path.parts[0]
    if area == "docs":
        return area if path.suffix == ".md" else None
    is_code = path.suffix in AREA_SUFFIXES or path.name == "CMakeLists.txt"
    is_ours = not any("test" in re.split(r"[_./]", part) for part in path.parts)
    is_counted = area == "bench" or area in PRODUCT_AREAS
    return area if is_counted and is_code and is_ours and "_generated" not in path.name else None


def line_count(text):
    """The lines that people write: neither blank nor made by a program."""
    return sum(bool(line.strip()) for line in MADE_BY_PROGRAMS.sub("", text).splitlines())


def area_lines(files):
    """The count of lines of each area."""
    counts = dict.fromkeys(("docs", "bench", *PRODUCT_AREAS), 0)
    for path in files:
        area = area_of(path)
        if area:
            counts[area] += line_count((ROOT / path).read_text(encoding="utf-8"))
    return counts


def in_source_list(path, lists):
    """Whether a CMakeLists.txt in the folder of a source, or above it, names the source."""
    for folder in path.parents:
        words = lists.get(folder)
        if words and path.relative_to(folder).as_posix() in words:
            return True
    return False


def findings():
    files = project_files()
    layers = Layers((ROOT / "tools/layers.txt").read_text())
    lists = {}
    for path in files:
        if path.name in ("CMakeLists.txt", "sources.txt") or path.suffix == ".cmake":
            words = re.split(r'[\s()"]+', (ROOT / path).read_text())
            lists.setdefault(path.parent, set()).update(words)
    included = set()
    for path in filter(is_source, files):
        text = (ROOT / path).read_text(encoding="utf-8")
        lines = text.splitlines()
        for check in (check_text, check_once):
            for number, message in check(path, lines):
                yield path, number, message
        if path.suffix in CODE or path.suffix == ".py":
            for number, message in check_functions(path, text):
                yield path, number, message
        if path.suffix in CODE:
            for number, message in check_code(path, lines, layers, included):
                yield path, number, message
        if path.suffix in SOURCES and not in_source_list(path, lists):
            yield path, 1, "in no CMake source list"
    for path in files:
        if path.suffix in CODE | C_CODE:
            lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
            for number, message in check_system(path, lines):
                yield path, number, message
            for number, message in check_compilers(path, lines):
                yield path, number, message
        if path.suffix == ".md":
            text = (ROOT / path).read_text(encoding="utf-8")
            for number, message in check_markdown(text.splitlines()):
                yield path, number, message
        if path.suffix == ".hpp" and path.parts[0] != "include" and path not in included:
            yield path, 1, "no file includes this header"
    counts = area_lines(files)
    for area, limit in MAX_AREA_LINES.items():
        if counts[area] > limit:
            yield Path(area), counts[area], f"{counts[area]} lines, at most {limit}"


def main():
    count = 0
    for path, number, message in findings():
        print(f"{path}:{number}: {message}")
        count += 1
    if count:
        print(f"tidy: {count} findings")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
