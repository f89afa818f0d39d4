# SPDX-License-Identifier: Apache-2.0
"""What may stand in a header: JSON by RFC 8259, and nothing besides."""

from __future__ import annotations

import json
import math
from typing import Any

from .._errors import InvalidArgumentError

# Objects and arrays in each other that readers take (src/json/json.hpp).
_MAX_DEPTH = 512
# Those of the header that metadata lie in.
LEVELS_ABOVE_FILE = 1
LEVELS_ABOVE_CHUNK = 3  # {"chunks": [{"metadata": ...}]}
LEVELS_ABOVE_SECTION = 5  # {"chunks": [{"sections": [{"metadata": ...}]}]}
# 2^128, the least power of two past binary32: rounded to that it is infinite.
_PAST_FLOAT = 2.0**128


def check_text(text: str, place: str) -> None:
    """Raises for half of a surrogate pair, which UTF-8 does not have."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidArgumentError(
            f"{place}: {text!r} has half of a surrogate pair, which is not Unicode text"
        ) from None


def check_json(value: Any, place: str, room: int = _MAX_DEPTH) -> None:
    """Raises for what ``json.dumps`` would write and JSON does not have, or no reader takes.

    Args:
        room: How many objects and arrays may lie in each other.
    """
    if isinstance(value, (dict, list, tuple)) and room == 0:
        raise InvalidArgumentError(f"{place[:80]}... is nested too deeply for readers")
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidArgumentError(f"{place}: {value} is not JSON")
    if isinstance(value, str):
        check_text(value, place)
    elif isinstance(value, dict):
        for key, item in value.items():
            if isinstance(key, str):
                check_text(key, f"a key of {place}")
            check_json(item, f"{place}[{key!r}]", room - 1)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            check_json(item, f"{place}[{index}]", room - 1)


def json_text(value: Any, place: str = "metadata", levels: int = LEVELS_ABOVE_FILE) -> str:
    """A value as JSON, for this depth of a header.

    TypeError for what JSON does not have, by its type.
    """
    try:
        check_json(value, place, _MAX_DEPTH - levels)
        return json.dumps(value)
    except RecursionError:
        raise InvalidArgumentError(f"{place} is nested too deeply, or holds itself") from None


def _finite_range(entry: dict[str, Any]) -> None:
    """min and scale of int8 as JSON can have them, for the same values: those are binary32."""
    low, scale = entry.get("min"), entry.get("scale")
    if not isinstance(low, float) or not isinstance(scale, float):
        return
    if math.isnan(low) or math.isnan(scale):
        # Every code decodes to NaN by these too: -infinity + code * infinity.
        low, scale = -math.inf, math.inf
    for key, number in (("min", low), ("scale", scale)):
        entry[key] = math.copysign(_PAST_FLOAT, number) if math.isinf(number) else number


def header_for_writing(header: dict[str, Any]) -> dict[str, Any]:
    """A header that was read, for a new file.

    Ranges of int8 that are NaN or infinite are put in words of JSON. Anything else that is no
    JSON, in metadata that other writers made, is an InvalidArgumentError.
    """
    chunks = []
    for chunk in header["chunks"]:
        made = dict(chunk)
        if isinstance(made.get("columns"), dict):
            made["columns"] = {name: dict(entry) for name, entry in made["columns"].items()}
            for entry in made["columns"].values():
                _finite_range(entry)
        _finite_range(made)
        chunks.append(made)
    made = {**header, "chunks": chunks}
    check_json(made, "header")
    return made
