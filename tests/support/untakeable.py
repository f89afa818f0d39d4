# SPDX-License-Identifier: Apache-2.0
"""A table of types of which Arrow itself takes no rows: views within others, and runs."""

from __future__ import annotations

import pyarrow as pa

ROWS = 120
VIEW = pa.string_view()
TYPES = {
    "view": VIEW,
    "bytes": pa.binary_view(),
    "struct": pa.struct([pa.field("a", VIEW, nullable=False), pa.field("b", pa.int8())]),
    "list": pa.list_(VIEW),
    "large": pa.large_list(pa.list_(VIEW)),
    "fixed": pa.list_(VIEW, 2),
    "map": pa.map_(pa.string(), VIEW),
    "runs": pa.run_end_encoded(pa.int32(), pa.float64()),
    "inner": pa.struct([("r", pa.run_end_encoded(pa.int16(), pa.string()))]),
    "nulls": pa.list_(pa.null(), 2),
    "deep": pa.struct([("x", pa.list_(pa.null()))]),
}


def untakeable(name: str) -> pa.Table:
    """The numbers of rows in `i`, their remainder by 3 in `k`, and values in `v`."""
    return pa.table({
        "i": range(ROWS),
        "k": [i % 3 for i in range(ROWS)],
        "v": _values(TYPES[name], name),
    })


def _values(type: pa.DataType, name: str) -> pa.Array:
    def run(values: list[object], ends: pa.DataType) -> pa.Array:
        return pa.RunEndEncodedArray.from_arrays(pa.array([40, 70, ROWS], ends), pa.array(values))

    if name == "runs":
        return run([1.5, None, 2.5], pa.int32())
    if name == "inner":
        return pa.StructArray.from_arrays([run(["a", None, "b"], pa.int16())], ["r"])
    texts = [f"text number {i} of more than 12 bytes" for i in range(ROWS)]
    make = {
        "view": lambda text: text,
        "bytes": lambda text: text.encode(),
        "struct": lambda text: {"a": text, "b": None},
        "list": lambda text: [text, None],
        "large": lambda text: [[], [text]],
        "fixed": lambda text: [text, "short"],
        "map": lambda text: [("k", text)],
        "nulls": lambda text: [None, None],
        "deep": lambda text: {"x": [None, None]},
    }[name]
    values = [None if i % 7 == 0 else make(text) for i, text in enumerate(texts)]
    return pa.array(values, type)
