# SPDX-License-Identifier: Apache-2.0
"""Finds the files that a Dask graph reads, so that none is overwritten before it is read."""

from __future__ import annotations

import functools
import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._errors import InvalidArgumentError
from .._file import File
from .._optional import require
from .._remote.locations import Location
from .._remote.parts import Part
from ..cvc._reader import Reader
from ..cvc._single import ChunkPart
from ._table_parts import TablePart

# Levels of containers that are searched: arguments of tasks are nested less deeply.
_MAX_DEPTH = 12


def check_apart(array: Any, folder: Location, names: Sequence[str]) -> None:
    """Raises if writing an array would replace or remove files that it is read from.

    Args:
        array: A Dask array.
        folder: The destination.
        names: All files of the folder that will be written or removed.

    Raises:
        InvalidArgumentError: There is such a file; the message names the first.
    """
    target = _Target(folder, names)
    for source in _sources(array):
        if target.holds(source):
            raise InvalidArgumentError(
                f"{folder.url}: the array is read from there ({source.url}), so these files cannot "
                "be replaced meanwhile: write to another folder, or persist() the array first"
            )


class _Target:
    """A folder whose files will be replaced."""

    def __init__(self, folder: Location, names: Sequence[str]) -> None:
        self._place = _resolved(folder)
        self._local = self._place.local_path
        self._store = _store_of(self._place.fs)
        if self._local is None:
            self._folder = posixpath.normpath(self._place.path)
            return
        self._folder = os.path.realpath(self._local)
        # Writing replaces the targets of links.
        self._files = {os.path.realpath(os.path.join(self._folder, name)) for name in names}

    def holds(self, source: Location) -> bool:
        place = _resolved(source)
        local = place.local_path
        if (local is None) != (self._local is None):
            return False
        if local is None:
            is_inside = posixpath.dirname(posixpath.normpath(place.path)) == self._folder
            return is_inside and _store_of(place.fs) == self._store
        real = os.path.realpath(local)
        if real in self._files:
            return True
        # By the name that is used for reading, and by the one without links.
        return any(_is_same_folder(os.path.dirname(path), self._folder) for path in (local, real))


def _is_same_folder(one: str, other: str) -> bool:
    if os.path.realpath(one) == other:
        return True
    try:
        return os.path.samefile(one or ".", other)
    except OSError:
        return False


def _resolved(place: Location) -> Location:
    """The location in the underlying file system, without wrappers for folders and caches."""
    dirfs = require("fsspec.implementations.dirfs", "dask").DirFileSystem
    cached = require("fsspec.implementations.cached", "dask").CachingFileSystem
    while True:
        fs = place.fs
        if isinstance(fs, dirfs):
            place = Location(fs.fs, str(fs._join(place.path)))
        elif isinstance(fs, cached):
            place = Location(fs.fs, str(fs.fs._strip_protocol(place.path)))
        else:
            return place


def _store_of(fs: Any) -> tuple[object, ...]:
    """A key that is equal for file systems with the same files under the same names."""
    protocol = fs.protocol if isinstance(fs.protocol, str) else fs.protocol[0]
    options: Mapping[str, Any] = getattr(fs, "storage_options", None) or {}
    client = options.get("client_kwargs")
    inner = client.get("endpoint_url") if isinstance(client, Mapping) else None
    ends = (options.get("endpoint_url") or inner, options.get("host"), options.get("port"))
    return (protocol, *map(str, ends))


def _sources(array: Any) -> Iterator[Location]:
    seen: dict[int, object] = {}
    graph = array.__dask_graph__()
    layers = getattr(graph, "layers", None)
    for layer in [graph] if layers is None else layers.values():
        for task in list(layer.values()):
            yield from _places_in(task, seen, 0)


def _places_in(thing: Any, seen: dict[int, object], depth: int) -> Iterator[Location]:
    """The files that an object in a graph reads: a task, its arguments, or parts of them."""
    if isinstance(thing, (Part, ChunkPart)):
        yield thing.place
    elif isinstance(thing, TablePart):
        yield from thing.places()
    elif isinstance(thing, Location):
        yield thing
    elif isinstance(thing, (File, Reader)):
        several = thing._path if isinstance(thing._path, list) else [thing._path]
        for path in several:
            yield from _place_of_path(path)
    else:
        inner = _inside(thing) if depth < _MAX_DEPTH else None
        if inner is None or id(thing) in seen:
            return
        seen[id(thing)] = thing  # keeps the object alive, so that its id stays unique
        for item in inner:
            yield from _places_in(item, seen, depth + 1)


def _place_of_path(path: str | bytes | None) -> Iterator[Location]:
    if path is not None:
        local = require("fsspec.implementations.local", "dask").LocalFileSystem
        yield Location(local(), os.path.abspath(os.fsdecode(path)))


def _inside(thing: Any) -> Iterator[Any] | None:
    """The items of a container or of a task of Dask; None for other objects."""
    if isinstance(thing, Mapping):
        return iter(list(thing.values()))
    if isinstance(thing, (list, tuple, set, frozenset)):
        return iter(list(thing))
    if isinstance(thing, functools.partial):
        return iter([thing.func, *thing.args, *thing.keywords.values()])
    if type(thing).__module__.partition(".")[0] != "dask":
        return None
    names = ("func", "args", "kwargs", "value")  # of tasks and of nodes with data
    return iter([getattr(thing, name) for name in names if hasattr(thing, name)])
