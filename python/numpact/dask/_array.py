# SPDX-License-Identifier: Apache-2.0
"""Dask arrays over Pco files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

from .._device import device_number
from .._errors import InvalidArgumentError, TypeMismatchError
from .._integers import index_of
from .._optional import require, require_cupy
from .._remote.chunk_index import FileIndex, PcoIndex, as_index, walk
from .._remote.locations import Location, Path, Paths, Stamp, StorageOptions, find
from .._remote.parts import Described, Found, Part, common_dtype, from_headers, from_index

if TYPE_CHECKING:
    import dask.array
    import numpy as np
    import numpy.typing as npt

    from .._types import Array

    Group = Union[int, Literal["auto"]]


def from_pco(
    paths: Paths,
    *,
    by: Literal["file", "chunk"] = "file",
    dtype: npt.DTypeLike | None = None,
    index: PcoIndex | Path | None = None,
    chunks_per_task: Group = 1,
    storage_options: StorageOptions | None = None,
    name: str | None = None,
    device: object = "cpu",
) -> dask.array.Array:
    """A Dask array of the concatenated numbers of standalone Pco files.

    The call reads headers only. Each task of the array fetches the bytes that it needs by one range
    request, and decodes them with one thread; Dask runs several tasks in parallel.

    Args:
        paths: A path or URL, a pattern (``"s3://bucket/day=*/price.pco"``), a folder, or a list of
            these. The files of a pattern or folder are sorted by name. A file whose name contains
            characters of a pattern is found by that name.
        by: ``"file"``: one task and one block for each file. ``"chunk"``: for each Pco chunk, so
            that a slice reads only the chunks that it needs. The positions of the chunks come from
            ``index``; without it, a Dask task for each file determines them during the call, from
            the trailer or by scanning the file.
        dtype: The type of the numbers, in any byte order, as for ``numpact.decompress``:
            ``"datetime64[ns]"``, ``bool``. None: the type in the index, else that of the files.
        index: The result of ``pco_index`` or ``to_pco``, or the path or URL where it was saved. It
            has to name all files, and all that it names of a folder or pattern must exist.
        chunks_per_task: With ``by="chunk"``: the count of consecutive chunks in a block; ``"auto"``
            fills Dask's ``array.chunk-size``.
        storage_options: Options of the file system for fsspec, such as keys and end points. They
            are pickled into the tasks.
        name: Name of the array in the graph; None: derived from names and versions of the files.
        device: ``"cuda"`` (the first GPU of each worker) or ``"cuda:N"``: the GPU decodes, and
            blocks are arrays of CuPy there. Fast with ``by="file"`` and files with restart points.

    Returns:
        An array of shape (n,) with known chunks. Their sizes come from the index, or from the
        headers. The count in a header may be wrong (``numpact.append`` updates it); therefore small
        local files are scanned, and a task raises ``CorruptError`` if the count differs. With an
        index this cannot happen.

    Raises:
        FileNotFoundError: A file does not exist, also one that the index names in this folder or by
            this pattern; or no file matches a pattern.
        InvalidArgumentError: The index does not name a file.
        TypeMismatchError: The files have different types, or numbers not convertible to ``dtype``;
            for a GPU, ``dtype`` is not the type of the numbers.
        CorruptError: A header is damaged, or a file changed after it was indexed.
        ImportError: Dask or fsspec is not installed.

    Do not change the files while the array is used: tasks do not check every byte.
    """
    da = dask_array()
    if by not in ("file", "chunk"):
        raise InvalidArgumentError(f'by must be "file" or "chunk", not {by!r}')
    known = as_index(index, storage_options)
    if dtype is None and known is not None:
        dtype = known.dtype
    found = find(paths, storage_options, expected=() if known is None else known.urls)
    files = describe(found, known, chunks=by == "chunk")
    seen_as = common_dtype(files, dtype)
    gpu = device_number(device)
    if gpu is not None and (seen_as.kind not in "iuf" or not seen_as.isnative):
        raise TypeMismatchError(f"numbers on a GPU cannot be seen as {seen_as}")
    if by == "file":
        parts = [file.whole() for file in files]
    else:
        parts = _by_chunk(files, seen_as, chunks_per_task)
    state = [(file.place.url, file.stamp) for file in files]
    return _array(da, parts, seen_as, name, state, gpu)


def pco_index(
    paths: Paths,
    *,
    storage_options: StorageOptions | None = None,
    known: PcoIndex | Path | None = None,
) -> PcoIndex:
    """Determines the positions of the chunks of Pco files, with one Dask task for each file.

    If a file has a trailer, only that is read. Otherwise the whole file is scanned, which takes
    about half the time of decoding it; save the result to do this only once.

    Args:
        paths, storage_options: As for ``from_pco``.
        known: An earlier index, or the path or URL where it was saved. Files that have not changed
            since are not read again.

    Returns:
        The index.

    Raises:
        The errors of ``from_pco``, and ``CorruptError`` for a file whose chunks are damaged.

    >>> import numpact, numpact.dask, numpy as np, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.pco")
    >>> with numpact.Writer(path, "int64", paging=1000) as writer:
    ...     writer.write(np.arange(5000))
    >>> index = numpact.dask.pco_index(path)
    >>> index
    <numpact PcoIndex: 1 files, 5 chunks, 5,000 numbers>
    >>> x = numpact.dask.from_pco(path, by="chunk", index=index)
    >>> x.chunks, int(x[1500:2500].sum().compute())
    (((1000, 1000, 1000, 1000, 1000),), 1999500)
    """
    require("dask", "dask")
    found = find(paths, storage_options)
    old = as_index(known, storage_options)
    if old is None:
        return PcoIndex(tuple(walk_all(found)))
    kept = {place.url: _kept(old, place, stamp) for place, stamp in found}
    new = iter(walk_all([pair for pair in found if kept[pair[0].url] is None]))
    files = [kept[place.url] or next(new) for place, _ in found]
    return PcoIndex(tuple(files), old.dtype)


def _kept(index: PcoIndex, place: Location, stamp: Stamp) -> FileIndex | None:
    entry = index.get(place.url)
    return entry if entry is not None and entry.stamp == stamp else None


def dask_array() -> Any:
    """The module ``dask.array``."""
    da = require("dask.array", "dask")
    # Experimental and off by default; its arrays do not have the constructor that is used here.
    if hasattr(da.Array, "expr"):
        raise InvalidArgumentError("numpact.dask needs Dask's array.query-planning to be off")
    return da


def describe(found: Sequence[Found], index: PcoIndex | None, *, chunks: bool) -> list[Described]:
    """Describes files by the index or by their headers; with ``chunks`` also their chunks."""
    if index is None and not chunks:
        return from_headers(found, walk_all)
    return from_index(found, index or PcoIndex(tuple(walk_all(found))))


def walk_all(found: Sequence[Found]) -> list[FileIndex]:
    """Determines the chunks of files, with one Dask task for each file."""
    if not found:
        return []
    dask = require("dask", "dask")
    task = dask.delayed(walk, pure=False)
    tasks = [task(place, stamp) for place, stamp in found]
    return list(dask.compute(*tasks))


def _by_chunk(files: Sequence[Described], dtype: np.dtype[Any], group: Group) -> list[Part]:
    limit = _bytes_per_task() if group == "auto" else 0
    size = 1
    if limit == 0:
        try:
            size = index_of(group, "chunks_per_task")
        except TypeMismatchError:
            size = 0
        if size < 1:
            raise InvalidArgumentError(f'chunks_per_task must be "auto", 1, 2, ..., not {group!r}')
    parts: list[Part] = []
    for file in files:
        chunks = file.index.chunks if file.index is not None else ()
        first = 0
        while first < len(chunks):
            end = first + 1
            if limit:
                max_stop = chunks[first].first + limit // dtype.itemsize
                while end < len(chunks) and chunks[end].first + chunks[end].count <= max_stop:
                    end += 1
            else:
                end = min(first + size, len(chunks))
            parts.append(file.chunks(first, end))
            first = end
    return parts or [files[0].numbers(0, 0)]


def _bytes_per_task() -> int:
    dask = require("dask", "dask")
    utils = require("dask.utils", "dask")
    return int(utils.parse_bytes(dask.config.get("array.chunk-size", "128MiB")))


def load(part: Part, dtype: str, gpu: int | None = None) -> Array:
    """A task of the graph."""
    return part.load(dtype, gpu)


def _array(
    da: Any,
    parts: list[Part],
    dtype: np.dtype[Any],
    name: str | None,
    state: Any,
    gpu: int | None = None,
) -> dask.array.Array:
    core = require("dask", "dask")
    ranges = [(part.place.url, part.start, part.stop, part.skip, part.count) for part in parts]
    # Without the storage options: they may contain secrets, and do not affect the numbers.
    placed = () if gpu is None else (gpu,)
    name = name or f"from-pco-{core.base.tokenize(dtype.str, state, ranges, *placed)}"
    counts = tuple(part.count for part in parts)
    graph = {(name, i): (load, part, dtype.str, *placed) for i, part in enumerate(parts)}
    meta = None if gpu is None else require_cupy().empty(0, dtype)
    made: dask.array.Array = da.Array(graph, name, chunks=(counts,), dtype=dtype, meta=meta)
    return made
