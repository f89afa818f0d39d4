# SPDX-License-Identifier: Apache-2.0
"""Several files that are read as one: collections that grow, lists of files, and patterns."""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .. import _core
from .._errors import CorruptError, InvalidArgumentError, TypeMismatchError
from .._file import contents
from ._pack import _columns, _matrix, _schema
from ._writer import Writer, WriteReport, core_reader

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Buffer

    from ._info import Info
    from ._reader import Reader

    Path = str | os.PathLike[str]

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


def append(
    folder: Path,
    data: npt.ArrayLike | Mapping[str, Any] | Reader | Path,
    *,
    compression: str | Mapping[str, str | None] | None = None,
    chunk_size: int = 100_000,
    metadata: Any = None,
    allow_nonfinite: bool = False,
    rounding: str = "auto",
    threads: int | None = None,
    sync: bool = True,
    lock_timeout: float | None = None,
) -> WriteReport:
    """Adds rows to a collection that grows: a folder of CVC files with an index.

    The folder is made if it is missing or empty. Readers see the old rows or all, whenever the
    process is killed; readers that were opened before keep their rows. Several processes may append
    at the same time: they wait for each other. The time does not depend on the rows that are there:
    they stay as they are, except for a last file of fewer than 16,384 rows, which is written again
    together with the new ones. Its values stay the same, bit by bit.

    Args:
        folder: The folder.
        data: Rows of the only column, (rows, values), which a new collection calls "vectors"; or a
            mapping from names to arrays, (rows,) for scalars or (rows, values). Types as for
            ``pack_cvc_columns``. Or a ``Reader``, or the path of a CVC file or folder: its chunks
            are copied as they are stored, with sections and their metadata, after comparing
            checksums. Small chunks are joined where values stay the same, lossless ones are
            encoded.
        compression: As for ``Writer``, not for a ``Reader``. None: that of the last file, in a new
            collection that of the ``Reader``, "fp16" for floats and "none" for integers.
        chunk_size, allow_nonfinite, rounding, threads, sync: As for ``Writer``.
        metadata: A JSON value for all files of a new collection.
        lock_timeout: Seconds to wait for other processes that append (``LockTimeoutError``); None:
            no limit.

    Returns:
        Statistics: ``rows`` are the new ones, the rest is that of the file that was written.

    Raises:
        InvalidArgumentError: The collection has other columns or dimensions, or the folder holds
            other files.
        TypeMismatchError: The collection has columns of other types.
        CorruptError: The collection is damaged.
    """
    if isinstance(data, (str, os.PathLike)):
        from ._reader import Reader

        data = Reader(data)
    rows: Any = data
    columns: Any = data
    expected = None
    if core_reader(data) is None:
        arrays: dict[str, Any]
        arrays = _columns(data) if isinstance(data, Mapping) else {"": _matrix(data)}
        rows = arrays.get("", arrays)
        columns = _schema(arrays)
        expected = len(next(iter(arrays.values())))
    with Writer(
        folder,
        append=True,
        columns=columns,
        compression=compression,
        chunk_size=chunk_size,
        expected_rows=expected,
        metadata=metadata,
        allow_nonfinite=allow_nonfinite,
        rounding=rounding,
        threads=threads,
        sync=sync,
        lock_timeout=lock_timeout,
    ) as writer:
        writer.append(rows)
    return writer.close()
