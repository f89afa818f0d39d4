# SPDX-License-Identifier: Apache-2.0
"""Changes the columns of a file. The other columns are copied without decoding.

Every chunk is compared with its checksum first, also for removed columns: it gets a new checksum.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .. import _core
from .._errors import InvalidArgumentError, UnsupportedVersionError
from .._lock import locked
from .._shown import few
from ._frames import Payloads, write_file
from ._json import check_text
from ._load import list_of_columns
from ._pack import COLUMN_TYPES
from ._reader import Reader
from ._values import vectors_of
from ._writer import Writer

if TYPE_CHECKING:
    import numpy.typing as npt

    Path = str | os.PathLike[str]


class _Table:
    """A columnar file as a header and, for each chunk, the bytes of its columns."""

    def __init__(self, path: Path, max_memory: int | None) -> None:
        payloads = Payloads(path, None, max_memory)
        if not payloads.info.is_columnar:
            raise UnsupportedVersionError("not a columnar file: it has no columns to change")
        payloads.check()
        self.version = payloads.info.version
        self.rows = payloads.info.rows
        self.header: dict[str, Any] = json.loads(payloads.info.header)
        self.names = [column.name for column in payloads.info.columns]
        self.parts: list[dict[str, bytes | memoryview]] = [
            {name: payloads.slice(i, c) for c, name in enumerate(self.names)}
            for i in range(len(payloads.info.chunks))
        ]

    def check(self, name: str) -> None:
        if name not in self.names:
            raise InvalidArgumentError(f"there is no column {few(name)}, but {few(self.names)}")

    def check_new(self, name: str) -> None:
        check_text(name, "a column's name")
        if not name.strip():
            raise InvalidArgumentError("a column needs a name")
        if name in self.names:
            raise InvalidArgumentError(f"there is a column {name!r} already")

    def put(self, name: str, data: Any, compression: str | None, allow_nonfinite: bool) -> None:
        """Adds a column at the end, or replaces the one of that name."""
        array = vectors_of(data)
        if array.ndim not in (1, 2) or array.dtype.name not in COLUMN_TYPES:
            raise InvalidArgumentError(f"column {name!r} cannot be {array.ndim}-D {array.dtype}")
        if len(array) != self.rows:
            raise InvalidArgumentError(f"column {name!r} has {len(array)} rows, not {self.rows}")
        width = 1 if array.ndim == 1 else (array.shape[1],)
        chosen = None if compression is None else {name: compression}
        with Writer(
            None, columns={name: (width, array.dtype.name)}, compression=chosen,
            chunk_size=max(1, self.rows), allow_nonfinite=allow_nonfinite,
        ) as writer:  # fmt: skip
            first = 0
            for chunk in self.header["chunks"]:
                writer.append({name: array[first : first + chunk["rows"]]})
                writer.end_chunk()
                first += chunk["rows"]
        alone = Reader(writer.contents)
        described = json.loads(alone.info.header)
        column = described["columns"][0]
        if name in self.names:
            self.header["columns"][self.names.index(name)] = column
        else:
            self.names.append(name)
            self.header["columns"].append(column)
        packed = memoryview(writer.contents)
        for i, chunk in enumerate(alone.info.chunks):
            start = (chunk.offset or 0) + alone.info.record_head_bytes
            self.parts[i][name] = packed[start : start + (chunk.payload_bytes or 0)]
            self.header["chunks"][i]["columns"][name] = described["chunks"][i]["columns"][name]

    def save(self, path: Path, lock: _core.FileLock | None = None) -> None:
        for chunk, part in zip(self.header["chunks"], self.parts, strict=True):
            offset = 0
            for name in self.names:
                chunk["columns"][name]["offset"] = offset
                chunk["columns"][name]["size"] = len(part[name])
                offset += len(part[name])
        payloads = (b"".join(part[name] for name in self.names) for part in self.parts)
        write_file(path, self.version, self.header, payloads, lock)


@contextmanager
def _changing(path: Path, output_path: Path | None, max_memory: int | None) -> Iterator[_Table]:
    """Yields the table of ``path`` and writes it at the end; locks a file that is replaced."""
    if output_path is not None and os.path.realpath(output_path) != os.path.realpath(path):
        table = _Table(path, max_memory)
        yield table
        table.save(output_path)
        return
    with locked(path, None) as lock:
        table = _Table(path, max_memory)
        yield table
        table.save(path, lock)


def add_column(
    path: Path,
    column_name: str,
    data: npt.ArrayLike,
    compression: str | None = None,
    output_path: Path | None = None,
    *,
    allow_nonfinite: bool = False,
    max_memory: int | None = None,
) -> None:
    """Adds a column to a file. The bytes of the other columns do not change.

    Args:
        path: A columnar file.
        column_name: The name of the new column.
        data: Its values, as for ``pack_cvc_columns``; one row for each row of the file.
        compression: Any compression of ``Writer`` except "lossless".
        output_path: The new file; None: replace ``path`` atomically.
        allow_nonfinite: As for ``Writer``.
        max_memory: As for ``Reader``.

    Raises:
        ChecksumError: A chunk of the file is damaged. The file is not changed.
        InvalidArgumentError: The column exists, or ``data`` has another count of rows.
        UnsupportedVersionError: Not a columnar file.
    """
    with _changing(path, output_path, max_memory) as table:
        table.check_new(column_name)
        table.put(column_name, data, compression, allow_nonfinite)


def update_column(
    path: Path,
    column_name: str,
    data: npt.ArrayLike,
    compression: str | None = None,
    output_path: Path | None = None,
    *,
    allow_nonfinite: bool = False,
    max_memory: int | None = None,
) -> None:
    """Replaces the values of a column; arguments and errors as for ``add_column``."""
    with _changing(path, output_path, max_memory) as table:
        table.check(column_name)
        table.put(column_name, data, compression, allow_nonfinite)


def delete_column(
    path: Path,
    column_name: str,
    output_path: Path | None = None,
    *,
    max_memory: int | None = None,
) -> None:
    """Removes a column, but not the only one; arguments and errors as for ``add_column``."""
    with _changing(path, output_path, max_memory) as table:
        table.check(column_name)
        if len(table.names) == 1:
            raise InvalidArgumentError("the last column cannot be deleted")
        del table.header["columns"][table.names.index(column_name)]
        table.names.remove(column_name)
        for chunk in table.header["chunks"]:
            del chunk["columns"][column_name]


def rename_column(
    path: Path,
    old_name: str,
    new_name: str,
    output_path: Path | None = None,
    *,
    max_memory: int | None = None,
) -> None:
    """Renames a column; arguments and errors as for ``add_column``."""
    with _changing(path, output_path, max_memory) as table:
        table.check(old_name)
        table.check_new(new_name)
        at = table.names.index(old_name)
        table.names[at] = new_name
        table.header["columns"][at]["name"] = new_name
        for chunk, part in zip(table.header["chunks"], table.parts, strict=True):
            chunk["columns"][new_name] = chunk["columns"].pop(old_name)
            part[new_name] = part.pop(old_name)


def list_columns(path: Path, *, max_memory: int | None = None) -> list[dict[str, Any]]:
    """Name, dimension, dtype and compression of each column of a columnar file."""
    info = Reader(path, max_memory=max_memory).info
    if not info.is_columnar:
        raise UnsupportedVersionError("not a columnar file: get_cvc_info describes it")
    return list_of_columns(info.columns)
