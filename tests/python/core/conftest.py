# SPDX-License-Identifier: Apache-2.0
import sys
from pathlib import Path

# Helpers that tests of the package share with those of the command.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
