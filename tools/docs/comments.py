#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""comments.py FILE: prints a header with its plain comments as documentation comments.

An input filter of Doxygen, which reads `///` only. The number of lines stays the same. The comment
at the top of a file describes the file. A comment that an empty line follows describes nothing.
"""
import re
import sys
from pathlib import Path

COMMENT = re.compile(r"( *)//(?!/)( |$)")
TRAILING = re.compile(r"(.*\S) {2,}// (.*)$")
ESCAPES = str.maketrans({"@": "\\@", "<": "\\<", ">": "\\>", "#": "\\#"})


def converted(lines):
    out = []
    in_top = True
    for index, line in enumerate(lines):
        comment = COMMENT.match(line)
        if index == 0 and "SPDX" in line:
            out.append("/// \\file")
        elif comment:
            text = line[comment.end():].translate(ESCAPES)
            out.append(f"{comment[1]}///{' ' if text else ''}{text}" if in_top or
                       is_attached(lines, index) else line)
        else:
            in_top = in_top and not line.strip()
            trailing = TRAILING.match(line)
            if trailing and not line.startswith("#") and '"' not in trailing[1]:
                line = f"{trailing[1]}  ///< {trailing[2].translate(ESCAPES)}"
            out.append(line)
        if not comment and index:
            in_top = False
    return out


def is_attached(lines, index):
    """Whether the comment that a line belongs to stands right before a declaration."""
    while index < len(lines) and COMMENT.match(lines[index]):
        index += 1
    return index < len(lines) and bool(lines[index].strip()) and \
        not lines[index].lstrip().startswith(("#", "}", "namespace"))


def main():
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    print("\n".join(converted(text.splitlines())))


if __name__ == "__main__":
    main()
