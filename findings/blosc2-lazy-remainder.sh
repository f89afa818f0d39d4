#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Expressions of Blosc2 arrays give what NumPy gives for the same operators.
# Seen: blosc2 4.14.1 computes % and ** of integers as C does: -7 % 3 is -1 (NumPy: 2), and 2 **
#   -1 is 0 where NumPy raises ValueError.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  blosc2==4.14.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import blosc2
import numpy as np

numbers = np.array([-7, 7])
seen = (blosc2.asarray(numbers) % 3)[:].tolist()
print("[-7, 7] % 3: blosc2", seen, "numpy", (numbers % 3).tolist())
assert seen == [-1, 1] and (numbers % 3).tolist() == [2, 1], "changed"
seen = (blosc2.asarray(np.array([2, 3])) ** -1)[:].tolist()
print("[2, 3] ** -1: blosc2", seen)
assert seen == [0, 0], "changed"
PY
echo "as recorded"
