# SPDX-License-Identifier: Apache-2.0
"""Imports optional dependencies."""

from __future__ import annotations

import importlib
from typing import Any


def advice_for(extra: str) -> str:
    """How to install an extra; no package index has numpact yet."""
    return f"pip install '.[{extra}]' in a checkout of numpact"


def require(module: str, extra: str) -> Any:
    """Imports a module of an optional dependency.

    Args:
        module: Its full name.
        extra: The extra of numpact that installs it.

    Raises:
        ImportError: It is not installed; the message names the extra.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        # An import that fails inside of the module keeps its own message.
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        package = error.name.partition(".")[0]
        raise ImportError(
            f"numpact needs the package {package} here: {advice_for(extra)}",
            name=error.name,
        ) from error


def require_cupy() -> Any:
    """Imports CuPy, of which there is a package for each version of CUDA, so no extra has it."""
    try:
        return importlib.import_module("cupy")
    except ModuleNotFoundError as error:
        raise ImportError(
            "numpact needs the package cupy here: pip install cupy-cuda13x, or what CuPy's guide "
            "names for your CUDA",
            name=error.name,
        ) from error
