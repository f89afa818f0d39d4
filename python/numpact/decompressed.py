# SPDX-License-Identifier: Apache-2.0
"""Replaces the package ``decompressed``: ``import numpact.decompressed as decompressed``."""

from __future__ import annotations

from ._core import __version__
from .cvc import _decompressed
from .cvc._decompressed import *  # noqa: F403

__all__ = ["__version__"]
__all__ += _decompressed.__all__
