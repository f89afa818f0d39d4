# SPDX-License-Identifier: Apache-2.0
"""Folders of tables whose small files stand for much more in memory."""

from __future__ import annotations

import decimal
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc

ROWS = 1 << 16  # of a batch
SIZE = 48 << 20  # bytes of a bomb, at least: three times what a column may take without max_memory
# Of the views and of the dictionaries, whose bytes are in the file once.
LONG = "long text " * 128


def _views() -> pa.Array:
    """Views that all refer to one text: 1 MiB of memory, and 80 MiB once they are copied."""
    one = pa.array([LONG], pa.string_view())
    _, views, content = one.buffers()
    return pa.Array.from_buffers(
        pa.string_view(), ROWS, [None, pa.py_buffer(views.to_pybytes()[:16] * ROWS), content]
    )


def _dictionary() -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array([0] * ROWS, pa.int16()), pa.array([LONG]))


def _run_ends() -> pa.Array:
    return pa.RunEndEncodedArray.from_arrays(pa.array([3], pa.int32()), pa.array(["0" * SIZE]))


def _large_dictionary() -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array([0] * 9, pa.int8()), pa.array(["0" * SIZE]))


#: The values of a column, which are decoded to SIZE bytes and more.
DECODED: dict[str, Callable[[], Any]] = {
    "string": lambda: pa.array(["0" * SIZE]),
    "large_string": lambda: pa.array(["0" * SIZE, None], pa.large_string()),
    "binary": lambda: pa.array([bytes(SIZE)], pa.binary()),
    "large_binary": lambda: pa.array([bytes(SIZE)], pa.large_binary()),
    "string_view": lambda: pa.array(["0" * SIZE], pa.string_view()),
    "fixed": lambda: pa.array([bytes(1 << 10)] * (SIZE >> 10), pa.binary(1 << 10)),
    "decimal": lambda: pa.concat_arrays(
        [pa.array([decimal.Decimal(1)] * ROWS, pa.decimal128(38, 0))] * (SIZE // ROWS // 16)
    ),
    "list": lambda: pa.ListArray.from_arrays([0, SIZE], pa.nulls(SIZE, pa.int8()).fill_null(7)),
    "struct": lambda: pa.StructArray.from_arrays([pa.array(["0" * SIZE]), [1]], ["a", "b"]),
    "run ends": _run_ends,
    "dictionary": _large_dictionary,
    "list of dictionaries": lambda: pa.ListArray.from_arrays([0, 9], _large_dictionary()),
}
#: Those whose values take SIZE bytes and more once they are text of their own.
SPREAD: dict[str, Callable[[], Any]] = {
    "views of one text": _views,
    "dictionary of long text": _dictionary,
}


def folder_of(folder: Path, array: pa.Array, is_coded: bool = False) -> Path:
    """Writes a table of the columns "n", of numbers, and "s".

    Not by numpact: it would copy the values of views, and not write dictionaries of few values.
    Version 3 of the manifest has no checksums, and every reader takes it.

    Args:
        is_coded: An array of a dictionary stands for its values.
    """
    import numpact

    folder.mkdir()
    metadata = {"numpact:encoding": "dictionary"} if is_coded else None
    field = pa.field("s", array.type)
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(folder / "s.arrow", pa.schema([field], metadata), options=options) as file:
        for first in range(0, len(array), ROWS):
            file.write_batch(pa.RecordBatch.from_arrays([array[first : first + ROWS]], ["s"]))
    numbers = np.arange(len(array)).astype(np.uint8)
    (folder / "n.pco").write_bytes(numpact.compress(numbers, trailer=True))
    type = array.type.value_type if is_coded else array.type
    other = {"name": "s", "file": "s.arrow", "position": 1, "type": str(type), "rows": len(array)}
    column = {"name": "n", "file": "n.pco", "logical_type": "number", "number_type": "u8"}
    manifest = {
        "format": "numpact-table",
        "version": 3,
        "columns": [{**column, "count": len(array)}],
        "others": [other],
        "skipped": [],
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder
