# SPDX-License-Identifier: Apache-2.0
"""Files with concurrent writers: their locks and leftovers."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds the lock like a writer in another process."""
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def leftovers(folder: Path) -> list[str]:
    """Hidden files, such as temporary ones."""
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))
