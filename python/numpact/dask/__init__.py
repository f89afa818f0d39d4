# SPDX-License-Identifier: Apache-2.0
"""Pco and CVC files as Dask arrays and data frames, on one machine or many.

``from_pco`` and ``to_pco`` are for arrays, ``from_cvc`` and ``to_cvc`` for vectors, and
``from_pco_table`` and ``to_pco_table`` for tables whose columns are Pco files. Files may be in any
file system of fsspec. Needs ``pip install 'numpact[dask]'``; Dask is imported by the first call of
one of these functions. docs/scale-out.md describes the limits.
"""

from __future__ import annotations

from .._remote.chunk_index import FileIndex, PcoIndex
from ._array import from_pco, pco_index
from ._cvc import from_cvc, to_cvc
from ._store import to_pco
from ._table import from_pco_table
from ._table_store import to_pco_table

__all__ = [
    "FileIndex",
    "PcoIndex",
    "from_cvc",
    "from_pco",
    "from_pco_table",
    "pco_index",
    "to_cvc",
    "to_pco",
    "to_pco_table",
]
