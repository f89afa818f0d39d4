# SPDX-License-Identifier: Apache-2.0
"""Makes the index of a dataset, a folder of tables (docs/format/table-folder.md)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Union

import pyarrow as pa

from .. import _core
from .._errors import InvalidArgumentError
from .._remote.chunk_index import read_tail
from .._remote.dataset import FoundFolder, folders_in
from .._remote.dataset_index import NAME, DatasetIndex, FolderEntry, entry_of
from .._remote.locations import Location, StorageOptions, join, table_place
from .._remote.manifest import Manifest, Other, parse_manifest
from .._remote.table_folder import TableFolder, with_table
from .columns import field_of, schema_metadata
from .row_tests import reader_of_other

if TYPE_CHECKING:
    from typing_extensions import Buffer

# Folders of a store that are read at the same time.
_MAX_REQUESTS = 32


def index_dataset(
    path: Union[str, os.PathLike[str]], storage_options: StorageOptions | None
) -> int:
    """See ``numpact.index_dataset``."""
    return index_folders(table_place(path, storage_options), {})


def index_folders(place: Location, known: Mapping[str, FolderEntry]) -> int:
    """Writes the index of a dataset; the count of its tables.

    Args:
        place: The dataset.
        known: Entries of tables that were just written, by their paths. The others are read.
    """
    folders = folders_in(place, ignore_index=True)
    root = place.path.rstrip("/")
    if folders[0].place.path.rstrip("/") == root:
        raise InvalidArgumentError(
            f"{place.url}: is no folder of tables with names like day=2024-01-01 or part-00000"
        )
    paths = [folder.place.path[len(root) + 1 :] for folder in folders]

    def entry(folder: FoundFolder, path: str) -> FolderEntry:
        return known[path] if path in known else entry_in(folder, path)

    workers = _MAX_REQUESTS if place.local_path is None else 1
    with ThreadPoolExecutor(workers) as pool:
        entries = list(pool.map(entry, folders, paths))
    write_index(place, entries)
    return len(entries)


def write_index(place: Location, entries: Iterable[FolderEntry]) -> None:
    """Replaces the index of a dataset in one step."""
    index = DatasetIndex({entry.path: entry for entry in entries})
    join(place, NAME).replace(index.to_json())


def entry_in(folder: FoundFolder, path: str) -> FolderEntry:
    """The entry of a folder of a table; reads its manifest and the ends of its files."""
    return with_table(folder.opened, lambda table: _entry_of(table, path))


def _entry_of(table: TableFolder, path: str) -> FolderEntry:
    text = table.manifest_text()
    manifest = parse_manifest(text, table.place.url)
    fields: dict[int, pa.Field] = {}
    coded: list[int] = []
    for at, other in enumerate(manifest.others):
        reader = reader_of_other(table, other)
        fields[other.position] = reader.field
        coded += [at] if reader.has_dictionary else []
    schema = _schema_of(manifest, fields).serialize().to_pybytes()
    return entry_of(_core.dataset_entry(path, text, coded, partial(_tail_of, table)), schema)


def _tail_of(table: TableFolder, name: str, is_whole: bool) -> tuple[int, Buffer]:
    """The size of a file, and its last bytes: all, or those of its trailer if it has one."""
    file, stamp = table.file(name)
    if not is_whole and stamp.size is not None:
        return stamp.size, read_tail(file, stamp.size)[1]
    content = file.contents()
    data = memoryview(file.read_all() if content is None else content)
    return len(data), data


def _schema_of(manifest: Manifest, others: Mapping[int, pa.Field]) -> pa.Schema:
    fields = [
        others[entry.position] if isinstance(entry, Other) else field_of(entry)
        for entry in manifest.ordered()
    ]
    return pa.schema(fields, schema_metadata(manifest))
