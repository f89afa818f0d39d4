# SPDX-License-Identifier: Apache-2.0
"""Fixtures that lie in archives, since they are many small files."""

from __future__ import annotations

import functools
import hashlib
import os
import tempfile
import zipfile
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"


@functools.cache
def unpacked(name: str) -> Path:
    """The folder with the files of tests/fixtures/NAME, unpacked once for each content.

    Processes that come at the same time each unpack for themselves; the first gives the name.
    """
    archive = FIXTURES / name
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()[:16]
    base = Path(tempfile.gettempdir()) / f"numpact-fixtures-{os.getuid()}"
    base.mkdir(mode=0o700, exist_ok=True)
    folder = base / f"{archive.stem}-{digest}"
    if not folder.exists():
        with tempfile.TemporaryDirectory(dir=base) as fresh:
            with zipfile.ZipFile(archive) as file:
                file.extractall(fresh)
            try:
                os.rename(fresh, folder)
                os.mkdir(fresh)  # for the end of the context, which removes it
            except OSError:
                assert folder.exists()
    return folder
