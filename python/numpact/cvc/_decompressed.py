# SPDX-License-Identifier: Apache-2.0
"""The interface of the package ``decompressed``: all names that it shares with ``numpact.cvc``."""

from __future__ import annotations

from .._errors import ChecksumError as CorruptedChunkError
from ._backends import get_available_backends, get_backend_errors
from ._columns import add_column, delete_column, list_columns, rename_column, update_column
from ._load import (
    get_cvc_info,
    load_cvc,
    load_cvc_chunked,
    load_cvc_columns,
    load_cvc_range,
)
from ._mmap_loader import MMapCVCLoader
from ._pack import pack_cvc, pack_cvc_columns, pack_cvc_sections, pack_cvc_sections_columnar
from ._validate import (
    detect_version,
    upgrade_cvc,
    validate_cvc,
    validate_cvc_integrity,
    validate_cvc_version,
)

__all__ = [
    "CorruptedChunkError",
    "MMapCVCLoader",
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
