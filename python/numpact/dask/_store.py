# SPDX-License-Identifier: Apache-2.0
"""Dask arrays into folders of Pco files."""

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
    import numpy.typing as npt

    Array = npt.NDArray[Any]


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
    """Writes every block of a Dask array to a Pco file of its own, in parallel.

    The files are named ``part-00000.pco``, ``part-00001.pco``, ... A file appears when it is whole:
    in local file systems it is written beside its name, synced and renamed; object stores show it
    when the put is complete. Tasks that Dask runs again write the same bytes to the same name.

    Args:
        array: One dimension. ``x.ravel()`` makes that of others; their shape is not kept: for
            arrays of several dimensions there is Zarr.
        folder: A path or URL; made if it is not there.
        level, mode, delta, paging, trailer: As for ``numpact.compress``.
        overwrite: Take a folder that holds ``.pco`` files already. They are replaced one by one;
            those that are not part of the new array are removed when all others are written. False:
            such a folder is an error.
        storage_options: For the file system, as fsspec takes them.
        compute: False: give back a ``dask.delayed`` object that does it.

    Returns:
        The ``PcoIndex`` of what was written, which also keeps the ``dtype``: ``save`` it, give it
        to ``from_pco(..., index=)``, and no file ever has to be walked over.

    Raises:
        FileExistsError: The folder holds ``.pco`` files.
        InvalidArgumentError: Several dimensions; an array that is read from files of the folder, by
            any name that leads there. Nothing has been written then.
        TypeMismatchError: Numbers that Pco lacks.
        What a task raised: its file is left as it was, but tasks that run beside it may still be
        writing theirs when Dask raises.
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
    core_options(*options)  # what compress would refuse is told here, not on some worker
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
    return result.compute() if compute else result


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
    """A task of the graph: writes a file and tells where its chunks lie."""
    import numpy as np

    numbers = np.asarray(block).astype(dtype, copy=False)
    data = compress(numbers, level, mode, delta, paging, threads=1, trailer=trailer)
    place.replace(data)
    # Done here, where the bytes are at hand, the walk costs no request.
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
