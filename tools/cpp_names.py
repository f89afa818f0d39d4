# SPDX-License-Identifier: Apache-2.0
"""The names that a C++ source declares in its namespaces, for tools/amalgamate.py.

A parser for the style of this tree, not for C++: it knows namespaces, types, functions and
variables, and skips what braces and parentheses enclose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | R"(\w*)\(.*?\)\1" | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
    | ^[ \t]*\#(?:\\\n|[^\n])* | [A-Za-z_]\w* | \d(?:[\w.]|'\w)* | :: | -> | \s+ | .""",
    re.S | re.M | re.X,
)
IDENTIFIER = re.compile(r"[A-Za-z_]\w*$")
PAIRS = {"(": ")", "{": "}", "[": "]", "<": ">"}


@dataclass(frozen=True)
class Name:
    text: str
    # Declared in an unnamed namespace, or in that of one instruction set: nobody else sees it.
    is_local: bool


def tokens(text: str) -> list[str]:
    return [match.group(0) for match in TOKEN.finditer(text)]


def is_code(token: str) -> bool:
    return not (token.isspace() or token.startswith(("//", "/*")) or token.lstrip().startswith("#"))


class Parser:
    def __init__(self, text: str) -> None:
        # The end never lacks a token to look at.
        self.tokens = [token for token in tokens(text) if is_code(token)] + [";"] * 4
        self.scopes: list[str] = []
        self.names: list[Name] = []

    def parse(self) -> list[Name]:
        i = 0
        while i < len(self.tokens) - 4:
            i = self.next_declaration(i)
        return self.names

    def close(self, i: int) -> int:
        """The place of the token that closes the one at i."""
        opening, closing = self.tokens[i], PAIRS[self.tokens[i]]
        depth = 0
        for k in range(i, len(self.tokens)):
            if opening == "<" and self.tokens[k] == "(" and depth > 0:
                continue
            depth += (self.tokens[k] == opening) - (self.tokens[k] == closing)
            if depth == 0:
                return k
        return len(self.tokens) - 1

    def find(self, i: int, token_text: str) -> int:
        while i < len(self.tokens) - 1 and self.tokens[i] != token_text:
            i = self.close(i) if self.tokens[i] in "({[" else i
            i += 1
        return i

    def next_declaration(self, i: int) -> int:
        token = self.tokens[i]
        if token == "}":
            if self.scopes:
                self.scopes.pop()
            return i + 1
        if token == ";":
            return i + 1
        if token == "namespace":
            return self.open_namespace(i)
        if token == "extern" and self.tokens[i + 1].startswith('"'):
            if self.tokens[i + 2] == "{":
                self.scopes.append("extern")
                return i + 3
            return i + 2
        while token in ("template", "requires"):
            i += 1
            if self.tokens[i] in "<(":
                i = self.close(i) + 1
            token = self.tokens[i]
        if token in ("struct", "class", "enum", "union"):
            return self.type_declaration(i)
        if token == "using":
            if self.tokens[i + 2] == "=":
                self.add(self.tokens[i + 1])
            return self.find(i, ";") + 1
        if token in ("static_assert", "friend"):
            return self.find(i, ";") + 1
        return self.object_declaration(i)

    def open_namespace(self, i: int) -> int:
        k = i + 1
        while self.tokens[k] not in ("{", ";"):
            k += 1
        if self.tokens[k] == "{":
            self.scopes.append("".join(self.tokens[i + 1 : k]))
        return k + 1

    def type_declaration(self, i: int) -> int:
        k = i + 1
        if self.tokens[k] in ("class", "struct"):
            k += 1
        while self.tokens[k] in ("alignas", "["):
            k = self.close(k + (self.tokens[k] == "alignas")) + 1
        if self.tokens[k + 1] != "<":  # else a specialisation
            self.add(self.tokens[k])
        while self.tokens[k] not in ("{", ";"):
            k += 1
        return self.find(k, ";") + 1

    def object_declaration(self, i: int) -> int:
        """A function or a variable; also a macro that stands for itself."""
        name: str | None = None
        is_function = False
        k = i
        while k < len(self.tokens) - 1:
            token, before = self.tokens[k], self.tokens[k - 1]
            if token == "operator":
                is_function = True
                k = self.find_operator_parameters(k)
            elif token == "<" and IDENTIFIER.match(before) and k > i:
                k = self.close(k)
            elif token == "[":
                if name is None and IDENTIFIER.match(before):
                    name = before
                k = self.close(k)
            elif token == "(":
                if before not in ("alignas", "decltype") and not is_function:
                    is_function = True
                    is_member = k - i > 1 and self.tokens[k - 2] == "::"
                    name = before if IDENTIFIER.match(before) and not is_member else None
                k = self.close(k)
            elif token in ("=", "{", ";", "}"):
                break
            k += 1
        if name is None and not is_function and IDENTIFIER.match(self.tokens[k - 1]):
            name = self.tokens[k - 1]
        if name is not None:
            self.add(name)
        if self.tokens[k] == "}":
            return k
        if self.tokens[k] == "{" and is_function:
            return self.close(k) + 1
        return self.find(k, ";") + 1

    def find_operator_parameters(self, k: int) -> int:
        k += 1
        if self.tokens[k] == "(":
            k += 2
        while self.tokens[k] != "(":
            k += 1
        return self.close(k)

    def add(self, name: str) -> None:
        if IDENTIFIER.match(name):
            local = "" in self.scopes or any("HWY_NAMESPACE" in scope for scope in self.scopes)
            self.names.append(Name(name, local))


def declared(text: str) -> list[Name]:
    return Parser(text).parse()


def renamed(text: str, names: dict[str, str]) -> str:
    """The text with other names; members of objects and of namespaces keep theirs."""
    parts = tokens(text)
    before = ""
    for i, token in enumerate(parts):
        if token in names and before not in (".", "->", "::"):
            parts[i] = names[token]
        elif token.lstrip().startswith("#define"):
            parts[i] = re.sub(r"(?<![.\w:])[A-Za-z_]\w*", lambda m: names.get(m[0], m[0]), token)
        if not token.isspace():
            before = token
    return "".join(parts)
