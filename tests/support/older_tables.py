# SPDX-License-Identifier: Apache-2.0
"""Table folders as older versions wrote them."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def as_version_3(folder: Path) -> None:
    """Takes the checksums of files of Arrow out of a manifest."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["version"] = 3
    for other in manifest["others"]:
        (part,) = other.pop("parts")
        other["file"] = part["file"]
    path.write_text(json.dumps(manifest))


@contextmanager
def texts_in_arrow() -> Iterator[None]:
    """Text that repeats is written to files of Arrow, too."""
    writing = importlib.import_module("numpact._folders.writing")
    is_text_type, writing.is_text_type = writing.is_text_type, lambda type: False
    try:
        yield
    finally:
        writing.is_text_type = is_text_type
