# SPDX-License-Identifier: Apache-2.0
"""CVC files: collections of vectors, in chunks, smaller and read back fast.

``Reader`` and ``Writer`` do all that can be done; the functions are those of the package
``decompressed``, with ``threads=`` besides, and right results where that package is wrong
(docs/cvc.md).
"""

from __future__ import annotations

from .._errors import ChecksumError as CorruptedChunkError
from ._backends import BackendError, get_available_backends, get_backend_errors
from ._columns import add_column, delete_column, list_columns, rename_column, update_column
from ._info import Chunk, Column, Info, Section, Slice
from ._load import (
    get_cvc_info,
    load_cvc,
    load_cvc_chunked,
    load_cvc_columns,
    load_cvc_range,
)
from ._mmap_loader import MMapCVCLoader
from ._pack import pack_cvc, pack_cvc_columns, pack_cvc_sections, pack_cvc_sections_columnar
from ._reader import CodeRun, CorruptionWarning, CorruptRows, Damage, Reader
from ._validate import (
    detect_version,
    upgrade_cvc,
    validate_cvc,
    validate_cvc_integrity,
    validate_cvc_version,
)
from ._writer import Writer, WriteReport

__all__ = [
    "BackendError",
    "Chunk",
    "CodeRun",
    "Column",
    "CorruptRows",
    "CorruptedChunkError",
    "CorruptionWarning",
    "Damage",
    "Info",
    "MMapCVCLoader",
    "Reader",
    "Section",
    "Slice",
    "WriteReport",
    "Writer",
    "add_column",
    "delete_column",
    "detect_version",
    "get_available_backends",
    "get_backend_errors",
    "get_cvc_info",
    "list_columns",
    "load_cvc",
    "load_cvc_chunked",
    "load_cvc_columns",
    "load_cvc_range",
    "pack_cvc",
    "pack_cvc_columns",
    "pack_cvc_sections",
    "pack_cvc_sections_columnar",
    "rename_column",
    "update_column",
    "upgrade_cvc",
    "validate_cvc",
    "validate_cvc_integrity",
    "validate_cvc_version",
]
