# SPDX-License-Identifier: Apache-2.0
"""Zarr arrays compressed with Pco, under the names and settings that are in use: see docs/zarr.md.

``PCodec`` is the codec of numcodecs, for Zarr v2 and through zarr's wrapper for v3; both find it
without an import where the package ``pcodec`` is absent. ``PcoCodec`` is the serializer of Zarr v3
itself, and ``register`` puts the two in the place of the others where ``pcodec`` is installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._numcodec import PCodec
from ._register import register

if TYPE_CHECKING:
    from ._serializer import PcoCodec

__all__ = ["PCodec", "PcoCodec", "register"]


def __getattr__(name: str) -> Any:
    # numcodecs is used without zarr as well: only this class needs it.
    if name == "PcoCodec":
        from ._serializer import PcoCodec

        return PcoCodec
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
