# SPDX-License-Identifier: Apache-2.0
"""The functions of ``decompressed`` that write files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._errors import InvalidArgumentError, TypeMismatchError
from .._integers import index_of
from ._values import vectors_of
from ._writer import Writer, WriteReport

if TYPE_CHECKING:
    import numpy.typing as npt

    from .._types import Array

    Path = str | os.PathLike[str]

COLUMN_TYPES = ("float32", "float16", "int32", "int64", "int8", "uint8")


def _matrix(x: Any) -> Array:
    array = vectors_of(x)
    if array.ndim != 2:
        raise InvalidArgumentError(f"vectors must have two dimensions, not {array.ndim}")
    return array


def pack_cvc(
    vectors: npt.ArrayLike,
    output_path: Path,
    compression: str = "fp16",
    chunk_size: int = 100_000,
    chunk_metadata: Sequence[Any] | None = None,
    mmap_optimized: bool = False,
    *,
    allow_nonfinite: bool = False,
    rounding: str = "auto",
    threads: int | None = None,
) -> WriteReport:
    """Writes vectors to a file of version 1.0, which appears atomically.

    Args:
        vectors: Rows of floats or integers, (rows, values), also tensors; those of bfloat16 too.
        output_path: The file.
        compression: "fp16", "int8", "lossless", "bfloat16", "int8_row", "int8_dim", "int4", "pco",
            "rot1", "rot2", "rot3", "rot4".
        chunk_size: Rows in a chunk.
        chunk_metadata: A JSON value for each chunk.
        mmap_optimized: Align records to pages of 4096 bytes.
        allow_nonfinite: As for ``Writer``.
        rounding: How "int8_row", "int8_dim" and "int4" choose codes, as for ``Writer``: "search"
            keeps inner products closer, "nearest" single values; "auto" depends on the compression.
        threads: As for ``numpact.compress``.

    Returns:
        Statistics; ``overflows`` is the count of finite values that became infinite, and
        ``underflows`` of those that became 0.

    Raises:
        InvalidArgumentError: NaN or infinities for "int8"; values of float64, int32 or int64 that
            "lossless" or "pco" would have to round to float32. A ValueError.
    """
    matrix = _matrix(vectors)
    chunk_size = index_of(chunk_size, "chunk_size")
    if chunk_size < 1:
        raise InvalidArgumentError("chunk_size must be at least 1")
    count = -(-len(matrix) // chunk_size)
    if chunk_metadata is not None and len(chunk_metadata) != count:
        raise InvalidArgumentError(f"chunk_metadata must have {count} items")
    with Writer(
        output_path,
        compression=compression,
        chunk_size=chunk_size,
        mmap_optimized=mmap_optimized,
        dimension=matrix.shape[1],
        expected_rows=len(matrix) if chunk_metadata is None else None,
        allow_nonfinite=allow_nonfinite,
        rounding=rounding,
        threads=threads,
    ) as writer:
        for index, value in enumerate(chunk_metadata or ()):
            writer.set_chunk(index, metadata=value)
        writer.append(matrix)
    return writer.close()


def pack_cvc_sections(
    sections: Sequence[tuple[Any, Any]],
    output_path: Path,
    compression: str = "fp16",
    chunk_size: int = 100_000,
    *,
    allow_nonfinite: bool = False,
    rounding: str = "auto",
    threads: int | None = None,
) -> WriteReport:
    """Writes sections of vectors, each with its own metadata, to a file of version 1.0.

    Args:
        sections: Pairs (vectors, metadata); all vectors have the same dimension. A chunk may span
            several sections.
        output_path, compression, chunk_size, allow_nonfinite, rounding, threads: As for
            ``pack_cvc``.
    """
    if not sections:
        raise InvalidArgumentError("sections cannot be empty")
    parts = [(_matrix(vectors), metadata) for vectors, metadata in sections]
    dimensions = sorted({matrix.shape[1] for matrix, _ in parts})
    if len(dimensions) > 1:
        raise InvalidArgumentError(f"all sections must have one dimension, found {dimensions}")
    import numpy as np

    # All rows of a file have the same type: the common type of all sections.
    common = np.result_type(*(matrix.dtype for matrix, _ in parts))
    with Writer(
        output_path,
        compression=compression,
        chunk_size=chunk_size,
        dimension=dimensions[0],
        allow_nonfinite=allow_nonfinite,
        rounding=rounding,
        threads=threads,
    ) as writer:
        for matrix, metadata in parts:
            with writer.section(metadata):
                writer.append(matrix.astype(common, copy=False))
    return writer.close()


def _schema(data: Mapping[str, Array]) -> dict[str, tuple[int | tuple[int], str]]:
    schema: dict[str, tuple[int | tuple[int], str]] = {}
    for name, array in data.items():
        if array.dtype.name not in COLUMN_TYPES:
            raise InvalidArgumentError(
                f"column {name!r}: dtype must be one of {', '.join(COLUMN_TYPES)}, "
                f"not {array.dtype.name} (convert it if that may be)"
            )
        if array.ndim not in (1, 2):
            raise InvalidArgumentError(f"column {name!r} must have one or two dimensions")
        schema[name] = (1 if array.ndim == 1 else (array.shape[1],), array.dtype.name)
    return schema


def _columns(data: Mapping[str, Any]) -> dict[str, Array]:
    if not data:
        raise InvalidArgumentError("data cannot be empty")
    columns = {}
    for name, values in data.items():
        try:
            columns[name] = vectors_of(values)
        except (InvalidArgumentError, TypeMismatchError) as error:
            raise type(error)(f"column {name!r}: {error}") from None
    counts = {name: len(array) for name, array in columns.items()}
    if len(set(counts.values())) > 1:
        raise InvalidArgumentError(f"columns must have equally many rows, not {counts}")
    return columns


def pack_cvc_columns(
    data: Mapping[str, Any],
    output_path: Path,
    compressions: Mapping[str, str] | None = None,
    chunk_size: int = 100_000,
    *,
    allow_nonfinite: bool = False,
    rounding: str = "auto",
    threads: int | None = None,
) -> WriteReport:
    """Writes columns of equal length to a file of version 2.0.

    Args:
        data: A mapping from names to arrays, (rows,) for scalars or (rows, values), of float32,
            float16, int32, int64, int8 or uint8; other integers are widened. Rows may be lists of
            equal length, as in columns of pandas, polars and Arrow.
        output_path, chunk_size, allow_nonfinite, rounding, threads: As for ``pack_cvc``.
        compressions: A mapping from names to compressions, as for ``Writer``. The default is "fp16"
            for floats and "none" for integers.
    """
    columns = _columns(data)
    with Writer(
        output_path,
        columns=_schema(columns),
        compression=dict(compressions or {}),
        chunk_size=chunk_size,
        expected_rows=len(next(iter(columns.values()))),
        allow_nonfinite=allow_nonfinite,
        rounding=rounding,
        threads=threads,
    ) as writer:
        writer.append(columns)
    return writer.close()


def pack_cvc_sections_columnar(
    sections: Sequence[tuple[Mapping[str, Any], Any]],
    output_path: Path,
    compressions: Mapping[str, str] | None = None,
    chunk_size: int = 100_000,
    *,
    allow_nonfinite: bool = False,
    rounding: str = "auto",
    threads: int | None = None,
) -> WriteReport:
    """Writes sections of columns, each with its own metadata, to a file of version 2.0.

    Args:
        sections: Pairs (columns as for ``pack_cvc_columns``, metadata). All have the same columns,
            types and dimensions.
        output_path, compressions, chunk_size, allow_nonfinite, rounding, threads: As for
            ``pack_cvc_columns``.
    """
    if not sections:
        raise InvalidArgumentError("sections cannot be empty")
    parts = [(_columns(data), metadata) for data, metadata in sections]
    schema = _schema(parts[0][0])
    for columns, _ in parts[1:]:
        if _schema(columns) != schema:
            raise InvalidArgumentError("all sections must have the same columns")
    with Writer(
        output_path,
        columns=schema,
        compression=dict(compressions or {}),
        chunk_size=chunk_size,
        allow_nonfinite=allow_nonfinite,
        rounding=rounding,
        threads=threads,
    ) as writer:
        for columns, metadata in parts:
            with writer.section(metadata):
                writer.append(columns)
    return writer.close()
