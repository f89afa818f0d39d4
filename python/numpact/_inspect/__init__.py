# SPDX-License-Identifier: Apache-2.0
"""The contents of a file.

Each module imports only those before it: ``chunks`` (chunks, latent variables, bins), ``html``
(charts of bins), ``file`` (the file and its summary).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core
from .._file import contents
from .._specs import core_limit
from .._threads import resolve
from .chunks import BinInfo, ChunkInfo, LatentVariableInfo
from .file import FileInfo, TrailerState, file_info

if TYPE_CHECKING:
    from .._file import Source

__all__ = [
    "BinInfo",
    "ChunkInfo",
    "FileInfo",
    "LatentVariableInfo",
    "TrailerState",
    "file_info",
    "inspect",
]


def inspect(
    source: Source, *, threads: int | None = None, max_output: int | None = None
) -> FileInfo:
    """Describes the content of a standalone Pco file: chunks, modes, deltas, bins and sizes.

    It decodes the codes, because only they tell where a chunk ends. This takes about half the time
    of decompression.

    Args:
        source: The file: bytes, a path, or a file opened in binary mode.
        threads: As for ``decompress``.
        max_output: Maximum size of all numbers of the file, in bytes.

    Returns:
        The description. It prints as a summary; notebooks show it as a table with a chart of the
        bins.

    Raises:
        CorruptError and the other errors of ``decompress``, except for damage that only the
            offsets of the numbers show.

    >>> import numpact
    >>> info = numpact.inspect(numpact.compress(range(0, 6000, 60)))
    >>> info.type, info.count, info.chunks[0].delta
    ('i64', 100, 'consecutive=1')
    """
    raw = _core.inspect(contents(source), resolve(threads), core_limit(max_output))
    return file_info(raw)
