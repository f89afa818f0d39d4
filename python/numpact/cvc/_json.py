# SPDX-License-Identifier: Apache-2.0
"""Checks that the content of a header is valid JSON by RFC 8259."""

from __future__ import annotations

import json
import math
from typing import Any

from .._errors import InvalidArgumentError

# Maximum nesting of objects and arrays for readers (src/json/json.hpp).
_MAX_DEPTH = 512
# Nesting of the header around metadata.
LEVELS_ABOVE_FILE = 1
LEVELS_ABOVE_CHUNK = 3  # {"chunks": [{"metadata": ...}]}
LEVELS_ABOVE_SECTION = 5  # {"chunks": [{"sections": [{"metadata": ...}]}]}
# 2^128, the smallest power of two that binary32 cannot represent: rounding it gives infinity.
_PAST_FLOAT = 2.0**128


def check_text(text: str, place: str) -> None:
    """Raises InvalidArgumentError for an unpaired surrogate, which UTF-8 cannot represent."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidArgumentError(
            f"{place}: {text!r} has half of a surrogate pair, which is not Unicode text"
        ) from None


def check_json(value: Any, place: str, max_depth: int = _MAX_DEPTH) -> None:
    """Raises InvalidArgumentError for values that ``json.dumps`` accepts and readers do not.

    Args:
        value: The value.
        place: How messages call it.
        max_depth: Maximum nesting of objects and arrays.
    """
    if isinstance(value, (dict, list, tuple)) and max_depth == 0:
        raise InvalidArgumentError(f"{place[:80]}... is nested too deeply for readers")
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidArgumentError(f"{place}: {value} is not JSON")
    if isinstance(value, str):
        check_text(value, place)
    elif isinstance(value, dict):
        for key, item in value.items():
            if isinstance(key, str):
                check_text(key, f"a key of {place}")
            check_json(item, f"{place}[{key!r}]", max_depth - 1)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            check_json(item, f"{place}[{index}]", max_depth - 1)


def json_text(value: Any, place: str = "metadata", levels: int = LEVELS_ABOVE_FILE) -> str:
    """A value as JSON.

    Args:
        value: The value.
        place: How messages call it.
        levels: Nesting of the header around the value.

    Raises:
        InvalidArgumentError: NaN, infinities, unpaired surrogates, or nested too deeply.
        TypeError: JSON has no such type.
    """
    try:
        check_json(value, place, _MAX_DEPTH - levels)
        return json.dumps(value)
    except RecursionError:
        raise InvalidArgumentError(f"{place} is nested too deeply, or holds itself") from None


def _finite_range(entry: dict[str, Any]) -> None:
    """Replaces min and scale of int8 that JSON cannot represent by numbers with the same effect."""
    low, scale = entry.get("min"), entry.get("scale")
    if not isinstance(low, float) or not isinstance(scale, float):
        return
    if math.isnan(low) or math.isnan(scale):
        # Every code decodes to NaN by these too: -infinity + code * infinity.
        low, scale = -math.inf, math.inf
    for key, number in (("min", low), ("scale", scale)):
        entry[key] = math.copysign(_PAST_FLOAT, number) if math.isinf(number) else number


def header_for_writing(header: dict[str, Any]) -> dict[str, Any]:
    """A header of an existing file, for a new file.

    Ranges of int8 that are NaN or infinite are replaced by equivalent JSON numbers.

    Raises:
        InvalidArgumentError: Metadata of another writer is not valid JSON.
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
