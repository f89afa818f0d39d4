# SPDX-License-Identifier: Apache-2.0
"""Types of annotations. Imported by type checkers only."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

#: An array of any type.
Array = npt.NDArray[Any]
