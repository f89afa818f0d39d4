# SPDX-License-Identifier: Apache-2.0
"""The functions of ``decompressed`` that read files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .._errors import InvalidArgumentError, UnsupportedVersionError
from .._integers import indices_of
from .._shown import few
from ._backends import is_gpu
from ._reader import Reader
from ._reports import CorruptionWarning

if TYPE_CHECKING:
    from .._types import Array

    Path = str | os.PathLike[str]


def open_for(
    path: Path,
    device: str,
    framework: str,
    backend: str,
    max_output: int | None = None,
    max_memory: int | None = None,
) -> Reader:
    """A reader; ``framework`` is ignored on the CPU, where results are arrays of NumPy."""
    return Reader(
        path,
        framework=framework if is_gpu(device) else None,
        device=device,
        backend=backend,
        max_output=max_output,
        max_memory=max_memory,
    )


def _single(
    path: Path,
    device: str,
    framework: str,
    backend: str,
    max_output: int | None,
    max_memory: int | None,
) -> Reader:
    reader = open_for(path, device, framework, backend, max_output, max_memory)
    if len(reader.info.columns) != 1:
        raise UnsupportedVersionError("a columnar file: load_cvc_columns reads it")
    return reader


def load_cvc(
    path: Path,
    device: str = "cpu",
    framework: str = "torch",
    backend: str = "auto",
    on_corruption: str = "raise",
    fill_value: float = 0.0,
    *,
    threads: int | None = None,
    max_output: int | None = None,
    max_memory: int | None = None,
) -> Array:
    """Reads all vectors of a file.

    Args:
        path: The file, of any version.
        device: "cpu", "cuda" or "cuda:N".
        framework: "torch" or "cupy" on a GPU. Ignored on the CPU; ``torch.from_numpy`` accepts the
            result without a copy.
        backend: "auto", "cpp" or "python", which are the same; on a GPU "auto", "cuda" or "triton".
        on_corruption: For chunks whose checksum does not match: "raise" an error, or fill their
            rows with ``fill_value``, without ("skip") or with a warning ("warn").
        fill_value: The value for "skip" and "warn".
        threads: As for ``numpact.decompress``.
        max_output, max_memory: As for ``Reader``.

    Returns:
        (rows, values) of float32: an array of NumPy, or on a GPU of the framework.

    Raises:
        BackendError: The device or the backend is not available; a RuntimeError.
        CorruptedChunkError: A checksum does not match.
        CorruptError, TruncatedError, UnsupportedVersionError: The file cannot be read; ValueErrors.
    """
    if on_corruption not in ("raise", "skip", "warn"):
        raise InvalidArgumentError(
            f"on_corruption must be 'raise', 'skip' or 'warn', not {on_corruption!r}"
        )
    with warnings.catch_warnings():
        if on_corruption == "skip":
            warnings.simplefilter("ignore", CorruptionWarning)
        return _single(path, device, framework, backend, max_output, max_memory).read(
            dtype="float32",
            on_corruption="raise" if on_corruption == "raise" else "fill",
            fill_value=fill_value,
            threads=threads,
        )


def _checked_chunks(indices: Sequence[int], count: int) -> list[int]:
    chunks: list[int] = [int(index) for index in indices_of(indices, "chunk_indices")]
    for index in chunks:
        if not 0 <= index < count:
            raise InvalidArgumentError(f"there is no chunk {index}: the file has {count}")
    return chunks


def load_cvc_chunked(
    path: Path,
    chunk_indices: Sequence[int] | None = None,
    device: str = "cpu",
    framework: str = "torch",
    backend: str = "auto",
    *,
    threads: int | None = None,
    max_output: int | None = None,
    max_memory: int | None = None,
) -> Iterator[tuple[int, Array]]:
    """Reads a file chunk by chunk.

    Args:
        path: The file.
        chunk_indices: Indices of the chunks to read; None: all. Order and repetitions are ignored.
        device, framework, backend, threads, max_memory: As for ``load_cvc``.
        max_output: As for ``load_cvc``, for each chunk.

    Yields:
        The index and the vectors, (rows, values) of float32, of each chunk in file order.
    """
    reader = _single(path, device, framework, backend, max_output, max_memory)
    count = len(reader.info.chunks)
    requested: Sequence[int] = range(count)
    if chunk_indices is not None:
        requested = sorted(set(_checked_chunks(chunk_indices, count)))
    for index in requested:
        yield index, reader.read_chunk(index, dtype="float32", threads=threads)


def load_cvc_range(
    path: Path,
    chunk_indices: Sequence[int] | None = None,
    device: str = "cpu",
    framework: str = "torch",
    backend: str = "auto",
    metadata_key: str | None = None,
    metadata_value: Any = None,
    section_key: str | None = None,
    section_value: Any = None,
    *,
    threads: int | None = None,
    max_output: int | None = None,
    max_memory: int | None = None,
) -> Array:
    """Reads chosen chunks or sections as one array.

    Args:
        path: The file.
        chunk_indices: Chunks to read, in this order and with repetitions.
        metadata_key, metadata_value: Read all chunks whose metadata has this value for the key.
        section_key, section_value: Read all sections whose metadata has this value for the key, in
            file order.
        device, framework, backend, threads, max_output, max_memory: As for ``load_cvc``.

    Returns:
        As for ``load_cvc``.

    Raises:
        InvalidArgumentError: More than one of the three choices is given, or nothing was found; a
            ValueError.
    """
    selectors = [chunk_indices is not None, metadata_key is not None, section_key is not None]
    if sum(selectors) > 1:
        raise InvalidArgumentError(
            "choose by chunk_indices, by metadata or by section: one of them"
        )
    reader = _single(path, device, framework, backend, max_output, max_memory)
    info = reader.info
    ranges = [(0, info.rows)]
    if section_key is not None:
        ranges = reader.find_sections(section_key, section_value)
        if not ranges:
            raise InvalidArgumentError(f"no sections with {section_key}={section_value!r}")
    elif chunk_indices is not None or metadata_key is not None:
        if metadata_key is not None:
            chosen = reader.find_chunks(metadata_key, metadata_value)
            if not chosen:
                raise InvalidArgumentError(f"no chunks with {metadata_key}={metadata_value!r}")
        else:
            given = () if chunk_indices is None else chunk_indices
            chosen = _checked_chunks(given, len(info.chunks))
        ranges = [(info.chunks[i].first_row, info.chunks[i].rows) for i in chosen]
    return reader.read_ranges(ranges, dtype="float32", threads=threads)[0]


def load_cvc_columns(
    path: Path,
    columns: Sequence[str] | None = None,
    device: str = "cpu",
    framework: str = "torch",
    backend: str = "auto",
    section_key: str | None = None,
    section_value: Any = None,
    *,
    threads: int | None = None,
    max_output: int | None = None,
    max_memory: int | None = None,
) -> dict[str, Array]:
    """Reads columns of a columnar file.

    Args:
        path: The file.
        columns: Names; None: all. Other columns are not decoded.
        section_key, section_value: Read only sections whose metadata has this value for the key.
        device, framework, backend, threads, max_output, max_memory: As for ``load_cvc``.

    Returns:
        Arrays by name: (rows,) for scalars, else (rows, values); float32, but integers that are
        stored unchanged keep their type.
    """
    reader = open_for(path, device, framework, backend, max_output, max_memory)
    info = reader.info
    if not info.is_columnar:
        raise UnsupportedVersionError("not a columnar file: load_cvc reads it")
    known = [column.name for column in info.columns]
    names = known if columns is None else list(columns)
    for name in names:
        if name not in known:
            raise InvalidArgumentError(f"there is no column {name!r}, but {few(known)}")
    ranges = [(0, info.rows)]
    if section_key is not None:
        ranges = reader.find_sections(section_key, section_value)
        if not ranges:
            raise InvalidArgumentError(f"no sections with {section_key}={section_value!r}")
    arrays = reader.read_ranges(ranges, names, threads=threads)
    return dict(zip(names, arrays, strict=True))


def get_cvc_info(path: Path, *, max_memory: int | None = None) -> dict[str, Any]:
    """The header of a file as a dictionary: format_type, num_vectors, num_chunks, file_size,
    dimension and compression or columns, sections if there are any, chunks.

    Of a folder that grows and of a pattern it describes all files as one; ``file_size`` is that of
    all of them.
    """
    reader = Reader(path, max_memory=max_memory)
    info = reader.info
    files: list[Path] = [name for name, _ in reader._files]
    out: dict[str, Any] = {
        "format_type": "columnar" if info.is_columnar else "single",
        "num_vectors": info.rows,
        "num_chunks": len(info.chunks),
        "file_size": sum(os.path.getsize(file) for file in files or [path]),
    }
    if info.is_columnar:
        out["columns"] = list_of_columns(info.columns)
    else:
        out["dimension"] = info.columns[0].dimension
        out["compression"] = info.columns[0].compression
    if info.sections:
        out["sections"] = [
            {
                "start_index": section.first_row,
                "end_index": section.first_row + section.rows,
                "num_vectors": section.rows,
                "metadata": section.metadata,
            }
            for section in info.sections
        ]
    # The reference lists the names of a chunk's columns as its header does: sorted.
    names = sorted(column.name for column in info.columns)
    out["chunks"] = [
        {"index": i, "rows": chunk.rows, "columns": names}
        if info.is_columnar
        else {"index": i, "rows": chunk.rows, "metadata": chunk.metadata}
        for i, chunk in enumerate(info.chunks)
    ]
    return out


def list_of_columns(columns: Sequence[Any]) -> list[dict[str, Any]]:
    return [
        {"name": c.name, "dimension": c.dimension, "dtype": c.dtype, "compression": c.compression}
        for c in columns
    ]
