# SPDX-License-Identifier: Apache-2.0
"""Writes Dask arrays to folders of Pco files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._codec import compress
from .._errors import InvalidArgumentError
from .._number_types import type_name
from .._optional import require
from .._remote.chunk_index import FileIndex, PcoIndex, index_of
from .._remote.locations import Location, Path, StorageOptions, join, listing, locate
from .._specs import (
    DEFAULT_LEVEL,
    DEFAULT_PAGING,
    Delta,
    Mode,
    Paging,
    TrailerSpec,
    core_options,
    core_trailer,
)
from ._array import dask_array
from ._sources import check_apart

if TYPE_CHECKING:
    import dask.array

    from .._types import Array


def to_pco(
    array: dask.array.Array,
    folder: Path,
    *,
    level: int = DEFAULT_LEVEL,
    mode: Mode = "auto",
    delta: Delta = "auto",
    paging: Paging = DEFAULT_PAGING,
    trailer: TrailerSpec = False,
    overwrite: bool = False,
    storage_options: StorageOptions | None = None,
    compute: bool = True,
) -> Any:
    """Writes each block of a Dask array to its own Pco file, in parallel.

    The files are named ``part-00000.pco``, ``part-00001.pco``, ... Each appears atomically: in
    local file systems a temporary file is synced and renamed; object stores show an object when the
    upload is complete. A task that Dask repeats writes the same bytes to the same name.

    Args:
        array: An array of shape (n,). ``x.ravel()`` flattens others; their shape is not stored. Use
            Zarr for arrays of several dimensions.
        folder: A path or URL; created if it does not exist.
        level, mode, delta, paging, trailer: As for ``numpact.compress``.
        overwrite: True: accept a folder that contains ``.pco`` files. They are replaced one by one;
            files that are not part of the new array are removed at the end. False: raise an error
            for such a folder.
        storage_options: Options of the file system for fsspec.
        compute: False: return a ``dask.delayed`` object instead of writing now.

    Returns:
        The ``PcoIndex`` of the files, with the ``dtype``. ``save`` it and pass it to
        ``from_pco(..., index=)``, so that the files need not be scanned.

    Raises:
        FileExistsError: The folder contains ``.pco`` files.
        InvalidArgumentError: The array has several dimensions, or it is read from files of the
            folder, also through links. Nothing has been written then.
        TypeMismatchError: Pco does not support the type of the numbers.
        The error of a task: Its file is not changed, but other tasks may still be writing when Dask
            raises the error.
    """
    dask_array()
    dask = require("dask", "dask")
    if array.ndim != 1:
        raise InvalidArgumentError(
            f"to_pco takes arrays of one dimension, not {array.ndim}: use ravel(), or Zarr"
        )
    type_name(array.dtype)
    options = (level, mode, delta, paging)
    core_trailer(trailer)
    core_options(*options)  # report invalid options here, not on a worker
    place = locate(folder, storage_options)
    present = _present(place)
    if present and not overwrite:
        raise FileExistsError(f"{place.url}: holds .pco files already; overwrite=True takes it")

    untyped: Any = array
    blocks = untyped.to_delayed().ravel()
    digits = max(5, len(str(max(len(blocks) - 1, 0))))
    names = [f"part-{i:0{digits}d}.pco" for i in range(len(blocks))]
    check_apart(array, place, [*names, *(path.rpartition("/")[2] for path in present)])
    write = dask.delayed(write_block, pure=False)
    dtype = array.dtype.newbyteorder("=").str
    entries = [
        write(block, join(place, name), dtype, *options, trailer)
        for block, name in zip(blocks, names, strict=True)
    ]
    leftover = [path for path in present if path.rpartition("/")[2] not in set(names)]
    result = dask.delayed(finish, pure=False)(entries, place, leftover, dtype)
    if not compute:
        return result
    made = result.compute()
    place.fs.invalidate_cache()  # tasks in other processes wrote
    return made


def _present(folder: Location) -> list[str]:
    try:
        return [place.path for place, _ in listing(folder)]
    except FileNotFoundError:
        return []


def write_block(
    block: Array,
    place: Location,
    dtype: str,
    level: int,
    mode: Mode,
    delta: Delta,
    paging: Paging,
    trailer: TrailerSpec = False,
) -> FileIndex:
    """A task of the graph: writes a file and returns the positions of its chunks."""
    import numpy as np

    numbers = np.asarray(block).astype(dtype, copy=False)
    data = compress(numbers, level, mode, delta, paging, threads=1, trailer=trailer)
    place.replace(data)
    # Scanned here, where the bytes are in memory: that needs no request.
    return index_of(place.url, place.stamp(), data)


def finish(
    entries: Sequence[FileIndex], folder: Location, leftover: Sequence[str], dtype: str
) -> PcoIndex:
    """The last task of the graph."""
    import numpy as np

    for path in leftover:
        Location(folder.fs, path).remove()
    meaning = np.dtype(dtype)
    return PcoIndex(tuple(entries), str(meaning) if meaning.kind in "mMb" else None)
