# SPDX-License-Identifier: Apache-2.0
"""The interface of the PyPI package ``pcodec``, so that programs written for it run unchanged.

Only the import changes: ``import numpact.pcodec as pcodec``. Names, arguments, results and kinds
of errors are those of pcodec 1.1.0; docs/pcodec-drop-in.md lists the differences. New programs
should use ``numpact`` itself, which also has other inputs, threads, limits and partial reads.
"""

from __future__ import annotations

from .._spec_types import DeltaSpec, ModeSpec, PagingSpec
from . import standalone, wrapped
from ._config import DEFAULT_COMPRESSION_LEVEL, ChunkConfig
from ._progress import Progress

#: The release of ``pcodec`` that has this interface, for programs that check the version;
#: ``numpact.__version__`` is the version of the implementation.
__version__ = "1.1.0"

__all__ = [
    "DEFAULT_COMPRESSION_LEVEL",
    "ChunkConfig",
    "DeltaSpec",
    "ModeSpec",
    "PagingSpec",
    "Progress",
    "__version__",
    "standalone",
    "wrapped",
]
