# SPDX-License-Identifier: Apache-2.0
"""Reads and writes tables with pyarrow, for the command of this package and for the package."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def module(name: str, needs: str) -> ModuleType:
    """A module of this package, for the command (cli/formats/python/python_calls.hpp).

    Raises:
        Refused: There is no pyarrow, which ``needs``, as "Parquet", needs.
    """
    import warnings

    # They may contain names from a file with control characters for a terminal, which the command
    # escapes.
    warnings.simplefilter("ignore")
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        from .errors import Refused

        raise Refused(f"{needs} needs pyarrow: pip install pyarrow") from None
    return import_module(f".{name}", __name__)
