# SPDX-License-Identifier: Apache-2.0
"""Packages that only a part of numpact needs."""

from __future__ import annotations

import importlib
from typing import Any


def require(module: str, extra: str) -> Any:
    """A module of another package, imported when it is first needed.

    Raises:
        ImportError: It is absent; the message names the extra that installs it.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        # What the module itself fails to import is told as it is.
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        package = error.name.partition(".")[0]
        raise ImportError(
            f"numpact needs the package {package} here: pip install 'numpact[{extra}]'",
            name=error.name,
        ) from error
