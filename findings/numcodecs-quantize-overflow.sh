#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Quantize(digits=3) rounds every number of float16 and float32 to three decimals; large
#   numbers have none and stay.
# Seen: numcodecs 0.16.6 multiplies in the type of the array: with three digits each float16 from
#   64 on is infinite, each float32 above 3.3e35. With the numbers held as float64 they stay.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  numcodecs==0.16.6 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from numcodecs import Quantize


def stored(numbers, kind):
    codec = Quantize(digits=3, dtype=kind)
    return codec.decode(codec.encode(np.array(numbers, kind))).astype(float).tolist()


inf = float("inf")
for kind, numbers, expected in (
    ("f2", [1.5, 63.0, 64.0, 100.0, -1000.0], [1.5, 63.0, inf, inf, -inf]),
    ("f4", [2.0**117, 2.0**118, -(2.0**120)], [2.0**117, inf, -inf]),
    ("f8", [100.0, 65504.0, 2.0**120], [100.0, 65504.0, 2.0**120]),
):
    seen = stored(numbers, kind)
    print(f"{numbers} as {kind} -> {seen}")
    assert seen == expected, "changed"
PY
echo "as recorded"
