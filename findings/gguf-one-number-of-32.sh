#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A number that a block of GGUF cannot hold is clipped, or spoils itself alone.
# Seen: gguf 0.19.0: one NaN, infinity or number above 65504 * 127 (8.3 million) makes all other
#   31 numbers of its block of Q8_0 NaN, since the scale is a float16. Numbers of 1e-7 are 0 in
#   Q8_0, and 1.19e-7 in Q5_1. No error; NumPy warns of a cast.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  gguf==0.19.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from gguf import GGMLQuantizationType, quants


def stored(numbers, name="Q8_0"):
    kind = GGMLQuantizationType[name]
    return quants.dequantize(quants.quantize(np.array([numbers], np.float32), kind), kind)[0]


for first in (np.nan, np.inf, 1e7):
    seen = stored([first] + [1.0] * 31)
    print(f"{first} and 31 ones ->", seen[:2])
    assert np.isnan(seen[1:]).all(), "changed"
seen = stored([8e6] + [1.0] * 31)
print("8e6 and 31 ones ->", seen[:2])
assert abs(seen[0] - 8e6) < 1e4 and (seen[1:] == 0).all(), "changed"
for name, expected in (("Q8_0", 0), ("Q5_1", 2**-23)):
    seen = stored([1e-7] * 32, name)
    print(f"1e-7 as {name} ->", seen[0])
    assert (seen == expected).all(), "changed"
PY
echo "as recorded"
