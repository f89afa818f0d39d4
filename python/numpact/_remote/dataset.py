# SPDX-License-Identifier: Apache-2.0
"""Finds the folders of tables that paths, URLs and patterns name, with what an index says of them.

A dataset is a folder of such folders.
"""

from __future__ import annotations

import datetime
import os
import re
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import _core
from .._errors import CorruptError, InvalidArgumentError
from .._shown import few
from .dataset_index import MAX_BYTES, DatasetIndex, FolderEntry, parse_index
from .dataset_index import NAME as INDEX_NAME
from .locations import (
    Location,
    Paths,
    StorageOptions,
    check_expected,
    globbed,
    is_pattern,
    join,
    listed,
    locate,
    matcher,
    stamp_of,
    typed_errors,
)
from .manifest import NAME as MANIFEST_NAME
from .manifest import LogicalType
from .partitions import Constant, are_partitions, partition_values
from .table_folder import ANEW, TableFolder, opened

_WHOLE = re.compile(rf"-?\d{{1,{_core.MAX_PARTITION_DIGITS}}}")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class FoundFolder:
    """A folder of a table that was found."""

    place: Location
    entry: FolderEntry | None = None  #: of the index of its dataset
    #: The files in it, by their names, as fsspec describes them; None: not known.
    infos: Mapping[str, Any] | None = field(default=None, repr=False)

    def opened(self) -> TableFolder:
        """Opens it; to be used in a ``with`` statement."""
        return opened(self.place, self.entry, self.infos)


def find_folders(
    source: Paths,
    options: StorageOptions | None,
    expected: Collection[str] = (),
    ignore_index: bool = False,
) -> list[FoundFolder]:
    """The folders of tables, in order.

    Args:
        source: As for ``from_pco_table``.
        options: Options of the file system for fsspec.
        expected: URLs of files that are known, from an index of Pco files.
        ignore_index: Whether the indexes of datasets are not read.

    Raises:
        FileNotFoundError: A pattern has no tables; or there is no folder of an expected file, or
            of one that the index of a dataset names.
        InvalidArgumentError: An empty list; or the index of a dataset does not name a folder.
        CorruptError: The index of a dataset is damaged.
    """
    out: list[FoundFolder] = []
    for path in listed(source):
        place = locate(path, options)
        place.fs.invalidate_cache()
        if is_pattern(place):
            manifests = globbed(place, f"{place.path.rstrip('/')}/{MANIFEST_NAME}")
            found = [FoundFolder(Location(file.fs, _parent(file.path))) for file, _ in manifests]
            matches = matcher(place.path.rstrip("/"))
        else:
            found = folders_in(place, ignore_index)
            matches = _part_of(place)
        if expected:
            _check_all_found(place, found, expected, matches)
        out += found
    if not out:
        raise InvalidArgumentError("no tables are named")
    return out


def folders_in(place: Location, ignore_index: bool = False) -> list[FoundFolder]:
    """A folder of a table, or those of a dataset; one listing, and its index if there is one."""
    root = place.path.rstrip("/")
    local = place.local_path
    if local is not None and os.path.exists(os.path.join(local, MANIFEST_NAME)):
        return [FoundFolder(place)]
    files = _files_in(place)
    if MANIFEST_NAME in files.get("", ()):
        return [FoundFolder(place, infos=files[""])]
    tables = sorted(path for path, names in files.items() if path and MANIFEST_NAME in names)
    parts = [path for path in tables if are_partitions(path)]
    if not parts and INDEX_NAME not in files.get("", ()):
        return [FoundFolder(place)]  # opening it tells what is wrong
    _warn_of_others(place, parts, tables)
    index = None
    if not ignore_index and INDEX_NAME in files.get("", ()):
        with opened(place, infos=files[""]) as folder:
            text = folder.text_of(INDEX_NAME, MAX_BYTES)
        index = parse_index(text, join(place, INDEX_NAME).url)
        _check_folders(place, index, files, parts)
    if not parts:
        raise FileNotFoundError(f"{place.url}: is a dataset without tables")
    entries = {} if index is None else index.folders
    return [
        FoundFolder(
            Location(place.fs, f"{root}/{path}"),
            entries.get(path),
            None if place.local_path is not None else files[path],
        )
        for path in parts
    ]


def _files_in(place: Location) -> dict[str, dict[str, Any]]:
    """The files below a folder, by the relative paths of their folders and their names."""
    root = place.path.rstrip("/")
    files: dict[str, dict[str, Any]] = {}
    if place.local_path is not None:
        for folder, _, names in os.walk(root or "/", followlinks=True):
            path = os.path.relpath(folder, root or "/").replace(os.sep, "/")
            files["" if path == "." else path] = {
                name: {"size": _size_of(os.path.join(folder, name))}
                for name in names
                if name in (MANIFEST_NAME, INDEX_NAME)
            }
        return files
    with typed_errors(place.url):
        found: Mapping[str, Any] = place.fs.find(root, detail=True)
    for path, info in found.items():
        if path.startswith(f"{root}/"):
            folder, _, name = path[len(root) + 1 :].rpartition("/")
            files.setdefault(folder, {})[name] = info
    return files


def _size_of(path: str) -> int | None:
    try:
        return os.stat(path).st_size
    except OSError:  # such as a link that leads nowhere: opening it tells
        return None


def _check_folders(
    place: Location,
    index: DatasetIndex,
    files: Mapping[str, Mapping[str, Any]],
    parts: Sequence[str],
) -> None:
    """Raises unless the folders that are there are those of the index."""
    there = set(parts)
    name = join(place, INDEX_NAME).url
    for path, entry in index.folders.items():
        if path not in there:
            raise FileNotFoundError(f"{name}: names {path!r}, which is no table any more: {ANEW}")
        size = stamp_of(files[path][MANIFEST_NAME]).size
        if size not in (None, len(entry.text)):
            raise CorruptError(f"{name}: {path!r} was changed after it was indexed: {ANEW}")
    for path in parts:
        if path not in index.folders:
            raise InvalidArgumentError(f"{name}: does not name the table {path!r}: {ANEW}")


def _check_all_found(
    place: Location,
    found: Sequence[FoundFolder],
    expected: Collection[str],
    is_named: Callable[[str], bool],
) -> None:
    names = {folder.place.path.rstrip("/") for folder in found}

    def is_known(path: str) -> bool:
        return _parent(path) in names or not is_named(_parent(path))

    check_expected(place, expected, is_known)


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _part_of(place: Location) -> Callable[[str], bool]:
    """Whether the path of a folder is that of a place, or of a partition in it."""
    root = place.path.rstrip("/")

    def matches(folder: str) -> bool:
        inside = folder.startswith(f"{root}/") and are_partitions(folder[len(root) + 1 :])
        return folder == root or inside

    return matches


def _warn_of_others(place: Location, parts: Sequence[str], tables: Sequence[str]) -> None:
    known = set(parts)
    others = [path for path in tables if path not in known and not _is_hidden(path)]
    if parts and others:
        warnings.warn(
            f"{join(place, others[0]).url}: is a table, but is left out, since its name is neither "
            "NAME=VALUE nor part-N (name it by itself or in a list)",
            stacklevel=6,
        )


def _is_hidden(path: str) -> bool:
    """Whether writers call such a folder unfinished or their own."""
    return any(name.startswith((".", "_")) for name in path.split("/"))


# ---- columns that names of folders stand for ----


def partition_columns(paths: Sequence[str]) -> list[dict[str, Constant]]:
    """The columns of each folder, whose types are those that fit the values of all.

    Raises:
        InvalidArgumentError: The folders stand for different columns.
    """
    texts = [partition_values(path) for path in paths]
    for path, values in zip(paths, texts, strict=True):
        if list(values) != list(texts[0]):
            raise InvalidArgumentError(
                f"{path}: its folders name the columns {few(list(values))}, others "
                f"{few(list(texts[0]))}"
            )
    made: list[dict[str, Constant]] = [{} for _ in paths]
    for name in texts[0] if texts else ():
        for parts, part in zip(made, _typed([values[name] for values in texts]), strict=True):
            parts[name] = part
    return made


def _typed(texts: list[str | None]) -> list[Constant]:
    """The parts of a column; the values that are there decide its type."""
    present = [text for text in texts if text is not None]
    values: dict[str, int | str] = {text: text for text in present}
    logical = None
    days = {text: _days(text) for text in present}
    if not present:
        pass  # without values it is text
    elif all(_WHOLE.fullmatch(text) and str(int(text)) == text for text in present):
        values, logical = {text: int(text) for text in present}, LogicalType("number", "i64")
    elif None not in days.values():
        values = {text: day for text, day in days.items() if day is not None}
        logical = LogicalType("date32", "i32")
    is_nullable = len(present) < len(texts)
    return [
        Constant(None if text is None else values[text], logical, is_nullable) for text in texts
    ]


def _days(text: str) -> int | None:
    if not _DATE.fullmatch(text):
        return None
    try:
        return (datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days
    except ValueError:
        return None
