# SPDX-License-Identifier: Apache-2.0
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "cli"))
sys.path.insert(0, str(TESTS / "support"))
