# SPDX-License-Identifier: Apache-2.0
"""The interface of the PyPI package ``pcodec``, so that programs written for it run unchanged.

``import numpact.pcodec as pcodec`` is all that changes. Names, arguments, results and kinds of
errors are those of pcodec 1.1.0; docs/pcodec-drop-in.md lists what differs. New programs have
more of ``numpact`` itself: any array, threads, limits, parts of files.
"""

from __future__ import annotations

from .._spec_types import DeltaSpec, ModeSpec, PagingSpec
from . import standalone, wrapped
from ._config import DEFAULT_COMPRESSION_LEVEL, ChunkConfig
from ._progress import Progress

#: The release of ``pcodec`` whose interface this is, for programs that ask what there is to use;
#: ``numpact.__version__`` is the version of what runs.
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
