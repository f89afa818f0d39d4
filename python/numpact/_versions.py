# SPDX-License-Identifier: Apache-2.0
"""Whether a file that is read by several requests is the same one all the time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ._errors import CorruptError

Version = Mapping[str, Any]

# What tells two versions of a file apart, by the names that file systems of fsspec have for it.
_SIGNS = (
    "size",
    "ETag",
    "etag",
    "md5Hash",
    "Content-MD5",
    "content_md5",
    "generation",
    "VersionId",
    "version_id",
    "mtime",
    "ino",
    "LastModified",
    "Last-Modified",
    "last_modified",
    "modified",
    "updated",
    "created",
)


def version_of(fs: Any, path: str) -> Version:
    """What the file system says of a file now, past the lists that it remembers."""
    fs.invalidate_cache(path)
    return signs_in(fs.info(path))


def signs_in(info: Mapping[str, Any]) -> Version:
    return {name: info[name] for name in _SIGNS if info.get(name) is not None}


def is_same(one: Version, other: Version) -> bool:
    """Whether what both say agrees: some stores say less in lists than of single files."""
    return all(_plain(one[name]) == _plain(other[name]) for name in one.keys() & other.keys())


def _plain(value: Any) -> Any:
    if hasattr(value, "timestamp"):
        return value.timestamp()
    return value.strip('"') if isinstance(value, str) else value


def replaced(name: str) -> CorruptError:
    return CorruptError(
        f"{name}: was replaced or changed while it was read, which would mix two versions: open it "
        "anew"
    )


def _open_version(source: Any) -> tuple[str, Any] | None:
    """The name of a file that fsspec opened, and what gives its state; None for other files."""
    fs: Any = getattr(source, "fs", None)
    path = getattr(source, "path", None)
    if not hasattr(fs, "cat_file") or not isinstance(path, str):
        return None
    try:
        number = source.fileno()
    except (AttributeError, OSError, ValueError):
        return str(fs.unstrip_protocol(path)), lambda: version_of(fs, path)

    # An open file of the operating system: what else gets its name meanwhile does not matter.
    def state() -> Version:
        status = os.fstat(number)
        return {"size": status.st_size, "mtime": status.st_mtime_ns}

    return str(fs.unstrip_protocol(path)), state


@contextmanager
def watched(source: Any) -> Iterator[None]:
    """While a file is read: CorruptError if fsspec opened it and it was replaced meanwhile."""
    known = _open_version(source)
    if known is None:
        yield
        return
    name, state = known
    before = state()
    # Its length was taken when it was opened.
    details = getattr(source, "details", None)
    opened = signs_in(details) if isinstance(details, Mapping) else before
    try:
        yield
    except Exception as error:
        if not _is_same_now(state, before, opened):
            raise replaced(name) from error
        raise
    if not _is_same_now(state, before, opened):
        raise replaced(name)


def _is_same_now(state: Any, before: Version, opened: Version) -> bool:
    try:
        now = state()
    except FileNotFoundError:
        return False
    return is_same(before, now) and is_same(opened, now)
