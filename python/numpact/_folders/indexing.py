# SPDX-License-Identifier: Apache-2.0
"""Makes the index of a dataset, a folder of tables (docs/format/table-folder.md)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Union

import pyarrow as pa

from .. import _core
from .._errors import InvalidArgumentError
from .._remote.chunk_index import read_tail
from .._remote.dataset import FoundFolder, folders_in
from .._remote.dataset_index import END_BYTES, NAME, DatasetIndex, FileSum, FolderEntry, Range
from .._remote.locations import Location, StorageOptions, join, table_place
from .._remote.manifest import Column, Manifest, Other, Part, parse_manifest
from .._remote.table_folder import TableFolder, with_table
from .columns import field_of, schema_metadata
from .row_tests import reader_of_other

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
    files: dict[str, FileSum] = {}
    ranges = [_add_numbers(table, column, files) for column in manifest.columns]
    fields: dict[int, pa.Field] = {}
    coded: list[int] = []
    for at, other in enumerate(manifest.others):
        for part in other.parts:
            files[part.file] = _sum_of_part(table, part)
        reader = reader_of_other(table, other)
        fields[other.position] = reader.field
        coded += [at] if reader.has_dictionary else []
    schema = _schema_of(manifest, fields)
    message = schema.serialize().to_pybytes()
    return FolderEntry(path, path, text, message, tuple(coded), tuple(ranges), files)


def _schema_of(manifest: Manifest, others: Mapping[int, pa.Field]) -> pa.Schema:
    fields = [
        others[entry.position] if isinstance(entry, Other) else field_of(entry)
        for entry in manifest.ordered()
    ]
    return pa.schema(fields, schema_metadata(manifest))


def _add_numbers(table: TableFolder, column: Column, files: dict[str, FileSum]) -> Range | None:
    """Adds the files of a column; the range of its numbers, if the trailers tell."""
    ranges: list[Range | None] = []
    for part in column.parts or (column,):
        files[part.file], known = _sum_of_numbers(table, part.file)
        ranges.append(known)
        if part.null_file:
            files[part.null_file] = _sum_of_all(table, part.null_file)
    for texts in column.texts:
        files[texts.file] = _sum_of_all(table, texts.file)
    known_ranges = [known for known in ranges if known is not None]
    # Of text the numbers are places, whose order says little.
    if column.logical.kind == "text" or len(known_ranges) < len(ranges):
        return None
    lows, highs, nans = zip(*known_ranges, strict=True)
    return min(lows), max(highs), sum(nans)


def _sum_of_numbers(table: TableFolder, name: str) -> tuple[FileSum, Range | None]:
    file, stamp = table.file(name)
    if stamp.size is None:
        return _sum_of_all(table, name), None
    raw, tail = read_tail(file, stamp.size)
    if raw is None:
        return _sum_of_all(table, name), None
    return FileSum(stamp.size, None, tail[-END_BYTES:]), raw["range"]


def _sum_of_part(table: TableFolder, part: Part) -> FileSum:
    """Of a file of Arrow, whose blocks have checksums in the manifest, or not."""
    return FileSum(part.bytes) if part.ends else _sum_of_all(table, part.file)


def _sum_of_all(table: TableFolder, name: str) -> FileSum:
    file, _ = table.file(name)
    content = file.contents()
    data = memoryview(file.read_all() if content is None else content)
    return FileSum(len(data), _core.crc32(data))
