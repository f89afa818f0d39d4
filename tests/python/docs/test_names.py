# SPDX-License-Identifier: Apache-2.0
"""Files and C++ tests that documents name exist: after a renaming no claim is without its proof."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
PATH = re.compile(r"`((?:src|tests|cli|fuzz|bench|tools|python|examples|include|cmake)/[\w./-]+)`")
CASE = re.compile(r"`([A-Z][A-Za-z0-9]+\.[A-Z][A-Za-z0-9]+)`")
DEFINED = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+),\s*(\w+)\)", re.MULTILINE)


@pytest.fixture(scope="module")
def cases() -> set[str]:
    files = [*(ROOT / "tests").rglob("*.cpp"), *(ROOT / "cli").rglob("*_test.cpp")]
    found = (match for file in files for match in DEFINED.finditer(file.read_text("utf-8")))
    return {f"{match[1]}.{match[2]}" for match in found}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_named_files_and_tests_exist(document: Path, cases: set[str]) -> None:
    text = document.read_text("utf-8")
    for name in PATH.findall(text):
        # A folder, a file, or both files of a name without its ending; TARGET stands for any.
        there = ROOT / name.partition("TARGET")[0].rstrip("/.")
        assert there.exists() or list(there.parent.glob(f"{there.name}.*")), f"no {name}"
    for name in CASE.findall(text):
        assert name in cases, f"no test {name}"


@pytest.mark.parametrize("module", ["numpact.dask", "numpact.zarr"])
def test_the_reference_lists_public_names(module: str) -> None:
    """Its page is made from the docstrings of the names that it lists."""
    page = (ROOT / "docs/reference.md").read_text("utf-8")
    listed = set(re.findall(r"^::: ([\w.]+)$", page, re.MULTILINE))
    public = {f"{module}.{name}" for name in pytest.importorskip(module).__all__}
    assert public == {name for name in listed if name.startswith(f"{module}.")}
