# SPDX-License-Identifier: Apache-2.0
"""Explains the compressed size of numbers."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrays import numbers_of
from ._inspect import file_info
from ._progress import ProgressLike, core_progress
from ._specs import (
    DEFAULT_LEVEL,
    DEFAULT_PAGING,
    Delta,
    Mode,
    Paging,
    core_compat,
    core_flag,
    core_options,
)


def explain(
    x: object,
    level: int = DEFAULT_LEVEL,
    mode: Mode = "auto",
    delta: Delta = "auto",
    paging: Paging = DEFAULT_PAGING,
    *,
    compat: str = "4.1",
    favor_decode_speed: bool = False,
    progress: ProgressLike = None,
) -> dict[str, Any]:
    """Compresses numbers and describes what the bytes of the file are used for.

    Args:
        x, level, mode, delta, paging, compat, favor_decode_speed, progress: As for ``compress``.
            It uses one thread, and discards the file.

    Returns:
        A dictionary:

        * ``file``: the description of the file by ``inspect``, a ``FileInfo``.
        * ``parts``: the number of bits for each purpose: ``framing`` (headers of file and chunks),
          ``choices`` (modes, deltas, dictionaries), ``bins``, ``delta_states``, ``ans_states``,
          ``codes`` (the bin of each latent), ``offsets`` (the position in the bin), ``padding``.
          The sum is 8 times the size in bytes.
        * ``entropy``: the order-0 entropy of the numbers: ``bits`` for each number, and the count
          of ``distinct`` numbers.
        * ``chunks``: for each chunk a dictionary of ``count``, ``bytes``, ``mode``, ``delta``,
          ``parts``, ``entropy``; ``latents``: the entropy of each latent variable, by its name;
          ``candidates``: the encodings that were considered, each with ``mode``, ``delta``,
          ``estimated_bits`` for each number (None without an estimate), ``bytes`` (None if it was
          not encoded completely), and whether it was ``chosen``; ``fallback``: true if no candidate
          was smaller than a single bin for all numbers, which was used then.

    Raises:
        The errors of ``compress``.

    >>> import numpact
    >>> why = numpact.explain([k % 8 for k in range(4096)])
    >>> why["entropy"]["bits"], why["entropy"]["distinct"]
    (3.0, 8)
    >>> sum(why["parts"].values()) == 8 * why["file"].file_bytes
    True
    """
    numbers = numbers_of(x)
    with core_progress(progress, numbers.size) as callback:
        raw = _core.explain(
            numbers,
            **core_options(level, mode, delta, paging),
            progress=callback,
            compat=core_compat(compat),
            favor_decode_speed=core_flag("favor_decode_speed", favor_decode_speed),
        )
    raw["file"] = file_info(raw["file"])
    return raw
