# SPDX-License-Identifier: Apache-2.0
"""Files that others write at the same time: locks on them, and what writers leave."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """As a writer of another process holds it."""
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def leftovers(folder: Path) -> list[str]:
    """Hidden files, which temporary ones are."""
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))
