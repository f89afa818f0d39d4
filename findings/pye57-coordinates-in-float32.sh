#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: The coordinates that pye57 takes and returns as float64 are stored as doubles, as E57 can.
# Seen: pye57 0.4.19 stores them as float32 and reads them back as float64: 5000000.123, a northing
#   in metres, is 5000000.0, 16777217 is 16777216.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pye57==0.4.19 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
from pathlib import Path

import numpy as np
import pye57

path = str(Path("a.e57").resolve())
x = np.array([5000000.123, 1.1, 16777217.0])
file = pye57.E57(path, mode="w")
file.write_scan_raw({"cartesianX": x, "cartesianY": x, "cartesianZ": x})
file.close()
file = pye57.E57(path)
seen = file.read_scan_raw(0)["cartesianX"]
file.close()
print(x.tolist(), "->", seen.tolist(), seen.dtype)
assert seen.dtype == np.float64, "changed"
assert seen.tolist() == [5000000.0, 1.100000023841858, 16777216.0], "changed"
PY
echo "as recorded"
