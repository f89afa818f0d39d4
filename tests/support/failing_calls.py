# SPDX-License-Identifier: Apache-2.0
"""Path of the compiled failing_calls.cpp, for preloading."""

from __future__ import annotations

from pathlib import Path

import pytest

LIBRARY = Path(__file__).resolve().parents[2] / "build/release/tests/libnumpact_failing_calls.so"


def failing_calls() -> Path:
    if not LIBRARY.exists():
        pytest.skip("needs build/release/tests/libnumpact_failing_calls.so, made on Linux")
    return LIBRARY
