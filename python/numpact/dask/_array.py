# SPDX-License-Identifier: Apache-2.0
"""Dask arrays over Pco files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

from .._errors import InvalidArgumentError, TypeMismatchError
from .._integers import index_of
from .._optional import require
from .._remote.chunk_index import FileIndex, PcoIndex, as_index, walk
from .._remote.locations import Location, Path, Paths, Stamp, StorageOptions, find
from .._remote.parts import Described, Found, Part, common_dtype, from_headers, from_index

if TYPE_CHECKING:
    import dask.array
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[Any]
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
) -> dask.array.Array:
    """A Dask array of the numbers of standalone Pco files, one after the other.

    Nothing but headers is read now. Every task then fetches the bytes that it needs by one request
    for a range, and decodes them with one thread: Dask runs many at once.

    Args:
        paths: A path or URL, a pattern (``"s3://bucket/day=*/price.pco"``), a folder, or a list of
            those. What a pattern or folder gives is sorted by name; a name with such characters
            that is there by itself is no pattern.
        by: ``"file"``: a task and a block for each file. ``"chunk"``: for each Pco chunk, so that
            slicing reads only what it needs; takes the places of the chunks from ``index``, or has
            a Dask task look at every file now: at the trailer, else it reads all of it.
        dtype: The type of the numbers, in any byte order, as for ``numpact.decompress``:
            ``"datetime64[ns]"``, ``bool``. None: what the index says, else the files' own type.
        index: What ``pco_index`` or ``to_pco`` gave, or where it was saved.
        chunks_per_task: With ``by="chunk"``: how many neighbouring chunks are one block;
            ``"auto"`` fills Dask's ``array.chunk-size``.
        storage_options: For the file system, as fsspec takes them: keys, end points. They travel
            with the tasks.
        name: Of the array in the graph; None: made from the files' names and states.

    Returns:
        One dimension. Its blocks are known, by the index or by the headers. A header only claims a
        count, which ``numpact.append`` keeps right: small local files are looked at instead, and a
        task that finds another count fails with ``CorruptError``; an index helps.

    Raises:
        FileNotFoundError: A file that is absent; a pattern that nothing matches.
        TypeMismatchError: Files of different types; a ``dtype`` that their numbers cannot be.
        CorruptError: A bad header; a file that changed after it was indexed.
        ImportError: Dask or fsspec is not installed.

    Files must not be changed while the array is used: tasks check what they decode, not every byte.
    """
    da = dask_array()
    if by not in ("file", "chunk"):
        raise InvalidArgumentError(f'by must be "file" or "chunk", not {by!r}')
    known = as_index(index, storage_options)
    if dtype is None and known is not None:
        dtype = known.dtype
    files = describe(find(paths, storage_options), known, chunks=by == "chunk")
    seen_as = common_dtype(files, dtype)
    if by == "file":
        parts = [file.whole() for file in files]
    else:
        parts = _by_chunk(files, seen_as, chunks_per_task)
    return _array(da, parts, seen_as, name, [(file.place.url, file.stamp) for file in files])


def pco_index(
    paths: Paths,
    *,
    storage_options: StorageOptions | None = None,
    known: PcoIndex | Path | None = None,
) -> PcoIndex:
    """Finds the chunks of Pco files, by Dask tasks that look at one file each.

    A trailer tells where they are; of remote files then no more is read than that. Without one
    all bytes are read, which costs about half of decoding them; save the result and it is done once
    in a file's life.

    Args:
        paths, storage_options: As for ``from_pco``.
        known: An earlier index, or where it was saved: files in it that did not change since are
            taken from it.

    Raises:
        As ``from_pco``, and ``CorruptError`` for a file whose chunks are damaged.

    >>> import numpact, numpact.dask, numpy as np, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.pco")
    >>> with numpact.Writer(path, "int64", paging=1000) as writer:
    ...     writer.write(np.arange(5000))
    >>> index = numpact.dask.pco_index(path)
    >>> index
    <numpact PcoIndex: 1 files, 5 chunks, 5000 numbers>
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
    # Experimental in Dask, off unless asked for; its arrays lack constructor and methods used here.
    if hasattr(da.Array, "expr"):
        raise InvalidArgumentError("numpact.dask needs Dask's array.query-planning to be off")
    return da


def describe(found: Sequence[Found], index: PcoIndex | None, *, chunks: bool) -> list[Described]:
    """What is known of files; where their chunks lie too if that is asked for."""
    if index is None and not chunks:
        return from_headers(found, walk_all)
    return from_index(found, index or PcoIndex(tuple(walk_all(found))))


def walk_all(found: Sequence[Found]) -> list[FileIndex]:
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
                most = chunks[first].first + limit // dtype.itemsize
                while end < len(chunks) and chunks[end].first + chunks[end].count <= most:
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


def load(part: Part, dtype: str) -> Array:
    """A task of the graph."""
    return part.load(dtype)


def _array(
    da: Any, parts: list[Part], dtype: np.dtype[Any], name: str | None, state: Any
) -> dask.array.Array:
    core = require("dask", "dask")
    ranges = [(part.place.url, part.start, part.stop, part.skip, part.count) for part in parts]
    # Storage options are left out: they may hold secrets, and do not change the numbers.
    name = name or f"from-pco-{core.base.tokenize(dtype.str, state, ranges)}"
    counts = tuple(part.count for part in parts)
    graph = {(name, i): (load, part, dtype.str) for i, part in enumerate(parts)}
    made: dask.array.Array = da.Array(graph, name, chunks=(counts,), dtype=dtype)
    return made
