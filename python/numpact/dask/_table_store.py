# SPDX-License-Identifier: Apache-2.0
"""Writes Dask data frames to folders of tables.

Partitions of one frame may have other types in Arrow, since pandas' objects have none: a partition
of None alone, other categories, decimals of other digits. So the first tasks write their partition
under a name that no reader sees, with the types that they find. One task decides the types of all,
others write again what has other types, and the last one gives all their names.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import uuid
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from .._errors import InvalidArgumentError, TypeMismatchError
from .._optional import require
from .._remote.dataset import FoundFolder
from .._remote.dataset_index import FolderEntry
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
from .._table import read_table, write_table
from .._table_arguments import Others
from ._sources import check_apart

if TYPE_CHECKING:
    import dask.dataframe
    import pandas as pd

# Concurrent requests of the last task, one for each part.
_MAX_REQUESTS = 32


@dataclass(frozen=True)
class _Settings:
    """How the parts are written. Can be pickled."""

    level: int
    trailer: TrailerSpec
    others: Others
    staging: Location  #: a hidden folder in the destination, for parts of local folders
    index: tuple[Any, ...] | None  #: names of the levels of an index that is kept

    def write(self, table: Any, path: str, others: Others) -> None:
        write_table(
            table,
            path,
            level=self.level,
            threads=1,
            trailer=self.trailer,
            others=others,
            overwrite=True,
        )


@dataclass(frozen=True)
class _Staged:
    """A part that is written under a name which no reader sees. Can be pickled."""

    types: Any  #: ``_schemas.PartTypes``
    entry: FolderEntry  #: of the index of the dataset


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
    back, and ``numpact.read_table`` reads each. All have the same columns and types: where pandas
    leaves the type open (a partition of None alone, other categories, decimals of other digits,
    empty lists, whole numbers among floats), it is the narrowest type that holds the values of all
    partitions unchanged. None of the folders has its name before all partitions are written. In
    local file systems each appears in one step. In a store the manifest of each comes last. Then
    the index of the dataset is written, as by ``numpact.index_dataset``.

    Args:
        frame: The data frame. An index with a name is written as a column, as in
            ``numpact.write_table``: ``read_table(...).to_pandas()`` makes it an index again, and
            ``from_pco_table`` gives the column. An index without a name is left out, with a warning
            unless its labels are whole numbers.
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
        TypeMismatchError: Not a Dask data frame; or, from a task, partitions have other columns, or
            types of which none holds the values of all. Nothing has got its name then.
        The errors of ``numpact.write_table``, from a task.
    """
    require("dask.dataframe", "dask")
    dask = require("dask", "dask")
    if not hasattr(frame, "to_delayed") or not hasattr(frame, "columns"):
        raise TypeMismatchError(f"expected a Dask data frame, not {type(frame).__name__}")
    core_level(level)
    core_trailer(trailer)  # report invalid options here, not on a worker
    require("numpact._folders.writing", "dask").check_others(others)
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
    places = [join(place, name) for name in names]
    staging = join(place, f".parts-{uuid.uuid4().hex[:8]}")
    settings = _Settings(level, trailer, others, staging, _index_to_keep(untyped._meta))
    leftover = [name for name in present if name not in set(names)]
    result = _graph(dask, partitions, places, settings, leftover)
    if not compute:
        return result
    try:
        urls = result.compute()
    except BaseException:
        _clean(staging, places)
        raise
    place.fs.invalidate_cache()  # tasks in other processes wrote
    return urls


def _graph(
    dask: Any,
    partitions: Sequence[Any],
    places: Sequence[Location],
    settings: _Settings,
    leftover: Sequence[str],
) -> Any:
    stage, decide, convert, end = (
        dask.delayed(task, pure=False) for task in (stage_part, decide_types, convert_part, finish)
    )
    staged = [
        stage(partition, place, settings)
        for partition, place in zip(partitions, places, strict=True)
    ]
    types = decide(staged, settings.others)
    ready = [
        convert(part, types, place, settings) for part, place in zip(staged, places, strict=True)
    ]
    return end(ready, list(places), settings, list(leftover))


def _index_to_keep(meta: pd.DataFrame) -> tuple[Any, ...] | None:
    """The names of the levels of an index that becomes columns; None: it is left out."""
    names = tuple(meta.index.names)
    if any(name is not None for name in names):
        return names
    if len(names) > 1 or meta.index.dtype.kind not in "iu":
        warnings.warn(
            f"the index ({meta.index.dtype}) has no name and is left out: reset_index() makes it a "
            "column, a name keeps it",
            stacklevel=3,
        )
    return None


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


# ---- tasks ----


def stage_part(partition: pd.DataFrame, place: Location, settings: _Settings) -> _Staged:
    """Writes a partition with the types that it has, under a name that no reader sees."""
    table = _arrow_table(partition, settings.index, place)
    types = require("numpact.dask._schemas", "dask").types_of(table)
    # Columns that may be left out are kept: another partition may give them a type that fits.
    if place.local_path is not None:
        staged = _staged_path(place, settings)
        settings.write(table, staged, "keep")
        return _Staged(types, _entry_of(staged, place))
    with tempfile.TemporaryDirectory(prefix="numpact-part-") as temporary:
        made = os.path.join(temporary, "table")
        settings.write(table, made, "keep")
        _put(made, place)
        return _Staged(types, _entry_of(made, place))


def decide_types(staged: Sequence[_Staged], others: Others) -> Any:
    """The types of all parts; errors as for ``_schemas.joined``."""
    schemas = require("numpact.dask._schemas", "dask")
    return schemas.joined([part.types for part in staged], others)


def convert_part(part: _Staged, types: Any, place: Location, settings: _Settings) -> _Staged:
    """Writes a part again if its types are not those of all parts.

    Raises:
        TypeMismatchError: A value would change.
    """
    schemas = require("numpact.dask._schemas", "dask")
    if schemas.is_final(part.types, types, settings.others):
        return part
    if place.local_path is not None:
        staged = _staged_path(place, settings)
        table = schemas.converted(read_table(staged, threads=1).to_arrow(), types)
        settings.write(table, staged, settings.others)
        return replace(part, entry=_entry_of(staged, place))
    with _fetched(part, place) as (names, path):
        table = schemas.converted(read_table(path, threads=1).to_arrow(), types)
        made = f"{path}-made"
        settings.write(table, made, settings.others)
        _put(made, place)
        for name in names - set(os.listdir(made)):
            join(place, name).remove()
        return replace(part, entry=_entry_of(made, place))


def finish(
    ready: Sequence[_Staged],
    places: Sequence[Location],
    settings: _Settings,
    leftover: Sequence[str],
) -> list[str]:
    """The last task of the graph: gives all parts their names; the URLs of their folders.

    Removes parts of the frame that was there before, and writes the index.
    """
    with ThreadPoolExecutor(_MAX_REQUESTS) as pool:
        list(pool.map(partial(_publish, settings), ready, places))
    folder = settings.staging.path.rpartition("/")[0]
    for name in leftover:
        local = join(Location(settings.staging.fs, folder), name).local_path
        if local is not None and os.path.isdir(local) and not os.path.islink(local):
            with opened(local_place(local)) as table:
                known = {NAME, *table.manifest().files()}
            if set(os.listdir(local)) <= known:
                shutil.rmtree(local)
    _remove_staging(settings.staging)
    root = Location(settings.staging.fs, folder)
    root.fs.invalidate_cache()
    entries = {part.entry.path: part.entry for part in ready}
    require("numpact._folders.indexing", "dask").index_folders(root, entries)
    return [place.url for place in places]


def _publish(settings: _Settings, part: _Staged, place: Location) -> None:
    local = place.local_path
    if local is None:
        join(place, NAME).replace(part.entry.text)  # the last: readers find no table before
        return
    staged = _staged_path(place, settings)
    if os.path.isdir(staged):  # otherwise the task is repeated
        require("numpact._folders.writing", "dask").move_table(staged, local)


def _arrow_table(partition: pd.DataFrame, index: tuple[Any, ...] | None, place: Location) -> Any:
    pyarrow = require("pyarrow", "dask")
    if index is not None and partition.index.nlevels == len(index):
        partition = partition.rename_axis(index=list(index))
    try:
        return pyarrow.Table.from_pandas(partition, preserve_index=index is not None)
    except (pyarrow.ArrowException, TypeError, ValueError, OverflowError) as error:
        text = ": ".join(str(argument) for argument in error.args)
        name = place.path.rpartition("/")[2]
        msg = f"the partition of {name} is not a table of Arrow: {text}"
        raise TypeMismatchError(msg) from error


def _staged_path(place: Location, settings: _Settings) -> str:
    """Where a part of a local folder is until all are written."""
    return os.path.join(settings.staging.path, place.path.rpartition("/")[2])


def _entry_of(made: str, place: Location) -> FolderEntry:
    """The entry of a part in the index."""
    folder = FoundFolder(local_place(made))
    name = place.path.rpartition("/")[2]
    found: FolderEntry = require("numpact._folders.indexing", "dask").entry_in(folder, name)
    return found


def _put(made: str, place: Location) -> None:
    """Uploads the files of a table but the manifest."""
    for name in os.listdir(made):
        if name != NAME:
            with open(os.path.join(made, name), "rb") as file:
                join(place, name).replace(file.read())


@contextmanager
def _fetched(part: _Staged, place: Location) -> Iterator[tuple[set[str], str]]:
    """The names of the files of a part in a store, and a folder with its table."""
    names = set(part.entry.files)
    with tempfile.TemporaryDirectory(prefix="numpact-part-") as temporary:
        path = os.path.join(temporary, "table")
        os.mkdir(path)
        for name in {NAME, *names}:
            data = part.entry.text if name == NAME else join(place, name).read_all()
            with open(os.path.join(path, name), "wb") as file:
                file.write(data)
        yield names, path


def _remove_staging(staging: Location) -> None:
    if staging.local_path is not None:
        shutil.rmtree(staging.local_path, ignore_errors=True)


def _clean(staging: Location, places: Sequence[Location]) -> None:
    """Removes what is left of parts after an error: in a store, those without a manifest."""
    _remove_staging(staging)
    if staging.local_path is not None:
        return
    for place in places:
        with contextlib.suppress(Exception):
            place.fs.invalidate_cache()
            paths = [str(path) for path in place.fs.ls(place.path, detail=False)]
            if not any(path.endswith(f"/{NAME}") for path in paths):
                for path in paths:
                    place.fs.rm_file(path)
