# SPDX-License-Identifier: Apache-2.0
"""Imports the frameworks on first use; ``_backends`` has checked that they are installed."""

from __future__ import annotations

import importlib
from typing import Any


def import_torch() -> Any:
    return importlib.import_module("torch")


def import_cupy() -> Any:
    return importlib.import_module("cupy")
