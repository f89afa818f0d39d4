# SPDX-License-Identifier: Apache-2.0
"""The index of a dataset: what the folders of its tables hold, in one file at its root.

docs/format/table-folder.md specifies it. An index is untrusted input.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from .. import _core
from .._errors import CorruptError, LimitExceededError, UnsupportedVersionError
from .manifest import Column, Manifest, Other, parse_manifest
from .partitions import are_partitions

NAME = _core.DATASET_INDEX
#: Bytes of an index.
MAX_BYTES = _core.MAX_DATASET_INDEX_BYTES
_FORMAT = "numpact-dataset"
_VERSION = 1
# Values of JSON, as of a manifest.
_MAX_VALUES = 1 << 22
# Bytes at the end of a Pco file with a trailer: its footer, which has the trailer's checksum.
_END_BYTES = 24
_MAX_COUNT = (1 << 63) - 1
_MAX_LATENT = (1 << 64) - 1
_MAX_CRC = (1 << 32) - 1


@dataclass(frozen=True)
class FileSum:
    """What identifies the bytes of a file. Can be pickled."""

    size: int  #: in bytes
    crc32: int | None = None  #: of all bytes; None: the trailer or the manifest has checksums
    end: bytes | None = None  #: the last bytes of a file with a trailer


#: The least and the greatest number of a column, as ordered latents, and the count of NaNs.
Range = tuple[int, int, int]


@dataclass(frozen=True)
class FolderEntry:
    """A folder of a dataset."""

    path: str  #: from the root, such as "day=2024-01-01/part-00000"
    place: str  #: for messages: the file of the index and the folder in it
    text: bytes  #: the manifest
    schema: bytes  #: of the table, as a message of Arrow IPC
    coded: tuple[int, ...]  #: other columns, by their index among these, that have dictionaries
    ranges: tuple[Range | None, ...]  #: of the columns of numbers; None: unknown
    files: Mapping[str, FileSum]
    members: str = ""  #: of the JSON of an entry that was made, without the schema

    @cached_property
    def manifest(self) -> Manifest:
        """Errors as for ``parse_manifest``, or CorruptError if it contradicts the entry."""
        made = parse_manifest(self.text, self.place)
        if set(made.files()) != self.files.keys():
            raise CorruptError(f"{self.place}: its files are not those of the manifest")
        if len(self.ranges) != len(made.columns):
            raise CorruptError(f"{self.place}: its ranges are not those of the columns")
        if any(at >= len(made.others) for at in self.coded):
            raise CorruptError(f"{self.place}: there are fewer columns with dictionaries")
        return made

    def place_of(self, column: str) -> int | None:
        """The index of a column of numbers; None if there is none, or several."""
        entries = self.manifest.ordered()
        found = [entry for entry in entries if entry.name == column]
        if len(found) != 1 or not isinstance(found[0], Column):
            return None
        return next(i for i, entry in enumerate(self.manifest.columns) if entry is found[0])

    def is_coded(self, other: Other) -> bool:
        """Whether the files of a column that Pco cannot hold have dictionaries."""
        return any(self.manifest.others[at] is other for at in self.coded)


@dataclass(frozen=True)
class DatasetIndex:
    """The folders of a dataset, by their paths from its root, in order."""

    folders: Mapping[str, FolderEntry]

    # ---- writing ----

    def to_json(self) -> bytes:
        """The text of the file; equal indexes give equal text."""
        text = _core.dataset_index_text(
            [(entry.schema, entry.members) for entry in self.folders.values()]
        )
        parse_index(text, NAME)  # readers accept it
        return text


# ---- reading ----


def parse_index(text: bytes, name: str) -> DatasetIndex:
    """Parses an index, which is untrusted.

    Args:
        text: The file.
        name: How messages call it.

    Raises:
        CorruptError: It is not an index, or names folders outside of its own.
        LimitExceededError: It is larger than readers accept.
        UnsupportedVersionError: Written by a newer version.
    """
    if len(text) > MAX_BYTES:
        raise LimitExceededError(f"{name}: an index has at most {MAX_BYTES} bytes")
    top = _Object(_core.json_value(text, name, _MAX_VALUES), name)
    if top.members.get("format") != _FORMAT:
        raise CorruptError(f"{name}: is no index of a dataset")
    if top.count("version") != _VERSION:
        raise UnsupportedVersionError(f"{name}: version {top.members['version']}")
    schemas = [
        _schema_of(item, f"{name}: schemas[{at}]") for at, item in enumerate(top.list("schemas"))
    ]
    folders: dict[str, FolderEntry] = {}
    for at, item in enumerate(top.list("folders")):
        entry = _entry_of(_Object(item, f"{name}: folders[{at}]"), name, schemas)
        if entry.path in folders:
            raise CorruptError(f"{name}: folders[{at}]: the path {entry.path!r} occurs twice")
        folders[entry.path] = entry
    return DatasetIndex(folders)


def entry_of(members: str, schema: bytes) -> FolderEntry:
    """An entry, from what ``_core.dataset_entry`` says of a table."""
    text = f'{{"schema": 0, {members}}}'.encode()
    item = _Object(_core.json_value(text, NAME), NAME)
    return replace(_entry_of(item, NAME, [schema]), members=members)


class _Object:
    """An object of JSON and its place; members of other kinds are errors."""

    def __init__(self, value: Any, place: str) -> None:
        if not isinstance(value, dict):
            raise CorruptError(f"{place}: is no object")
        self.members: dict[str, Any] = value
        self.place = place

    def _of(self, name: str, kind: type, called: str) -> Any:
        value = self.members.get(name)
        if type(value) is not kind:
            raise CorruptError(f"{self.place}: {name!r} is no {called}")
        return value

    def count(self, name: str, limit: int = _MAX_COUNT) -> int:
        return _whole(self._of(name, int, "count"), limit, f"{self.place}: {name!r}")

    def text(self, name: str) -> str:
        value: str = self._of(name, str, "text")
        return _unicode(value, f"{self.place}: {name!r}")

    def list(self, name: str) -> list[Any]:
        value: list[Any] = self._of(name, list, "list")
        return value

    def objects(self, name: str) -> Iterator[tuple[str, _Object]]:
        for key, value in self._of(name, dict, "object").items():
            yield key, _Object(value, f"{self.place}: {name}[{key!r}]")


def _unicode(text: str, place: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise CorruptError(f"{place}: has half of a surrogate pair") from None
    return text


def _whole(value: Any, limit: int, place: str) -> int:
    if type(value) is not int or not 0 <= value <= limit:
        raise CorruptError(f"{place}: is no whole number from 0 to {limit}")
    return value


def _schema_of(item: Any, place: str) -> bytes:
    try:
        return base64.b64decode(item, validate=True)
    except (TypeError, ValueError):
        raise CorruptError(f"{place}: is no text in base64") from None


def _entry_of(item: _Object, name: str, schemas: Sequence[bytes]) -> FolderEntry:
    path = item.text("path")
    if not are_partitions(path) or re.search(r"[\\\0]", path):
        raise CorruptError(f"{item.place}: {path!r} is no path of folders NAME=VALUE or part-N")
    schema = item.count("schema")
    if schema >= len(schemas):
        raise CorruptError(f"{item.place}: there is no schema {schema}")
    coded = item.list("coded") if "coded" in item.members else []
    return FolderEntry(
        path,
        f"{name}: folder {path!r}",
        item.text("manifest").encode(),
        schemas[schema],
        tuple(_whole(at, _MAX_COUNT, f"{item.place}: 'coded'") for at in coded),
        tuple(_range_of(known, f"{item.place}: 'ranges'") for known in item.list("ranges")),
        {file: _sum_of(known) for file, known in item.objects("files")},
    )


def _range_of(known: Any, place: str) -> Range | None:
    if known is None:
        return None
    if not isinstance(known, list) or len(known) != 3:
        raise CorruptError(f"{place}: a range has three numbers")
    low, high = (_whole(value, _MAX_LATENT, place) for value in known[:2])
    return low, high, _whole(known[2], _MAX_COUNT, place)


def _sum_of(item: _Object) -> FileSum:
    crc32 = item.count("crc32", _MAX_CRC) if "crc32" in item.members else None
    end = item.text("end") if "end" in item.members else None
    if end is not None and not re.fullmatch(f"[0-9a-f]{{{2 * _END_BYTES}}}", end):
        raise CorruptError(f"{item.place}: 'end' is not the last {_END_BYTES} bytes")
    return FileSum(item.count("bytes"), crc32, None if end is None else bytes.fromhex(end))
