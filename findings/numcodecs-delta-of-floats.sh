#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: numcodecs' Delta, which accepts float32 and float64, gives back what was encoded, as it
#   does for integers.
# Seen: numcodecs 0.16.6 sums rounded differences: after 1e8 a float32 of 1 comes back as 0, after
#   1e16 so does a float64, and 0.1 after 1e5 differs in the 12th digit. All numbers after a NaN
#   are NaN. Delta of booleans is wrong after the first change back.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  numcodecs==0.16.6 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from numcodecs import Delta


def stored(numbers, kind):
    codec = Delta(dtype=kind)
    return codec.decode(codec.encode(np.array(numbers, kind))).tolist()


nan = float("nan")
for kind, numbers, expected in (
    ("f4", [1e8, 1, 2, 3], [1e8, 0, 1, 2]),
    ("f8", [1e16, 1, 2, 3], [1e16, 0, 1, 2]),
    ("f8", [0.1, 1e5, 0.1], [0.1, 1e5, 0.10000000000582077]),
    ("f8", [1, nan, 3, 4], [1, nan, nan, nan]),
    ("?", [False, True, True, False], [False, True, True, True]),
    ("i8", [2**63 - 1, -(2**63), 5], [2**63 - 1, -(2**63), 5]),
):
    seen = stored(numbers, kind)
    print(f"{numbers} as {kind} -> {seen}")
    assert np.array_equal(seen, expected, equal_nan=kind == "f8"), "changed"
PY
echo "as recorded"
