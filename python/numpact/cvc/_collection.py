# SPDX-License-Identifier: Apache-2.0
"""Several files that are read as one: collections that grow, lists of files, and patterns."""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .. import _core
from .._errors import CorruptError, InvalidArgumentError, TypeMismatchError
from .._file import contents

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from ._info import Info

#: The names of several files and their counts of rows.
Files = list[tuple[str, int]]

INDEX = "collection.json"
_MAGIC = frozenset("*?[")


def folder_in(source: object) -> str | None:
    """The path of a collection that grows; None if it is something else."""
    if not isinstance(source, (str, os.PathLike)) or not os.path.isdir(source):
        return None
    folder = os.fsdecode(source)
    if os.path.lexists(os.path.join(folder, INDEX)):
        return folder
    if os.path.lexists(os.path.join(folder, "manifest.json")):
        return None  # a table, which the reader of single files names
    what = f"is a folder without {INDEX}, not a collection of vectors"
    raise IsADirectoryError(errno.EISDIR, what, folder)


def files_in(source: object) -> list[tuple[str, Buffer]] | None:
    """The names and bytes of several files; None for a single one.

    Raises:
        FileNotFoundError: No file matches a pattern.
        InvalidArgumentError: The list is empty.
        TypeMismatchError: It has other things than paths and bytes.
    """
    items: list[Any]
    if isinstance(source, (list, tuple)):
        items = list(source)
        if not items:
            raise InvalidArgumentError("the list of files is empty")
    else:
        matches = matches_of(source)
        if matches is None:
            return None
        items = list(matches)
    return [_file_of(item, index) for index, item in enumerate(items)]


def matches_of(source: object) -> list[str] | None:
    """The files that match a pattern, sorted by name; None if the source is none."""
    if not isinstance(source, str) or not _MAGIC & set(source) or os.path.lexists(source):
        return None
    matches = sorted(path for path in glob.glob(source) if not os.path.isdir(path))
    if not matches:
        raise FileNotFoundError(errno.ENOENT, "no file matches", source)
    return matches


def _file_of(item: Any, index: int) -> tuple[str, Buffer]:
    if isinstance(item, (str, os.PathLike)):
        return os.fsdecode(item), contents(item)
    try:
        return f"file {index}", memoryview(item)
    except TypeError:
        raise TypeMismatchError(
            f"a list of files has paths and bytes, not {type(item).__name__}"
        ) from None


def path_of(source: object) -> str | list[str] | None:
    """What a copy of the reader in another process opens; None if that is not possible."""
    if isinstance(source, (str, os.PathLike)):
        return os.fsdecode(source)
    if isinstance(source, (list, tuple)) and all(
        isinstance(item, (str, os.PathLike)) for item in source
    ):
        return [os.fsdecode(item) for item in source]
    return None


def shown(path: str | list[str] | None, name: str, form: Callable[[str], str] = str) -> str:
    """How people are told of a source."""
    return form(path) if isinstance(path, str) else name


@contextmanager
def naming_file(files: Files, info: Callable[[], Info]) -> Iterator[None]:
    """Prepends the name of a file to errors about chunks, of several files."""
    try:
        yield
    except CorruptError as error:
        if not files:
            raise
        place = file_prefix(files, info(), error.chunk)
        raise type(error)(f"{place}{error}", error.offset, error.chunk) from error


def file_prefix(files: Files, info: Info, chunk: int | None) -> str:
    """What messages about a chunk begin with, of several files."""
    if not files or chunk is None:
        return ""
    row = info.chunks[chunk].first_row if chunk < len(info.chunks) else info.rows
    for name, rows in files:
        if row < rows:
            return f"{name}: "
        row -= rows
    return f"{files[-1][0]}: "


def open_core(source: Any, max_memory: int | None) -> tuple[_core.CvcReader, Files] | None:
    """A reader of several files, and their names and counts of rows; None for a single file."""
    folder = folder_in(source)
    if folder is not None:
        reader = _core.CvcReader(folder=folder, max_memory=max_memory)
        files = [(os.path.join(folder, name), rows) for name, rows in reader.files()]
        return reader, files
    files_given = files_in(source)
    if files_given is None:
        return None
    reader = _core.CvcReader(files_given, None, max_memory)
    return reader, reader.files()
