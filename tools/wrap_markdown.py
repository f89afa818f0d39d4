#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""wrap_markdown.py [FILE ...]: wraps paragraphs and list items of Markdown files at 100 columns.

Tables, code, headings, quotes, HTML and definitions of links stay as they are. Without files all
Markdown files of the repository are wrapped. Wrapping a wrapped file changes nothing.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAX_COLUMNS = 100
CODE = 4  # spaces that make a line code, outside of lists
ITEM = re.compile(r"( *)([*+-]|\d+\.) +")
# Lines that are not text: headings, tables, quotes, HTML, link definitions, mkdocstrings blocks.
VERBATIM = re.compile(r" {0,3}(#|\||>|<[a-zA-Z/!]|\[[^]]+\]: |:::|---)")
# Words that may not begin a line, since they would begin a list, a heading or a quote there.
MARKER = re.compile(r"([*+-]|\d+[.)]|#+|>.*|\|.*|=+)$")
# Words; a code span or the text of a link counts as one.
TOKEN = re.compile(r"(?:`+[^`]*`+|\[[^]]*\](?:\([^)]*\))?|\S)+")


def words_of(text):
    """The words of a paragraph, with code spans and links in one piece where these are short."""
    words = []
    for match in TOKEN.finditer(text):
        whole = " ".join(match[0].split())
        words += [whole] if len(whole) <= MAX_COLUMNS // 2 else whole.split()
    return words


def wrap(text, first, rest):
    """Lines of a paragraph: the first begins with `first`, the others with `rest`."""
    lines, line, count = [], first, 0
    for word in words_of(text):
        joined = line + (" " if count else "") + word
        if count and len(joined) > MAX_COLUMNS and not MARKER.match(word):
            lines.append(line)
            line, count = rest + word, 1
        else:
            line, count = joined, count + 1
    return [*lines, line]


def wrapped(text):
    out, paragraph = [], []
    first = rest = ""
    fence = None
    is_html = in_list = False

    def flush():
        nonlocal paragraph, first, rest
        if paragraph:
            out.extend(wrap(" ".join(paragraph), first, rest))
        paragraph, first, rest = [], "", ""

    for line in text.splitlines():
        stripped = line.strip()
        if fence or stripped.startswith("```"):
            flush()
            out.append(line)
            if fence:
                fence = None if stripped == fence else fence
            else:
                fence = "```"
            continue
        item = ITEM.match(line)
        in_list = bool(item and (in_list or len(item[1]) < CODE)) or (
            in_list and (not stripped or line.startswith(" ")))
        is_code = not in_list and not paragraph and line.startswith(" " * CODE)
        if is_html or is_code or not stripped or VERBATIM.match(line):
            flush()
            out.append(line)
            is_html = bool(stripped) and (is_html or bool(re.match(r" {0,3}<[a-zA-Z/]", line)))
        elif item:
            flush()
            first, rest = item[0].rstrip() + " ", " " * (len(item[0].rstrip()) + 1)
            paragraph = [line[item.end():]]
        else:
            if not paragraph:
                indent = line[: len(line) - len(line.lstrip())]
                first = rest = indent
            paragraph.append(stripped)
    flush()
    return "\n".join(out) + "\n"


def main():
    names = sys.argv[1:] or subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.md"],
        cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    for path in (ROOT / name for name in names):
        if not path.is_file() or "fixtures" in path.parts:
            continue
        text = path.read_text(encoding="utf-8")
        new = wrapped(text)
        if new != text:
            path.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
