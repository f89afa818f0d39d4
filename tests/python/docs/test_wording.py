# SPDX-License-Identifier: Apache-2.0
"""Documents and docstrings render as intended, and name things that exist."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "python" / "numpact"
GUIDES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
# These define the word themselves, or are for readers of the code.
OWN_DEFINITIONS = {"glossary.md", "architecture.md", "decisions.md"}


def docstrings() -> list[tuple[str, str]]:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                text = ast.get_docstring(node)
                if text:
                    name = getattr(node, "name", "")
                    found.append((f"{path.relative_to(PACKAGE)}: {name}", text))
    return found


def prose(docstring: str) -> str:
    """A docstring without code: that in quotes, and examples."""
    lines = docstring.splitlines()
    start = next((i for i, line in enumerate(lines) if line.lstrip().startswith(">>>")), None)
    return re.sub(r"``.*?``|`[^`]*`", "", "\n".join(lines[:start]), flags=re.DOTALL)


def test_docstrings_have_no_markup_by_accident() -> None:
    every = docstrings()
    assert len(every) > 300
    wrong = [name for name, text in every if re.search(r"\*\*|\w\*\w|<\w+>", prose(text))]
    # The reference page shows 2**18 as 218 with a bold rest: write ``2**18``.
    assert wrong == []


@pytest.mark.parametrize(
    "guide",
    [path for path in GUIDES if path.name not in OWN_DEFINITIONS],
    ids=lambda path: path.name,
)
def test_latents_are_explained_where_they_first_appear(guide: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", guide.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    first = next((part for part in text.split("\n\n") if re.search(r"\blatents?\b", part)), None)
    if first is not None:
        assert "glossary.md" in first, first


def test_extras_that_documents_and_messages_name_exist() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    block = project.partition("[project.optional-dependencies]\n")[2].partition("\n[")[0]
    extras = set(re.findall(r"^(\w+) = ", block, re.MULTILINE))
    named: set[str] = set()
    for path in [*GUIDES, *PACKAGE.rglob("*.py")]:
        text = path.read_text("utf-8")
        # No package index has numpact: nothing advises to install it from one.
        assert not re.search(r"pip install ['\"]?numpact", text), path
        for group in re.findall(r"pip install '\.\[([\w,]+)\]'", text):
            named |= set(group.split(","))
        named |= set(re.findall(r"advice_for\(\"(\w+)\"\)", text))
        named |= set(re.findall(r"require\(\"[\w.]+\", \"(\w+)\"\)", text))
    assert named >= {"all", "dask", "torch", "triton"}
    assert named <= extras


def test_the_reference_has_every_public_name() -> None:
    listed = set(
        re.findall(
            r"^::: (numpact[\w.]*)$", (ROOT / "docs/reference.md").read_text("utf-8"), re.MULTILINE
        )
    )
    for module in ("numpact", "numpact.dask", "numpact.zarr"):
        found = importlib.import_module(module)
        public = {f"{module}.{name}" for name in found.__all__ if not name.startswith("__")}
        aliases = {"numpact.DeltaSpec", "numpact.ModeSpec", "numpact.PagingSpec"}
        modules = {
            name
            for name in public
            if hasattr(found, "__path__")
            and name.count(".") == 1
            and (PACKAGE / name.partition(".")[2]).with_suffix(".py").exists()
        }
        assert public - aliases - modules <= listed, public - listed
    # Each name exists, so that the page can be built.
    for name in listed:
        module, _, attribute = name.rpartition(".")
        if module == "numpact.torch":
            continue  # needs PyTorch; with_torch_dataset.py has its names
        if module == "numpact.zarr" and attribute == "PcoCodec":
            pytest.importorskip("zarr", minversion="3")
        assert hasattr(importlib.import_module(module), attribute), name


def test_what_levels_cost_is_what_the_table_says() -> None:
    page = (ROOT / "docs/benchmarks/levels.md").read_text("utf-8")
    rows = re.findall(r"^\| ours (\d+) \| ([\d,]+) \| [\d.]+ \| [\d.]+ \| ([\d.]+) ", page, re.M)
    sizes = {int(level): int(size.replace(",", "")) for level, size, _ in rows}
    speeds = {int(level): float(speed) for level, _, speed in rows}
    assert f"| 4 | {sizes[4] / sizes[8]:.3f} | {speeds[8] / speeds[4]:.2f} |" in page
    assert f"| 12 | {sizes[12] / sizes[8]:.3f} | {speeds[8] / speeds[12]:.1f} |" in page
    saved, times = 100 * (1 - sizes[12] / sizes[8]), speeds[8] / speeds[12]
    more, faster = 100 * (sizes[4] / sizes[8] - 1), speeds[4] / speeds[8]
    for document in (ROOT / "README.md", ROOT / "docs/cli.md", ROOT / "docs/python.md"):
        words = " ".join(document.read_text("utf-8").split())
        assert f"{saved:.1f} %" in words, document
        assert f"{times:.0f} times as" in words, document
        assert f"{faster:.1f} times as fast" in words, document
        assert f"{more:.0f} % more" in words, document
