# SPDX-License-Identifier: Apache-2.0
"""The frameworks, imported when they are needed. That they are there was checked before."""

from __future__ import annotations

import importlib
from typing import Any


def import_torch() -> Any:
    return importlib.import_module("torch")


def import_cupy() -> Any:
    return importlib.import_module("cupy")
