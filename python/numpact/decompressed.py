# SPDX-License-Identifier: Apache-2.0
"""Stands in for the package ``decompressed``: ``import numpact.decompressed as decompressed``."""

from __future__ import annotations

from ._core import __version__
from .cvc import (
    CorruptedChunkError,
    MMapCVCLoader,
    add_column,
    delete_column,
    detect_version,
    get_available_backends,
    get_backend_errors,
    get_cvc_info,
    list_columns,
    load_cvc,
    load_cvc_chunked,
    load_cvc_columns,
    load_cvc_range,
    pack_cvc,
    pack_cvc_columns,
    pack_cvc_sections,
    pack_cvc_sections_columnar,
    rename_column,
    update_column,
    upgrade_cvc,
    validate_cvc,
    validate_cvc_integrity,
    validate_cvc_version,
)

__all__ = [
    "CorruptedChunkError",
    "MMapCVCLoader",
    "__version__",
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
