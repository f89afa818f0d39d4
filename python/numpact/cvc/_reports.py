# SPDX-License-Identifier: Apache-2.0
"""Results of reading other than arrays: damaged rows, and the parameters of codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .._types import Array


class CorruptionWarning(UserWarning):
    """Rows were filled or dropped because the checksum of their chunk does not match."""


class CorruptRows(NamedTuple):
    """Rows of a damaged chunk."""

    chunk: int
    first_row: int
    rows: int


class CodeRun(NamedTuple):
    """Rows of one chunk and the parameters of their codes: value = min + code * scale.

    ``mins`` and ``scales`` are arrays of float32: (1,) for int8, (rows,) for int8_row, (dimension,)
    for int8_dim and int4, and empty for other compressions.
    """

    rows: int
    compression: str
    mins: Array
    scales: Array


class Damage(NamedTuple):
    """A chunk that ``Reader.verify`` found damaged."""

    chunk: int
    first_row: int
    rows: int
    reason: str
