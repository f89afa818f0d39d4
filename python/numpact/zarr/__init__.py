# SPDX-License-Identifier: Apache-2.0
"""Codecs for Zarr arrays, with the established names and settings: see docs/zarr.md.

``PCodec`` is the codec of numcodecs, for Zarr v2, and for v3 through zarr's wrapper. If the package
``pcodec`` is not installed, both find it without an import. ``PcoCodec`` is the serializer for Zarr
v3. ``register`` replaces the codecs of ``pcodec`` if that is installed, too. ``encoding`` makes
xarray store a dataset with them, ``rounded`` rounds it before: see docs/from-xarray.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._encoding import encoding
from ._numcodec import PCodec
from ._register import register
from ._rounded import rounded

if TYPE_CHECKING:
    from ._serializer import PcoCodec

__all__ = ["PCodec", "PcoCodec", "encoding", "register", "rounded"]


def __getattr__(name: str) -> Any:
    # Only this class needs zarr; numcodecs can be used without it.
    if name == "PcoCodec":
        from ._serializer import PcoCodec

        return PcoCodec
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
