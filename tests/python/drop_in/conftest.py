# SPDX-License-Identifier: Apache-2.0
"""The two modules that should behave the same: ``pcodec`` of PyPI and ``numpact.pcodec``."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

needs_reference = pytest.mark.skipif(
    importlib.util.find_spec("pcodec") is None, reason="the package pcodec is not installed"
)


@pytest.fixture(params=["numpact.pcodec", pytest.param("pcodec", marks=needs_reference)])
def pcodec(request: pytest.FixtureRequest) -> Any:
    """Each of the two in turn: tests that take this say what both do."""
    return importlib.import_module(request.param)


@pytest.fixture(scope="session")
def reference() -> Any:
    """The package of PyPI: skips where it is absent."""
    return pytest.importorskip("pcodec", reason="the package pcodec is not installed")


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers that depend on the name of the test only."""
    return np.random.default_rng(zlib.crc32(request.node.name.encode()))
