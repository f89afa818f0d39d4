# SPDX-License-Identifier: Apache-2.0
"""Estimates the compressed size of numbers without encoding them."""

from __future__ import annotations

from typing import NamedTuple

from . import _core
from ._arrays import numbers_of
from ._specs import (
    DEFAULT_LEVEL,
    DEFAULT_PAGING,
    Delta,
    Mode,
    Paging,
    TrailerSpec,
    core_compat,
    core_options,
    core_trailer,
    core_weight,
)


class SizeEstimate(NamedTuple):
    """The result of ``numpact.estimate_size``.

    Attributes:
        size: Expected bytes of the file that ``compress`` would make.
        error: Nine files of ten are within ``size`` plus or minus this many bytes. It is not a
            bound, and larger where the samples disagree.
        mode, delta: The encoding that would be chosen for all numbers, as in ``ChunkInfo``. Parts
            of the numbers may get others.
    """

    size: int
    error: int
    mode: str
    delta: str


def estimate_size(
    x: object,
    level: int = DEFAULT_LEVEL,
    mode: Mode = "auto",
    delta: Delta = "auto",
    paging: Paging = DEFAULT_PAGING,
    *,
    compat: str = "4.1",
    favor_decode_speed: bool = False,
    decode_weight: float = 0,
    trailer: TrailerSpec = False,
) -> SizeEstimate:
    """Estimates the size that ``compress`` would make of numbers, from samples of them.

    At most 65,536 numbers are looked at, so that it takes a small part of the time of ``compress``
    for large arrays. The same numbers and arguments always give the same estimate. Files of levels
    0 and 1 are larger than estimated.

    Args:
        x, level, mode, delta, paging, compat, favor_decode_speed,
            decode_weight, trailer: As for ``compress``.
            Lookback and Conv1 cannot be estimated on samples if they are requested.

    Raises:
        InvalidArgumentError: An argument is not one of ``compress``.

    >>> import numpact
    >>> numbers = [25 * (k % 7) for k in range(10_000)]
    >>> found = numpact.estimate_size(numbers)
    >>> abs(len(numpact.compress(numbers)) - found.size) <= found.error
    True
    """
    return SizeEstimate(
        *_core.estimate_size(
            numbers_of(x),
            **core_options(level, mode, delta, paging),
            compat=core_compat(compat),
            decode_weight=core_weight(decode_weight, favor_decode_speed),
            trailer=core_trailer(trailer),
        )
    )
