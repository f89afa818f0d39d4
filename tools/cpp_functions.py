# SPDX-License-Identifier: Apache-2.0
"""Finds the functions of C++ and Python files, for tools/tidy.py and tools/house_report.py.

The C++ half does not parse the language. It removes comments and literals and looks at what stands
before each opening brace: a parameter list that no control word introduces begins a function.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

TOKENS = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)"""
    r"""|(?P<literal>(?:u8|[uUL])?R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*")"""
    r"""|(?P<number>\b[0-9](?:'?[0-9a-zA-Z_.])*)|(?P<character>'(?:\\.|[^'\\\n])+')"""
    r"""|(?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)""",
    re.DOTALL | re.MULTILINE | re.VERBOSE)
CONTROL = re.compile(r"\b(if|for|while|switch|catch|else|do|try)\b")
# After the parameter list: qualifiers, a return type, a requires clause, or initializers.
SIGNATURE = re.compile(r"\)\s*(const|noexcept(\s*\([^()]*\))?|override|final|mutable|&&?|"
                       r"NUMPACT_\w+|HWY_\w+|\s)*(->[^;{}=]*)?$")
INITIALIZERS = re.compile(r"\)\s*(noexcept\s*)?:\s*\w[^;]*$", re.DOTALL)


class Function(NamedTuple):
    name: str
    first: int  # line of the name
    last: int  # line of the closing brace
    docstring: int = 0  # lines of it

    @property
    def lines(self) -> int:
        return self.last - self.first + 1 - self.docstring


def without_comments(text: str) -> str:
    """The code with comments, literals and directives blanked: lines keep their numbers."""
    def blank(match: re.Match[str]) -> str:
        if match["number"]:
            return match[0]
        filler = re.sub(r"[^\n]", " ", match[0])
        return '""' + filler[2:] if match["literal"] else filler

    return TOKENS.sub(blank, text)


def name_of(head: str) -> str:
    """The function that a head like `int f(int x) const` declares, or ''."""
    depth = 0
    for place, character in enumerate(head):
        if character == "(" and depth == 0:
            match = re.search(r"([~\w:]+|operator\s*\S+)\s*$", head[:place])
            if match:
                return match[1]
        depth += {"(": 1, "<": 0, ")": -1}.get(character, 0)
    return ""


def is_function(head: str) -> bool:
    head = head.strip()
    if "(" not in head or CONTROL.match(head) or re.match(r"(enum|namespace|extern)\b", head):
        return False
    if re.search(r"=\s*$", head) or re.match(r"(return|throw|co_return)\b", head):
        return False
    return bool(SIGNATURE.search(head) or INITIALIZERS.search(head))


def cpp_functions(text: str) -> Iterator[Function]:
    """Functions at the scope of namespaces and classes; lambdas and local classes belong to the
    function around them."""
    code = without_comments(text)
    stack: list[tuple[str, int] | None] = []  # the function that a brace opens, or None
    begin, line, inside = 0, 1, 0
    for match in re.finditer(r"[{};\n]", code):
        mark = match[0]
        if mark == "\n":
            line += 1
            continue
        head = code[begin:match.start()]
        begin = match.end()
        if mark == "{":
            opened = None
            # A brace within parentheses is an argument: f({1, 2}).
            if not inside and is_function(head):
                first = line - head.lstrip().count("\n")
                opened = (name_of(head), first)
                inside += 1
            elif inside:
                inside += 1
            stack.append(opened)
        elif mark == "}" and stack:
            opened = stack.pop()
            if inside:
                inside -= 1
            if opened:
                yield Function(opened[0], opened[1], line)


def python_functions(text: str) -> Iterator[Function]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0]
            is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
            docstring = (first.end_lineno or first.lineno) - first.lineno + 1 if is_text else 0
            yield Function(node.name, node.lineno, node.end_lineno or node.lineno, docstring)
