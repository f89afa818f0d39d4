# SPDX-License-Identifier: Apache-2.0
"""CVC files: collections of vectors, compressed in chunks.

``Reader``, ``Writer`` and ``append`` are the complete interface. The other functions are those of
the package ``decompressed``; they also take ``threads=``, and their results are correct where those
of that package are not (docs/cvc.md).
"""

from __future__ import annotations

from . import _decompressed
from ._backends import BackendError
from ._decompressed import *  # noqa: F403
from ._growing import append
from ._info import Chunk, Column, Info, Section, Slice
from ._quality import CompressionQuality, Quality, Recall, quality
from ._reader import Reader
from ._reports import CodeRun, CorruptionWarning, CorruptRows, Damage
from ._writer import Writer, WriteReport

__all__ = [
    "BackendError",
    "Chunk",
    "CodeRun",
    "Column",
    "CompressionQuality",
    "CorruptRows",
    "CorruptionWarning",
    "Damage",
    "Info",
    "Quality",
    "Reader",
    "Recall",
    "Section",
    "Slice",
    "WriteReport",
    "Writer",
    "append",
    "quality",
]
__all__ += _decompressed.__all__
