#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: fpzip with few bits is coarse, but keeps the first digits, NaN and infinity.
# Seen: fpzip 1.2.5 with precision=8 turns 1.5 into 0.5, 0.1 into 0.03125, and NaN and infinity
#   into 1.7e38. With 9 bits NaN is infinity, from 10 bits on it stays NaN.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  fpzip==1.2.5 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import fpzip
import numpy as np

numbers = np.array([1.5, 0.1, np.nan, np.inf], np.float32)
for bits, expected in (
    (8, [0.5, 0.03125, 2.0**127, 2.0**127]),
    (12, [1.5, 0.09375, np.nan, np.inf]),
    (0, numbers),
):
    seen = fpzip.decompress(fpzip.compress(numbers, precision=bits)).ravel()
    print(f"precision={bits}: {numbers} ->", seen)
    assert np.array_equal(seen, np.asarray(expected, np.float32), equal_nan=True), "changed"
seen = fpzip.decompress(fpzip.compress(numbers, precision=9)).ravel()
print("precision=9: NaN ->", seen[2])
assert np.isinf(seen[2]) and np.isinf(seen[3]), "changed"
seen = fpzip.decompress(fpzip.compress(numbers, precision=10)).ravel()
assert np.isnan(seen[2]) and np.isinf(seen[3]), "changed"
PY
echo "as recorded"
