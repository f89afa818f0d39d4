#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A pyramid by tensorstore's downsampling treats NaN in one way: it is left out, or the cell
#   is NaN.
# Seen: tensorstore 0.1.86: a cell with NaN is NaN by mean, a number by min and max, and by median
#   and mode it depends on the place of the NaN: median of (NaN, 1) is NaN, of (1, NaN) is 1. The
#   median of four numbers is the lower one, not the mean of two.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  tensorstore==0.1.86 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import tensorstore

for method, numbers, expected in (
    ("mean", [1, np.nan], np.nan),
    ("min", [np.nan, 1], 1),
    ("max", [1, np.nan], 1),
    ("median", [np.nan, 1], np.nan),
    ("median", [1, np.nan], 1),
    ("median", [1, 2, 3, 10], 2),
    ("mode", [np.nan, 1, 2, 3], np.nan),
    ("mode", [1, 2, 3, np.nan], 1),
):
    array = tensorstore.array(np.array(numbers, np.float64))
    seen = tensorstore.downsample(array, [len(numbers)], method).read().result()
    print(method, numbers, "->", seen[0])
    assert np.array_equal(seen, [expected], equal_nan=True), "changed"
PY
echo "as recorded"
