# SPDX-License-Identifier: Apache-2.0
"""The module that pickles of a ``PcoIndex`` name; its class is in ``_remote.locations``."""

from __future__ import annotations

from ._remote.locations import Stamp

__all__ = ["Stamp"]
