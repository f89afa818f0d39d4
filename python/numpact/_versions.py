# SPDX-License-Identifier: Apache-2.0
"""Detects that a file is replaced while several requests read it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ._errors import CorruptError

Version = Mapping[str, Any]

# Attributes that differ between versions of a file, by their names in file systems of fsspec.
_ATTRIBUTES = (
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
    """The current attributes of a file, without the cache of the file system."""
    fs.invalidate_cache(path)
    return signs_in(fs.info(path))


def signs_in(info: Mapping[str, Any]) -> Version:
    """The attributes that identify a version, from an ``info`` of fsspec."""
    return {name: info[name] for name in _ATTRIBUTES if info.get(name) is not None}


def is_same(one: Version, other: Version) -> bool:
    """Whether all attributes in both are equal: listings of some stores have fewer of them."""
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
    """The name and a function for the version of a file of fsspec; None for other files."""
    fs: Any = getattr(source, "fs", None)
    path = getattr(source, "path", None)
    if not hasattr(fs, "cat_file") or not isinstance(path, str):
        return None
    try:
        number = source.fileno()
    except (AttributeError, OSError, ValueError):
        return str(fs.unstrip_protocol(path)), lambda: version_of(fs, path)

    # A file of the operating system stays open: another file of the same name does not matter.
    def state() -> Version:
        status = os.fstat(number)
        return {"size": status.st_size, "mtime": status.st_mtime_ns}

    return str(fs.unstrip_protocol(path)), state


@contextmanager
def watched(source: Any) -> Iterator[None]:
    """Raises CorruptError if a file of fsspec was replaced during the ``with`` block."""
    known = _open_version(source)
    if known is None:
        yield
        return
    name, state = known
    before = state()
    # fsspec keeps the attributes from the time of opening, among them the length that it uses.
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
