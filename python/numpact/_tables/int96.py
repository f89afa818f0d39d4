# SPDX-License-Identifier: Apache-2.0
"""Parquet's old timestamps of 96 bits: which unit of 64 bits holds all of a column.

The rules are those of cli/formats/arrow/int96.hpp: pyarrow computes modulo 2^64, so nanoseconds
wrap outside of the years 1677 to 2262, and milliseconds, which never wrap, show it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from .errors import Refused


def _counts(array: pa.Array) -> Any:
    """The stored numbers; 0 for null."""
    return np.asarray(array.view(pa.int64()).fill_null(0))


def choose_unit(blocks: Iterable[tuple[pa.Array, pa.Array, pa.Array]]) -> str:
    """Takes the arrays of a column in nanoseconds, microseconds and milliseconds."""
    micros_fit, bad = True, None
    row = 0
    for block in blocks:
        nanos, micros, millis = map(_counts, block)
        wrapped = np.floor_divide(nanos, 1_000_000) != millis
        if bad is None and wrapped.any():
            at = int(wrapped.argmax())
            bad = (row + at, int(millis[at]))
        # Modulo 2^64 the nanoseconds are right also where they wrapped.
        finer = micros.view(np.uint64) * np.uint64(1000) != nanos.view(np.uint64)
        micros_fit = micros_fit and not (finer | (np.floor_divide(micros, 1000) != millis)).any()
        row += len(nanos)
    if bad is None:
        return "ns"
    if micros_fit:
        return "us"
    value = np.datetime64(bad[1], "ms")
    raise Refused(
        f"row {bad[0]}: INT96 timestamp {str(value).replace('T', ' ')} is out of the range of "
        "64-bit nanoseconds, and microseconds do not hold all rows either"
    )
