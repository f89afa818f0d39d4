#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Each mode of imagecodecs' quantize keeps NaN, infinity and zero, which have no digits to
#   lose.
# Seen: imagecodecs 2026.3.6: granularbr turns NaN, infinity and -infinity into zeros, bitgroom
#   turns -infinity into NaN and -0.0 into -5.7e-42; bitround and scale keep them. All in float32
#   with three digits.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  imagecodecs==2026.3.6 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import imagecodecs
import numpy as np

nan, inf = float("nan"), float("inf")
numbers = np.array([1.5, nan, inf, -inf, 0.0, -0.0], np.float32)
for mode, expected in (
    ("bitround", [1.5, nan, inf, -inf, 0.0, 0.0]),
    ("scale", [1.5, nan, inf, -inf, 0.0, 0.0]),
    ("granularbr", [1.5, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ("bitgroom", [1.5, nan, inf, nan, 0.0, -5.738317211410126e-42]),
):
    seen = imagecodecs.quantize_encode(numbers, mode=mode, nsd=3)
    print(f"{mode}: {numbers.tolist()} -> {seen.tolist()}")
    assert np.array_equal(seen, np.array(expected, np.float32), equal_nan=True), "changed"
PY
echo "as recorded"
