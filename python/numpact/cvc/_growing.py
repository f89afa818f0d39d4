# SPDX-License-Identifier: Apache-2.0
"""Adding rows to collections that grow."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._pack import _columns, _matrix, _schema
from ._reader import Reader
from ._writer import Writer, WriteReport, core_reader

if TYPE_CHECKING:
    import numpy.typing as npt

    Path = str | os.PathLike[str]


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
