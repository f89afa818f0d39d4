# SPDX-License-Identifier: Apache-2.0
"""Values in messages: a few of many."""

from __future__ import annotations

import reprlib
from collections.abc import Sized
from typing import Any

# Items of a list that a message repeats, and characters of a text.
_MAX_ITEMS = 12
_MAX_CHARACTERS = 200


class _Few(reprlib.Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxlist = self.maxtuple = self.maxset = self.maxdict = self.maxdeque = _MAX_ITEMS
        self.maxarray = self.maxfrozenset = _MAX_ITEMS
        self.maxstring = self.maxother = _MAX_CHARACTERS
        self.maxlong = 40

    def repr_ndarray(self, x: Any, level: int) -> str:
        shown = self.repr_list(x[:_MAX_ITEMS].tolist(), level) if x.ndim == 1 else f"{x.ndim}-d"
        return f"array({shown}, shape={x.shape}, dtype={x.dtype})" if x.ndim else repr(x)


_FEW = _Few()


def few(x: Any) -> str:
    """As ``repr``, but the first of many items, or the ends of a long text."""
    shown = _FEW.repr(x)
    if not isinstance(x, Sized) or isinstance(x, (str, bytes)):
        return shown
    try:
        size = len(x)
    except TypeError:  # an array of no dimensions
        return shown
    return f"{shown} ({size:,} in all)" if size > _MAX_ITEMS else shown
