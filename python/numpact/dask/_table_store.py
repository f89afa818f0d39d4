# SPDX-License-Identifier: Apache-2.0
"""Writes Dask data frames to folders of tables."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._errors import InvalidArgumentError, TypeMismatchError
from .._optional import require
from .._remote.locations import (
    Location,
    Path,
    StorageOptions,
    join,
    local_place,
    locate,
    typed_errors,
)
from .._remote.manifest import NAME
from .._remote.table_folder import opened
from .._specs import DEFAULT_LEVEL, TrailerSpec, core_level, core_trailer
from .._table import Others, write_table
from ._sources import check_apart

if TYPE_CHECKING:
    import dask.dataframe
    import pandas as pd


def to_pco_table(
    frame: dask.dataframe.DataFrame,
    folder: Path,
    *,
    level: int = DEFAULT_LEVEL,
    trailer: TrailerSpec = True,
    others: Others = "keep",
    overwrite: bool = False,
    storage_options: StorageOptions | None = None,
    compute: bool = True,
) -> Any:
    """Writes each partition of a Dask data frame to its own folder of columns, in parallel.

    The folders are named ``part-00000``, ``part-00001``, ...; ``from_pco_table(folder)`` reads them
    back, and ``numpact.read_table`` reads each. In local file systems each appears in one step. In
    a store the files are uploaded one by one, the manifest last.

    Args:
        frame: The data frame. Its index is not written; ``reset_index`` makes it a column.
        folder: A path or URL. Missing parents are made. ``.../day=2024-01-01`` makes ``day`` a
            column when the folder above is read.
        level, trailer, others: As for ``numpact.write_table``.
        overwrite: True: replace the folders ``part-...`` of a local folder one by one, and remove
            those that are not part of the new frame at the end. False: raise an error if the folder
            has a table or parts of one.
        storage_options: Options of the file system for fsspec.
        compute: False: return a ``dask.delayed`` object instead of writing now.

    Returns:
        The URLs of the folders, in order.

    Raises:
        FileExistsError: The folder has a table or parts of one.
        InvalidArgumentError: The frame is read from a folder that would be replaced; ``overwrite``
            for a store.
        TypeMismatchError: Not a Dask data frame.
        The errors of ``numpact.write_table``, from a task.
    """
    require("dask.dataframe", "dask")
    dask = require("dask", "dask")
    if not hasattr(frame, "to_delayed") or not hasattr(frame, "columns"):
        raise TypeMismatchError(f"expected a Dask data frame, not {type(frame).__name__}")
    core_level(level)
    core_trailer(trailer)  # report invalid options here, not on a worker
    place = locate(folder, storage_options)
    present = _present(place)
    if present and not overwrite:
        raise FileExistsError(f"{place.url}: holds {present[0]!r} already; overwrite=True takes it")
    if present and place.local_path is None:
        raise InvalidArgumentError(f"{place.url}: overwrite=True is for local folders")
    if NAME in present:
        raise FileExistsError(f"{place.url}: is a table itself, not a folder of parts")
    untyped: Any = frame
    partitions = untyped.to_delayed()
    digits = max(5, len(str(max(len(partitions) - 1, 0))))
    names = [f"part-{i:0{digits}d}" for i in range(len(partitions))]
    for name in present:
        part = join(place, name)
        check_apart(frame, part, [NAME])
    write = dask.delayed(write_part, pure=False)
    urls = [
        write(partition, join(place, name), level, trailer, others)
        for partition, name in zip(partitions, names, strict=True)
    ]
    leftover = [name for name in present if name not in set(names)]
    result = dask.delayed(finish, pure=False)(urls, place, leftover)
    return result.compute() if compute else result


def _present(place: Location) -> list[str]:
    """Parts of a table in a folder, and the manifest of one."""
    try:
        place.fs.invalidate_cache()
        with typed_errors(place.url):
            paths = place.fs.ls(place.path.rstrip("/"), detail=False)
    except FileNotFoundError:
        return []
    names = sorted(str(path).rstrip("/").rpartition("/")[2] for path in paths)
    return [name for name in names if name == NAME or name.startswith("part-")]


def write_part(
    partition: pd.DataFrame, place: Location, level: int, trailer: TrailerSpec, others: Others
) -> str:
    """A task of the graph: writes a partition; the URL of its folder."""
    pyarrow = require("pyarrow", "dask")
    table = pyarrow.Table.from_pandas(partition, preserve_index=False)
    local = place.local_path
    if local is not None:
        write_table(
            table, local, level=level, threads=1, trailer=trailer, others=others, overwrite=True
        )
        return place.url
    with tempfile.TemporaryDirectory(prefix="numpact-part-") as temporary:
        made = os.path.join(temporary, "table")
        write_table(table, made, level=level, threads=1, trailer=trailer, others=others)
        # The manifest last: readers find no table before that.
        for name in sorted(os.listdir(made), key=lambda name: name == NAME):
            with open(os.path.join(made, name), "rb") as file:
                join(place, name).replace(file.read())
    return place.url


def finish(urls: Sequence[str], place: Location, leftover: Sequence[str]) -> list[str]:
    """The last task of the graph: removes parts of the frame that was there before."""
    for name in leftover:
        local = join(place, name).local_path
        if local is not None and os.path.isdir(local) and not os.path.islink(local):
            with opened(local_place(local)) as table:
                known = {NAME, *table.manifest().files()}
            if set(os.listdir(local)) <= known:
                shutil.rmtree(local)
    return list(urls)
