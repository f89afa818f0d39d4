# SPDX-License-Identifier: Apache-2.0
"""CVC files as Dask arrays, and back."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import uuid
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .._errors import ChecksumError, InvalidArgumentError
from .._integers import index_of
from .._optional import require
from .._remote.locations import Location, Path, StorageOptions, join, locate
from .._sink import sink_of
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

    Array = npt.NDArray[Any]


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
    """A Dask array of the vectors of a CVC file: a task and a block for each chunk.

    The header is read now, by one request or two. Each task fetches the bytes of its chunk by one
    request for a range, of a columnar file those of the one column, and decodes them with one
    thread. Records of lossless chunks tell their sizes themselves: four bytes of each are read now.

    Args:
        url: A path or URL.
        column: Name or index, where the file has several.
        dtype: float32 or float16; None: float32, but integers that are stored as they are keep
            their type.
        storage_options: For the file system, as fsspec takes them.
        name: Of the array in the graph; None: made from the file's name and state.
        max_output: The most bytes of values in a block.
        max_memory: As for ``numpact.cvc.Reader``, for the header and for each block.

    Returns:
        (rows, values), or (rows,) for a scalar column. Whole records are checked against their
        checksums; one column of several is not, since its checksum covers them all.

    Raises:
        FileNotFoundError; CorruptError and the others of ``numpact.cvc.Reader``; KeyError: there is
        no such column. ImportError: Dask or fsspec is not installed.
    """
    da = dask_array()
    core = require("dask", "dask")
    file = RemoteFile(url, storage_options, max_output, max_memory)
    index = file.info.find_column(column)
    described = file.info.columns[index]
    found, is_bits = result_dtype(described, dtype)
    if is_bits:
        raise InvalidArgumentError("bfloat16 needs the package ml_dtypes")
    parts = file.parts(index)
    whole = shape_of(described, file.info.is_columnar, file.info.rows)
    state = file.place.stamp()
    name = name or f"from-cvc-{core.base.tokenize(file.place.url, state, index, found.str)}"
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


def load_part(part: ChunkPart, dtype: str) -> Array:
    """A task of the graph."""
    return part.load(dtype)


def nothing(shape: tuple[int, ...], dtype: str) -> Array:
    """The only task for a file without rows."""
    import numpy as np

    return np.empty(shape, dtype)


class _Piece(NamedTuple):
    """Chunks of one block, in a file of their own until all are there."""

    place: Location
    chunks: list[dict[str, Any]]  #: as the header has them
    sizes: list[int]  #: of their payloads
    checksums: list[int]  #: CRC-32 of these, as they were made
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

    Tasks put their chunks into a folder beside the file (``url + ".parts-..."``), which all workers
    must reach; the last task puts the header and the pieces together and removes the folder. The
    file appears when it is whole. Tasks that Dask runs again write the same bytes to the same name.

    Args:
        array: (rows, values) of floats or integers. Blocks of rows are chunks of the file.
        url: A path or URL.
        compression: "fp16", "int8" or "lossless".
        chunk_size: Rows in a chunk at most, for blocks that are longer; None: blocks stay whole.
        metadata: Any JSON value for the file.
        storage_options: For the file system, as fsspec takes them.
        compute: False: give back a ``dask.delayed`` object that does it.

    Returns:
        A ``numpact.cvc.WriteReport``.

    Raises:
        InvalidArgumentError: Not two dimensions; NaN or infinities for int8, from the task.
    """
    dask_array()
    dask = require("dask", "dask")
    if array.ndim != 2:
        raise InvalidArgumentError(f"to_cvc takes (rows, values), not {array.ndim} dimensions")
    if compression not in ("fp16", "int8", "lossless"):
        raise InvalidArgumentError(f"unknown compression {compression!r}")
    if chunk_size is not None and index_of(chunk_size, "chunk_size") < 1:
        raise InvalidArgumentError("chunk_size must be at least 1")
    untyped: Any = array
    if array.numblocks[1] > 1:
        untyped = untyped.rechunk({1: -1})
    target = locate(url, storage_options)
    folder = Location(target.fs, f"{target.path}.parts-{uuid.uuid4().hex[:8]}")
    blocks = untyped.to_delayed().ravel()
    write = dask.delayed(write_piece, pure=False)
    pieces = [
        write(block, join(folder, f"{i:06d}"), compression, chunk_size, i)
        for i, block in enumerate(blocks)
    ]
    settings = {"compression": compression, "dimension": int(array.shape[1])}
    if metadata is not None:
        settings["metadata"] = json.loads(json_text(metadata))
    result = dask.delayed(assemble, pure=False)(pieces, target, folder, settings)
    return result.compute() if compute else result


def write_piece(
    block: Array, place: Location, compression: str, chunk_size: int | None, index: int
) -> _Piece | None:
    """A task of the graph: compresses a block and puts its payloads aside."""
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
        # Rows in its text are counted from the first of the block.
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
    return _Piece(place, chunks, sizes, checksums, writer.close())


def assemble(
    pieces: Sequence[_Piece | None], target: Location, folder: Location, settings: dict[str, Any]
) -> WriteReport:
    """The last task of the graph: header and payloads become the file."""
    there = [piece for piece in pieces if piece is not None]
    chunks = [chunk for piece in there for chunk in piece.chunks]
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
        for piece in there:
            at = 0
            for size, checksum in zip(piece.sizes, piece.checksums, strict=True):
                payload = piece.place.read(at, at + size)
                if zlib.crc32(payload) != checksum:
                    raise ChecksumError(
                        f"{piece.place.url}: is not what was put there (at byte {at})", at
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
    overflows = sum(piece.report.overflows for piece in there)
    lost = sum(piece.report.lost for piece in there)
    return WriteReport(rows, len(chunks), total, overflows, lost)


def _remove(folder: Location) -> None:
    """The pieces are no longer needed; what cannot be removed is left."""
    local = folder.local_path
    if local is not None:
        shutil.rmtree(local, ignore_errors=True)
        return
    # One by one: rm() would take "*" in their names for a pattern.
    with contextlib.suppress(OSError):
        for path in folder.fs.find(folder.path):
            folder.fs.rm_file(path)
    with contextlib.suppress(OSError, NotImplementedError):
        folder.fs.rmdir(folder.path)
