# SPDX-License-Identifier: Apache-2.0
"""A store in memory that counts the requests that its files and listings take."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, ClassVar

import fsspec
from fsspec.implementations.memory import MemoryFileSystem


class CountingFileSystem(MemoryFileSystem):
    """As an object store: reading a range, asking for a file, and a listing are a request each.

    A recursive listing is one, too, as a store lists keys and knows no folders.
    """

    protocol = "counting"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    requests: ClassVar[list[tuple[str, str]]] = []  #: of all objects: the kind and the path
    _inside = threading.local()

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(super()._strip_protocol(path.replace("counting://", "memory://")))


def _counted(name: str, kind: str) -> Any:
    call = getattr(MemoryFileSystem, name)

    def counted(self: CountingFileSystem, path: str, *args: Any, **options: Any) -> Any:
        inside = getattr(self._inside, "depth", 0)
        if not inside:
            self.requests.append((kind, path))
        self._inside.depth = inside + 1
        try:
            return call(self, path, *args, **options)
        finally:
            self._inside.depth = inside

    return counted


for _name, _kind in {
    "cat_file": "get",
    "_open": "get",
    "info": "head",
    "exists": "head",
    "isdir": "head",
    "ls": "list",
    "find": "list",
    "glob": "list",
    "pipe_file": "put",
}.items():
    setattr(CountingFileSystem, _name, _counted(_name, _kind))


def counting_store() -> CountingFileSystem:
    """An empty store; its files are counting://b/..."""
    fsspec.register_implementation("counting", CountingFileSystem, clobber=True)
    CountingFileSystem.store.clear()
    CountingFileSystem.pseudo_dirs[:] = [""]
    CountingFileSystem.requests.clear()
    made: CountingFileSystem = fsspec.filesystem("counting")
    return made


def upload(fs: CountingFileSystem, folder: Path, path: str) -> None:
    """Copies a local folder to the store, which forgets the requests."""
    for file in folder.rglob("*"):
        if file.is_file():
            fs.pipe_file(f"{path}/{file.relative_to(folder).as_posix()}", file.read_bytes())
    fs.requests.clear()


def taken(fs: CountingFileSystem) -> list[tuple[str, str]]:
    """The requests since the last call."""
    found = list(fs.requests)
    fs.requests.clear()
    return found
