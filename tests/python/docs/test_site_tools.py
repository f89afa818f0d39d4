# SPDX-License-Identifier: Apache-2.0
"""The tools behind ./dev docs and ./dev format: wrapping, links, comments of headers."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
SPDX = "// SPDX-License-Identifier: Apache-2.0"


def tool(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / "tools" / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def wrapped(text: str) -> str:
    found = tool("wrap_markdown.py").wrapped(text)
    assert isinstance(found, str)
    return found


@pytest.mark.parametrize(
    "text",
    [
        "# A heading " + "long " * 30 + "\n",
        "| a | " + "cell " * 30 + "|\n",
        "```sh\n" + "command " * 30 + "\n```\n",
        "Text:\n\n    code   of   four blanks\n    - not an item\n",
        '<div class="csv" data-source="a.csv"></div>\n',
        "* item\n\n  ```text\n  kept   as it is\n  ```\n",
    ],
)
def test_wrapping_leaves_alone(text: str) -> None:
    assert wrapped(text) == text


def test_wrapping_of_paragraphs_and_items() -> None:
    words = " ".join(["word"] * 50)
    text = wrapped(f"{words}\n\n* {words}\n  {words}\n* short\n")
    lines = text.splitlines()
    assert all(len(line) <= 100 for line in lines)
    assert text.split() == [*["word"] * 50, "*", *["word"] * 100, "*", "short"]
    assert lines[-1] == "* short"
    assert lines[-2].startswith("  word")
    assert wrapped(text) == text


def test_wrapping_keeps_links_and_never_begins_a_line_with_a_marker() -> None:
    text = wrapped("x" * 95 + " - [a link of words](target.md) " + "y " * 20 + "\n")
    assert "[a link of words](target.md)" in text
    assert not any(line.startswith("- ") for line in text.splitlines())


def test_wrapping_a_wrapped_document_changes_nothing() -> None:
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        once = wrapped(path.read_text(encoding="utf-8"))
        assert wrapped(once) == once, path


def test_findings_in_a_site(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<h1 id="top"></h1><a href="#top"></a><a href="b.html#there"></a><a href="b.html#gone">'
        '</a><a href="c.html"></a><a href="https://example.org/"></a><img src="http://x.org/a.png">'
    )
    (tmp_path / "b.html").write_text('<p id="there"><script src="https://cdn.org/a.js"></script>')
    done = subprocess.run(
        [sys.executable, ROOT / "tools/docs/check_site.py", tmp_path],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "a.html: b.html#gone: no such anchor",
        "a.html: c.html: no such file",
        "a.html: http://x.org/a.png: not part of the site",
        "b.html: https://cdn.org/a.js: not part of the site",
    ]


def test_comments_of_headers() -> None:
    lines = [
        SPDX,
        "// What the file is for.",
        "#ifndef A",
        "",
        "// Says what f does, <never> more.",
        "int f();",
        "// About nothing.",
        "",
        "struct S {",
        "  int a = 0;    // one field",
        "};",
    ]
    found = tool("docs/comments.py").converted(lines)
    assert len(found) == len(lines)
    assert found[:2] == ["/// \\file", "/// What the file is for."]
    assert found[4] == "/// Says what f does, \\<never\\> more."
    assert found[6] == "// About nothing."
    assert found[9] == "  int a = 0;  ///< one field"
