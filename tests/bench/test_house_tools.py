# SPDX-License-Identifier: Apache-2.0
"""The tools that look at the sources and at commits."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import check_commits
import cpp_functions
import house_report
import tidy

CODE = """\
// int commented() {
#define MACRO(x) void x() { }
namespace numpact {
namespace {
constexpr int kTable[] = {1, 2};
struct Pair {
  Pair(int a, int b)
      : a(a), b{b} {}
  int sum() const noexcept { return a + b; }
  int a, b;
};
template <class T>
auto twice(T x) -> decltype(x + x) {
  const auto f = [&](int y) {
    if (y > 0) {
      return "} ) {";
    }
    return "";
  };
  for (int i = 0; i < 2; ++i) { f(i); }
  return x + x;
}
}  // namespace
TEST(Suite, Name) {
  EXPECT_EQ(twice(1), 2);
}
}  // namespace numpact
"""


def test_functions_of_cpp() -> None:
    found = [(f.name, f.first, f.last) for f in cpp_functions.cpp_functions(CODE)]
    assert found == [("Pair", 7, 8), ("sum", 9, 9), ("twice", 12, 22), ("TEST", 24, 26)]


def test_functions_of_python_without_their_docstrings() -> None:
    lines = ["class A:", "  def f(self):", '    """One.', "", "    Two.", '    """', "    return 1"]
    code = "\n".join(lines)
    (function,) = cpp_functions.python_functions(code)
    assert (function.name, function.lines) == ("f", 2)


@pytest.mark.parametrize(
    ("subject", "body", "complaint"),
    [
        ("cli: name the column in errors", "It was not named.", None),
        ("cli, python: name the column", "It was not named.", "area: imperative"),
        ("cli: address the reader", "Why.", None),
        ("Cli: name the column", "Why.", "area: imperative"),
        ("name the column", "Why.", "area: imperative"),
        ("cli: name the column.", "Why.", "area: imperative"),
        ("cli: names the column", "Why.", "'names' is not an imperative"),
        ("cli: added a column", "Why.", "'added' is not an imperative"),
        ("cli: name the column", "", "no body"),
        ("cli: name " + "x" * 100, "Why.", "characters"),
    ],
)
def test_commit_messages(subject: str, body: str, complaint: str | None) -> None:
    found = check_commits.complaints(subject, body)
    assert (complaint is None) == (not found)
    assert complaint is None or complaint in found[0]


def test_words_of_names() -> None:
    assert house_report.parts_of("kMaxPageBits") == {"k", "max", "page", "bits"}
    assert house_report.parts_of("bid_float_mult") & house_report.RETIRED_IN_NAMES == {"bid"}


def test_levels_are_compared() -> None:
    for line in ("if (level >= 5)", "trial.level < kSize", "level_ == 3", "if (3 <= config.level)"):
        assert house_report.LEVEL_TEST.search(line), line
    for line in ("out << level << 1", "level = 3;", "f(level)"):
        assert not house_report.LEVEL_TEST.search(line), line


def test_lines_that_people_write() -> None:
    text = "a\n\n<!-- levels: made by x -->\n| 1 |\n<!-- end of levels -->\n  b\n"
    assert tidy.line_count(text) == 2


def test_areas_of_files() -> None:
    areas = {
        "docs/format/pco.md": "docs",
        "docs/assets/try/page.js": None,
        "cli/csv/dialect.hpp": "cli",
        "cli/csv/dialect_test.cpp": None,
        "python/numpact/_core.pyi": "python",
        "integrations/cpcodec/cpcodec_generated.h": None,
        "bench/levels.py": "bench",
        "tests/unit/levels_test.cpp": None,
    }
    assert {name: tidy.area_of(Path(name)) for name in areas} == areas
