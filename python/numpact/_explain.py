# SPDX-License-Identifier: Apache-2.0
"""Why a column takes the bytes it takes."""

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
    """Compresses numbers, throws the file away, and tells why it has the size it has.

    Args:
        x, level, mode, delta, paging, compat, favor_decode_speed, progress: As for ``compress``.
            One thread works.

    Returns:
        A dictionary:

        * ``file``: what ``inspect`` says of the file, a ``FileInfo``.
        * ``parts``: what its bits are there for: ``framing`` (headers of file and chunks),
          ``choices`` (modes, deltas, dictionaries), ``bins``, ``delta_states``, ``ans_states``,
          ``codes`` (which bin each latent is in), ``offsets`` (where in the bin), ``padding``. They
          add up to 8 times the bytes.
        * ``entropy``: of the numbers: ``bits`` is what each costs at least where all are coded by
          themselves and it is known how often each of the ``distinct`` ones occurs.
        * ``chunks``: for each chunk a dictionary of ``count``, ``bytes``, ``mode``, ``delta``,
          ``parts``, ``entropy``; ``latents``: the entropy of what each latent variable stores, by
          its name; ``candidates``: the ways to encode it that were weighed, each with ``mode``,
          ``delta``, ``estimated_bits`` a number (None where there is no estimate), ``bytes`` (None
          where it was not encoded in full), and whether it was ``chosen``; ``fallback``: none of
          them was smaller than one bin over all numbers, which was taken.

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
