# SPDX-License-Identifier: Apache-2.0
"""An extension of Griffe: doctests of docstrings become a section of examples.

Without one MkDocs would read `>>>` as a quotation and results as links.
"""
import re

import griffe

DOCTEST = re.compile(r"^>>> ", re.MULTILINE)


def with_examples(text):
    """The docstring with everything from its first doctest on under "Examples:"."""
    match = DOCTEST.search(text)
    if not match or "Examples:" in text:
        return text
    examples = "\n".join("    " + line if line else "" for line in text[match.start():].split("\n"))
    return f"{text[:match.start()]}Examples:\n{examples}"


class Doctests(griffe.Extension):
    def on_object(self, *, obj, **_):
        if obj.docstring:
            obj.docstring.value = with_examples(obj.docstring.value)
