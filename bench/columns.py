# SPDX-License-Identifier: Apache-2.0
"""The numeric columns of a folder of Parquet and NPY files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpact_ctypes import ROOT, TYPE_NAMES

SHARED = ROOT.parent / "shared" / "data"


def default_folder() -> Path:
    """The shared data where there is some, else the sample that comes with the repository."""
    return SHARED if SHARED.is_dir() else ROOT / "samples"


def data_files(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    return sorted(p for p in place.iterdir() if p.suffix in (".parquet", ".npy"))


def _is_numeric(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_temporal(kind)


def _to_numpy(column: pa.ChunkedArray) -> np.ndarray:
    """The numbers without the nulls; times and dates as the integers that they are stored as."""
    if pa.types.is_temporal(column.type):
        column = column.view(pa.int32() if column.type.bit_width == 32 else pa.int64())
    parts = [chunk.to_numpy(zero_copy_only=False) for chunk in column.drop_null().chunks]
    return np.ascontiguousarray(np.concatenate(parts)) if parts else np.empty(0, np.float64)


def _first_rows(file: pq.ParquetFile, name: str, limit: int | None) -> pa.ChunkedArray:
    if limit is None:
        return file.read(columns=[name]).column(0)
    for batch in file.iter_batches(batch_size=limit, columns=[name]):
        return pa.chunked_array([batch.column(0)])
    return pa.chunked_array([], file.schema_arrow.field(name).type)


def _parquet_columns(path: Path, limit: int | None) -> Iterator[tuple[str, np.ndarray]]:
    with pq.ParquetFile(path) as file:
        for field in file.schema_arrow:
            if _is_numeric(field.type):
                yield field.name, _to_numpy(_first_rows(file, field.name, limit))


def _npy_numbers(path: Path, limit: int | None) -> np.ndarray:
    array = np.load(path, mmap_mode="r", allow_pickle=False).reshape(-1)[:limit]
    return np.ascontiguousarray(array, array.dtype.newbyteorder("="))


def file_columns(path: Path, limit: int | None = None) -> Iterator[tuple[str, np.ndarray]]:
    """(name, numbers) of each numeric column of a file, at most `limit` numbers of each."""
    if path.suffix == ".npy":
        found = iter([(path.stem, _npy_numbers(path, limit))])
    else:
        found = ((f"{path.stem}.{name}", v) for name, v in _parquet_columns(path, limit))
    for name, values in found:
        if values.dtype in TYPE_NAMES and values.size:
            yield name, values


def columns(place: Path, pattern: str = "", min_bytes: int = 0) -> Iterator[tuple[str, np.ndarray]]:
    """The columns of a folder or file whose name matches, one in memory at a time."""
    for path in data_files(place):
        for name, values in file_columns(path):
            if re.search(pattern, name) and values.nbytes >= min_bytes:
                yield name, values
