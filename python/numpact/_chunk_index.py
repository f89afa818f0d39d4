# SPDX-License-Identifier: Apache-2.0
"""The module that pickles of a ``PcoIndex`` name; its classes are in ``_remote.chunk_index``."""

from __future__ import annotations

from ._remote.chunk_index import FileIndex, PcoIndex

__all__ = ["FileIndex", "PcoIndex"]
