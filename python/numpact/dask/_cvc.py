# SPDX-License-Identifier: Apache-2.0
"""Reads CVC files as Dask arrays, and writes Dask arrays to CVC files."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import uuid
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core
from .._errors import (
    ChecksumError,
    CorruptError,
    InvalidArgumentError,
    UnsupportedVersionError,
)
from .._integers import index_of
from .._optional import require
from .._remote.locations import Location, Path, StorageOptions, join, locate
from .._sink import sink_of
from ..cvc._collection import INDEX
from ..cvc._frames import front, record_head
from ..cvc._json import header_for_writing, json_text
from ..cvc._reader import Reader
from ..cvc._single import ChunkPart, RemoteFile
from ..cvc._values import result_dtype, shape_of
from ..cvc._writer import Writer, WriteReport
from ._array import dask_array

if TYPE_CHECKING:
    import dask.array
    import numpy.typing as npt

    from .._types import Array


def from_cvc(
    url: Path,
    *,
    column: str | int | None = None,
    dtype: npt.DTypeLike | str | None = None,
    storage_options: StorageOptions | None = None,
    name: str | None = None,
    max_output: int | None = None,
    max_memory: int | None = None,
) -> dask.array.Array:
    """A Dask array of the vectors of a CVC file, with one task and one block for each chunk.

    A folder that grows (``numpact.cvc.append``) is read as one file: the array has the rows that
    its index lists at the time of the call. An append replaces a last file of few rows; a task that
    reads it afterwards raises FileNotFoundError.

    The call reads the header, by one or two requests. Each task fetches its chunk (for a columnar
    file, the chosen column of it) by one range request, and decodes it with one thread. The sizes
    of lossless chunks are not in the header: four bytes of each are read during the call.

    Args:
        url: A path or URL of a file, or of a folder that grows.
        column: Name or index; needed if the file has several columns.
        dtype: float32 or float16; None: float32, but integers that are stored unchanged keep their
            type.
        storage_options: Options of the file system for fsspec.
        name: Name of the array in the graph; None: derived from name and version of the file.
        max_output: Maximum size of the values of a block, in bytes.
        max_memory: As for ``numpact.cvc.Reader``, for the header and for each block.

    Returns:
        An array of shape (rows, values), or (rows,) for a scalar column. Tasks compare records with
        their checksums; not for one column of several, because a checksum covers all columns.

    Raises:
        FileNotFoundError: The file does not exist.
        CorruptError and the other errors of ``numpact.cvc.Reader``: The header is damaged.
        KeyError: There is no such column.
        ImportError: Dask or fsspec is not installed.
    """
    da = dask_array()
    core = require("dask", "dask")
    files = [
        RemoteFile(one, storage_options, max_output, max_memory)
        for one in files_of(url, storage_options)
    ]
    file = files[0]
    index = file.info.find_column(column)
    described = file.info.columns[index]
    for other in files[1:]:
        check_same_columns(file, other)
    found, is_bits = result_dtype(described, dtype)
    if is_bits:
        raise InvalidArgumentError("bfloat16 needs the package ml_dtypes")
    parts = [part for one in files for part in one.parts(index)]
    whole = shape_of(described, file.info.is_columnar, sum(one.info.rows for one in files))
    states = [(one.place.url, one.place.stamp()) for one in files]
    name = name or f"from-cvc-{core.base.tokenize(states, index, found.str)}"
    rest = tuple(0 for _ in whole[1:])
    graph: dict[Any, Any] = {
        (name, i, *rest): (load_part, part, found.str) for i, part in enumerate(parts)
    }
    if not parts:
        only = (name, 0, *rest)
        graph[only] = (nothing, whole, found.str)
    rows = tuple(part.rows for part in parts) or (0,)
    chunks = (rows, *((size,) for size in whole[1:]))
    made: dask.array.Array = da.Array(graph, name, chunks=chunks, dtype=found)
    return made


def files_of(url: Path, options: StorageOptions | None) -> list[str]:
    """The file itself, or those of a folder that grows.

    Raises:
        CorruptError: The index of the folder is damaged.
        InvalidArgumentError: It lists no files yet.
        UnsupportedVersionError: A newer version wrote it.
    """
    text = os.fspath(url)
    if not isinstance(text, str) or text.endswith(".cvc"):
        return [text]
    place = locate(text, options)
    local = place.local_path
    if local is not None and not os.path.isdir(local):
        return [text]
    index = join(place, INDEX)
    try:
        content = bytes(place.fs.cat_file(index.path))
    except OSError:
        return [text]  # a file in a store, or a folder that RemoteFile names
    described = _core.json_value(content, index.url)
    try:
        if described["format"] != "numpact cvc collection":
            raise ValueError
        version = described["version"]
        names = [str(file["file"]) for file in described["files"]] if version == 1 else []
    except (ValueError, KeyError, TypeError) as error:
        raise CorruptError(f"{index.url}: is no index of a collection") from error
    if version != 1:
        raise UnsupportedVersionError(f"{index.url}: version {version!r}")
    if any(not name or ".." in name or set(name) & set("/\\:") for name in names):
        raise CorruptError(f"{index.url}: names a file outside of the folder")
    if not names:
        raise InvalidArgumentError(f"{text}: the collection has no files yet")
    return [f"{text.rstrip('/')}/{name}" for name in names]


def check_same_columns(first: RemoteFile, other: RemoteFile) -> None:
    """Raises CorruptError if a file of a collection has other columns than the first one."""

    def columns(file: RemoteFile) -> list[tuple[str, int, str]]:
        return [(one.name, one.dimension, one.dtype) for one in file.info.columns]

    if columns(first) != columns(other):
        raise CorruptError(f"{other.place.url}: has other columns than {first.place.url}")


def load_part(part: ChunkPart, dtype: str) -> Array:
    """A task of the graph."""
    return part.load(dtype)


def nothing(shape: tuple[int, ...], dtype: str) -> Array:
    """The only task for a file without rows."""
    import numpy as np

    return np.empty(shape, dtype)


class _Part(NamedTuple):
    """The chunks of one block, in a temporary file until all blocks are written."""

    place: Location
    chunks: list[dict[str, Any]]  #: their entries in the header
    sizes: list[int]  #: of their payloads, in bytes
    checksums: list[int]  #: CRC-32 of the payloads
    report: WriteReport


def to_cvc(
    array: dask.array.Array,
    url: Path,
    *,
    compression: str = "fp16",
    chunk_size: int | None = None,
    metadata: Any = None,
    storage_options: StorageOptions | None = None,
    compute: bool = True,
) -> Any:
    """Writes a Dask array to one CVC file of version 1.0; blocks are compressed in parallel.

    Tasks write their chunks to a temporary folder next to the file (``url + ".parts-..."``), which
    all workers must have access to. The last task assembles the file, which appears atomically, and
    removes the folder. A task that Dask repeats writes the same bytes to the same name.

    Args:
        array: (rows, values) of floats or integers. Each block of rows becomes a chunk.
        url: A path or URL.
        compression: "fp16", "int8" or "lossless".
        chunk_size: Maximum rows in a chunk: longer blocks are split. None: no limit.
        metadata: Any JSON value for the file.
        storage_options: Options of the file system for fsspec.
        compute: False: return a ``dask.delayed`` object instead of writing now.

    Returns:
        A ``numpact.cvc.WriteReport``.

    Raises:
        InvalidArgumentError: The array does not have two dimensions; or, from a task, it contains
            NaN or infinities for int8.
    """
    dask_array()
    dask = require("dask", "dask")
    if array.ndim != 2:
        raise InvalidArgumentError(f"to_cvc takes (rows, values), not {array.ndim} dimensions")
    if compression not in ("fp16", "int8", "lossless"):
        raise InvalidArgumentError(
            f"unknown compression {compression!r}: fp16, int8 or lossless from Dask"
        )
    if chunk_size is not None and index_of(chunk_size, "chunk_size") < 1:
        raise InvalidArgumentError("chunk_size must be at least 1")
    untyped: Any = array
    if array.numblocks[1] > 1:
        untyped = untyped.rechunk({1: -1})
    target = locate(url, storage_options)
    folder = Location(target.fs, f"{target.path}.parts-{uuid.uuid4().hex[:8]}")
    blocks = untyped.to_delayed().ravel()
    write = dask.delayed(write_part, pure=False)
    written_parts = [
        write(block, join(folder, f"{i:06d}"), compression, chunk_size, i)
        for i, block in enumerate(blocks)
    ]
    settings = {"compression": compression, "dimension": int(array.shape[1])}
    if metadata is not None:
        settings["metadata"] = json.loads(json_text(metadata))
    result = dask.delayed(assemble, pure=False)(written_parts, target, folder, settings)
    if not compute:
        return result
    report = result.compute()
    target.fs.invalidate_cache()  # tasks in other processes wrote
    return report


def write_part(
    block: Array, place: Location, compression: str, chunk_size: int | None, index: int
) -> _Part | None:
    """A task of the graph: compresses a block into a temporary file."""
    import numpy as np

    rows = np.asarray(block)
    if len(rows) == 0:
        return None
    try:
        with Writer(
            None, compression=compression, chunk_size=chunk_size or len(rows), threads=1
        ) as writer:
            writer.append(rows)
    except InvalidArgumentError as error:
        # The message counts rows from the start of the block.
        raise InvalidArgumentError(f"block {index}: {error}") from error
    packed = memoryview(writer.contents)
    reader = Reader(packed)
    head = reader.info.record_head_bytes
    sizes, payloads, checksums = [], [], []
    for chunk in reader.info.chunks:
        size = chunk.payload_bytes or 0
        start = (chunk.offset or 0) + head
        sizes.append(size)
        payloads.append(packed[start : start + size])
        checksums.append(zlib.crc32(payloads[-1]))
    place.replace(b"".join(payloads))
    chunks = json.loads(reader.info.header)["chunks"]
    return _Part(place, chunks, sizes, checksums, writer.close())


def assemble(
    written_parts: Sequence[_Part | None],
    target: Location,
    folder: Location,
    settings: dict[str, Any],
) -> WriteReport:
    """The last task of the graph: writes header and payloads to the file."""
    there = [stored for stored in written_parts if stored is not None]
    chunks = [chunk for stored in there for chunk in stored.chunks]
    rows = sum(chunk["rows"] for chunk in chunks)
    header = {**settings, "num_vectors": rows, "chunks": chunks}
    start = front((1, 0), header_for_writing(header))
    local = target.local_path
    total = len(start)
    if local is not None:
        os.makedirs(os.path.dirname(local) or ".", exist_ok=True)
        file: Any = sink_of(local)
    else:
        file = target.fs.open(target.path, "wb")
    try:
        file.write(start)
        for stored in there:
            at = 0
            for size, checksum in zip(stored.sizes, stored.checksums, strict=True):
                payload = stored.place.read(at, at + size)
                if zlib.crc32(payload) != checksum:
                    raise ChecksumError(
                        f"{stored.place.url}: is not what was put there (at byte {at})", at
                    )
                head = record_head(payload)
                file.write(head)
                file.write(payload)
                at += size
                total += len(head) + size
        if local is not None:
            file.commit()
        else:
            file.close()
    except BaseException:
        if local is not None:
            file.abort()
        elif hasattr(file, "discard"):
            file.discard()
        raise
    _remove(folder)
    overflows = sum(stored.report.overflows for stored in there)
    lost = sum(stored.report.lost for stored in there)
    underflows = sum(stored.report.underflows for stored in there)
    return WriteReport(rows, len(chunks), total, overflows, lost, underflows)


def _remove(folder: Location) -> None:
    """Removes the temporary folder; ignores errors."""
    local = folder.local_path
    if local is not None:
        shutil.rmtree(local, ignore_errors=True)
        return
    # One by one: rm() treats "*" in a name as a pattern.
    with contextlib.suppress(OSError):
        for path in folder.fs.find(folder.path):
            folder.fs.rm_file(path)
    with contextlib.suppress(OSError, NotImplementedError):
        folder.fs.rmdir(folder.path)
