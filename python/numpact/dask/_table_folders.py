# SPDX-License-Identifier: Apache-2.0
"""Finds the folders of tables that paths, URLs and patterns name."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Sequence

from .._errors import InvalidArgumentError
from .._optional import require
from .._remote.locations import (
    Location,
    Paths,
    StorageOptions,
    check_expected,
    globbed,
    has_magic,
    is_pattern,
    join,
    listed,
    locate,
    matcher,
    typed_errors,
)
from .._remote.manifest import NAME as MANIFEST_NAME


def find_folders(
    source: Paths, options: StorageOptions | None, expected: Collection[str] = ()
) -> list[Location]:
    """The folders of tables, in order.

    Args:
        source: As for ``from_pco_table``.
        options: Options of the file system for fsspec.
        expected: URLs of files that are known, from an index.

    Raises:
        FileNotFoundError: A pattern has no tables; or there is no folder of an expected file.
        InvalidArgumentError: An empty list.
    """
    out: list[Location] = []
    for path in listed(source):
        place = locate(path, options)
        place.fs.invalidate_cache()
        if is_pattern(place):
            manifests = globbed(place, f"{place.path.rstrip('/')}/{MANIFEST_NAME}")
            found = [_folder_of(file) for file, _ in manifests]
            matches = matcher(place.path.rstrip("/"))
        else:
            found = _inside(place) or [place]
            matches = _part_of(place)
        if expected:
            _check_all_found(place, found, expected, matches)
        out += found
    if not out:
        raise InvalidArgumentError("no tables are named")
    return out


def _check_all_found(
    place: Location,
    found: Sequence[Location],
    expected: Collection[str],
    is_named: Callable[[str], bool],
) -> None:
    names = {folder.path.rstrip("/") for folder in found}

    def is_known(path: str) -> bool:
        return _parent(path) in names or not is_named(_parent(path))

    check_expected(place, expected, is_known)


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _folder_of(file: Location) -> Location:
    return Location(file.fs, _parent(file.path))


def _names_partition(folders: str) -> bool:
    """Whether all folders of a relative path are those of partitions."""
    require("pyarrow", "dask")
    from ._filters import is_partition

    return all(map(is_partition, folders.split("/")))


def _part_of(place: Location) -> Callable[[str], bool]:
    """Whether the path of a folder is that of a place, or of a partition in it."""
    root = place.path.rstrip("/")

    def matches(folder: str) -> bool:
        inside = folder.startswith(f"{root}/") and _names_partition(folder[len(root) + 1 :])
        return folder == root or inside

    return matches


def _inside(place: Location) -> list[Location]:
    """The folders of a table's partitions; none if the place is one folder, or has none."""
    with typed_errors(place.url):
        if place.fs.exists(join(place, MANIFEST_NAME).path) or not place.fs.isdir(place.path):
            return []
    if has_magic(place.path):
        return []  # a folder with such a name cannot be part of a pattern
    try:
        manifests = globbed(place, f"{place.path.rstrip('/')}/**/{MANIFEST_NAME}")
    except FileNotFoundError:
        return []
    root = place.path.rstrip("/")
    found = [_folder_of(file) for file, _ in manifests]
    parts = [folder for folder in found if _names_partition(folder.path[len(root) + 1 :])]
    others = [folder for folder in found if folder not in parts and not _is_hidden(folder, root)]
    if parts and others:
        warnings.warn(
            f"{others[0].url}: is a table, but is left out, since its name is neither NAME=VALUE "
            "nor part-N (name it by itself or in a list)",
            stacklevel=5,
        )
    return parts


def _is_hidden(folder: Location, root: str) -> bool:
    """Whether writers call such a folder unfinished or their own."""
    return any(name.startswith((".", "_")) for name in folder.path[len(root) + 1 :].split("/"))
