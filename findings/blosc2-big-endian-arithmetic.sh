#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: An NDArray made of a big-endian NumPy array either keeps its numbers in expressions and
#   reductions, or refuses.
# Seen: Blosc2 4.14.1: the array is read right, but takes its bytes as little-endian in arithmetic,
#   without an error: 1.0 and 2.0 plus 1 give 1.0 and 1.0, their sum is 3e-319. int32 of 1 and 2
#   plus 1 gives 16777217 and 33554433. Such arrays come from FITS and netCDF 3.
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

for kind in (">f8", ">i4"):
    array = blosc2.asarray(np.array([1, 2], kind))
    assert array[:].tolist() == [1, 2], "changed"
    more, total = (array + 1)[:].tolist(), array.sum()
    print(f"[1, 2] as {kind}: + 1 -> {more}, sum {total}")
    if kind == ">f8":
        assert more == [1.0, 1.0] and 0 < total < 1e-300, "changed"
    else:
        assert more != [2, 3] and total != 3, "changed"
PY
echo "as recorded"
