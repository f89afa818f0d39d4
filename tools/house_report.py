#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints counts that say how well the code can be read by others. A report: nothing fails.

Each line has a count, what it counts, and the limit that the project has set itself. --list shows
where the findings are.
"""

from __future__ import annotations

import argparse
import io
import re
import subprocess
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cpp_functions import without_comments
from tidy import MAX_FUNCTION_LINES, PRODUCT_AREAS, area_lines, functions_of

ROOT = Path(__file__).resolve().parent.parent
CPP = {".cpp", ".hpp", ".cu"}
C_LIKE = CPP | {".c", ".h", ".js", ".mjs", ".ts"}
DATA = ("tests/fixtures/", "fuzz/corpus/", "fuzz/regressions/", "samples/")

# Words of a dialect that the project has given up. Names may not have them as a part.
RETIRED_IN_NAMES = set("""
bid bids weigh weighs weighed way ways toll promise promised promises promising wish wishes verdict
gate trial trials tries misled doubt doubtful hope hopeless told telling tells alike recalled
elsewhere occurring foreseen foresee crew team hand hands wave waves door doors room rooms stretch
stretches piece pieces least most fewest truth wanted unwanted settle settles settled settling
verdicts
""".split())
# Terms of the field, or of an interface, that have one of these words.
FIELD_TERMS = {"most_common", "most_common_base", "most_frequent_value", "kLeastSquaresN",
               "is_promising", "kNotPromising", "Promise", "awaitPromise", "promise", "promises",
               "allSettled"}
# In prose, lines that have one of these.
RETIRED_IN_PROSE = re.compile(
    r"\b(tolls?|bids?|crews?|promis\w*|elsewhere|alike|wish(es)?|foreseen?|so many)\b", re.I)
ABOUT_PROMISES = {"SECURITY.md", "docs/reliability.md"}
# Suffixes of languages that have a type with this name.
WITH_PROMISES = {".js", ".mjs", ".ts"}
ABOUT_WORDS = {"tools/house_report.py"}

# Levels of a tree, in src/pco/stats, are no levels of the encoder.
LEVEL_TEST = re.compile(r"\blevel(_|\(\))?\s*(==|!=|<=|>=|<|>)(?![<>])|(<=|>=|==)\s*\w*\.?level\b"
                        r"|\bis_for_\w+\(.*level")
CONSTANT = re.compile(
    r"^\s*(?:static\s+)?(?:inline\s+)?constexpr\s+[\w:<>, ]+?\s(k[A-Z]\w*)(?:\[\w*\])?\s*(?:=|\{)",
    re.MULTILINE)


# Strings of JavaScript, which without_comments() would take for characters of C++.
SCRIPT_TEXT = re.compile(r"'(?:[^'\\\n]|\\.)*'|`[^`]*`")

# The lanes of a vector, which kernels ask for by their type.
LANES = "kLanes"


@dataclass
class Count:
    what: str
    limit: int
    findings: list[str] = field(default_factory=list)
    count: int | None = None  # if not the number of findings

    def line(self) -> str:
        count = len(self.findings) if self.count is None else self.count
        return f"{count:6,}  {self.what} (at most {self.limit:,})"


def tracked_files() -> list[str]:
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted(name for name in names.split("\0") if name and (ROOT / name).is_file())


def read(name: str) -> str:
    try:
        return (ROOT / name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def parts_of(name: str) -> set[str]:
    """The words of an identifier: kMaxPageBits has k, max, page and bits."""
    return set(re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower().split("_"))


def python_names(text: str) -> Iterator[str]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME:
            yield token.string


def names_of(name: str) -> set[str]:
    """Names of types, functions, constants and members. Parameters and locals are hard to tell
    apart from these without a compiler, so they count too."""
    if name.endswith(".py"):
        return set(python_names(read(name)))
    text = read(name)
    if not name.endswith((*CPP, ".c", ".h")):
        text = SCRIPT_TEXT.sub('""', text)
    return set(re.findall(r"\b[A-Za-z_]\w*\b", without_comments(text)))


def count_names(files: list[str]) -> Count:
    found = Count("names of files and in code with a retired word", 0)
    where: dict[str, str] = {}
    for name in files:
        if name.startswith(DATA) or name in ABOUT_WORDS:
            continue
        if parts_of(Path(name).stem) & RETIRED_IN_NAMES:
            found.findings.append(name)
        if Path(name).suffix in C_LIKE | {".py"}:
            for identifier in names_of(name):
                if identifier not in FIELD_TERMS and parts_of(identifier) & RETIRED_IN_NAMES:
                    where.setdefault(identifier, name)
    found.findings += [f"{name}: {identifier}" for identifier, name in sorted(where.items())]
    return found


def count_prose(files: list[str]) -> Count:
    found = Count("lines of prose and code with a retired word", 40)
    for name in files:
        if name.startswith(DATA) or name in ABOUT_WORDS:
            continue
        for number, line in enumerate(read(name).splitlines(), 1):
            words = {match[0].lower() for match in RETIRED_IN_PROSE.finditer(line)}
            if name in ABOUT_PROMISES or Path(name).suffix in WITH_PROMISES:
                words = {word for word in words if not word.startswith("promis")}
            if words:
                found.findings.append(f"{name}:{number}: {line.strip()}")
    return found


def count_level_tests(files: list[str]) -> Count:
    found = Count("comparisons of a level outside src/pco/levels", 0)
    for name in files:
        is_exempt = name.startswith(("src/pco/levels", "src/pco/stats/"))
        if name.startswith(("include/", "src/")) and Path(name).suffix in CPP and not is_exempt:
            for number, line in enumerate(without_comments(read(name)).splitlines(), 1):
                if LEVEL_TEST.search(line):
                    found.findings.append(f"{name}:{number}: {line.strip()}")
    return found


def count_files_with(files: list[str], word: str, limit: int) -> Count:
    pattern = re.compile(word)
    return Count(f"files of src/pco that name {word}", limit, [
        name for name in files if name.startswith("src/pco/") and Path(name).suffix in CPP
        and pattern.search(without_comments(read(name)))])


ENCODER = ("src/pco/encode/", "src/pco/bins/", "src/pco/levels")


def constants(files: list[str], folders: tuple[str, ...]
              ) -> Iterator[tuple[str, int, str, str, bool]]:
    """Constants of the folders: file, line, name, value, and whether a comment stands by it."""
    for name in files:
        if not name.startswith(folders) or Path(name).suffix not in CPP:
            continue
        text = read(name)
        lines = text.splitlines()
        for match in CONSTANT.finditer(text):
            number = text.count("\n", 0, match.start(1))
            value = text[match.end(1):text.find(";", match.end(1))]
            before = number - 1
            # A comment may stand over a group of constants without empty lines between.
            while before >= 0 and CONSTANT.match(lines[before] + "\n"):
                before -= 1
            has_comment = "//" in lines[number] or (
                before >= 0 and lines[before].lstrip().startswith("//"))
            yield name, number + 1, match[1], " ".join(value.split()), has_comment


def count_constants(files: list[str]) -> list[Count]:
    bare = Count("constants of the encoder without a comment", 0)
    total = Count("constants of the encoder, all", 332)
    for name, number, constant, value, has_comment in constants(files, ENCODER):
        total.findings.append(f"{name}:{number}: {constant} {value}")
        if not has_comment and constant != LANES:
            bare.findings.append(f"{name}:{number}: {constant} {value}")
    values: dict[str, set[str]] = defaultdict(set)
    where: dict[str, set[str]] = defaultdict(set)
    for name, number, constant, value, _ in constants(files, ("src/pco/",)):
        # Members of traits have one name in all of them, and so do the branches of an #if.
        is_member = read(name).splitlines()[number - 1].startswith(" ")
        if not is_member or name.startswith(ENCODER):
            values[constant].add(value)
            where[constant].add(name)
    twice = Count("constants of src/pco with one name and several values", 0, [
        f"{name}: {', '.join(sorted(found))} ({', '.join(sorted(where[name]))})"
        for name, found in sorted(values.items())
        if len(found) > 1 and len(where[name]) > 1 and name != LANES])
    return [total, bare, twice]


def count_functions(files: list[str]) -> Count:
    found = Count(f"functions of more than {MAX_FUNCTION_LINES} lines", 0)
    for name in files:
        if not name.startswith(DATA) and Path(name).suffix in CPP | {".py"}:
            found.findings += [
                f"{name}:{function.first}: {function.name}, {function.lines} lines"
                for function in functions_of(Path(name), read(name))
                if function.lines > MAX_FUNCTION_LINES]
    return found


# Lines that an area has at most (tools/tidy.py says which count), and where they stand.
AREA_GOALS = {"cli": 15_000, "python": 15_000, "bench": 5_000, "docs": 6_500}
PRODUCT_GOAL = 96_400  # 10,000 fewer than at bf9e9436


def count_lines(files: list[str]) -> Iterator[Count]:
    counts = area_lines(map(Path, files))
    for area, limit in AREA_GOALS.items():
        yield Count(f"lines of {area}", limit, count=counts[area])
    product = sum(counts[area] for area in PRODUCT_AREAS)
    yield Count(f"lines of product code: {', '.join(PRODUCT_AREAS)}", PRODUCT_GOAL, count=product)


def report() -> Iterator[Count]:
    files = tracked_files()
    yield from count_lines(files)
    yield Count("files in git", 1700, count=len(files))
    yield count_functions(files)
    yield count_names(files)
    yield count_prose(files)
    yield count_level_tests(files)
    yield count_files_with(files, "FloatQuant", 10)
    yield count_files_with(files, "Conv1", 12)
    yield from count_constants(files)
    # The header of the C interface is a reference of its own.
    headers = [f for f in files if f.startswith("include/") and f.endswith(".hpp")]
    lines = sum(read(name).count("\n") for name in headers)
    yield Count("lines of public C++ headers", 2700, count=lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", metavar="TEXT", help="findings of the counts that have this text")
    arguments = parser.parse_args()
    for count in report():
        print(count.line())
        if arguments.list and arguments.list in count.what:
            print("".join(f"        {finding}\n" for finding in count.findings), end="")


if __name__ == "__main__":
    main()
