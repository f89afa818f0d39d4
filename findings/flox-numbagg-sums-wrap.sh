#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: installing numbagg makes grouped sums of xarray faster and changes no result; a sum of type
#   int64 does not wrap at 16 bits.
# Seen: xarray 2026.9.0 with flox 0.11.2: if numbagg 0.9.6 is installed, groupby().sum(skipna=True)
#   of int16, int8 and int32 adds in the type of the numbers and returns it as int64: 30000 + 30000
#   is -5536. Without skipna=True, and by other engines, it is 60000. prod() wraps likewise, and
#   flox's nanvar of int16 by this engine is 1073741824 where it is 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  xarray==2026.9.0 flox==0.11.2 numpy-groupies==0.16.0 numpy==2.4.6 || exit 2
cat >"$folder/sums.py" <<'PY'
import sys

import flox
import numpy as np
import xarray as xr

groups = np.array([0, 0, 1, 1])
found = []
for kind, number in (("int8", 100), ("int16", 30000), ("int32", 2**31 - 1)):
    numbers = np.array([number, number, 1, 2], kind)
    array = xr.DataArray(numbers, dims="t", coords={"g": ("t", groups)}).groupby("g")
    plain, skipping = array.sum(), array.sum(skipna=True)
    print(kind, "sum", plain.values, "skipna=True", skipping.values, skipping.dtype,
          "prod", array.prod(skipna=True).values)
    assert plain.values[0] == 2 * number and skipping.dtype == np.int64, "changed"
    found.append(int(skipping.values[0]))
    other = array.sum(skipna=True, engine="numpy")
    assert other.values[0] == 2 * number, "changed"
if sys.argv[1] == "with":
    variance = flox.groupby_reduce(np.array([30000, 30000], np.int16), np.array([0, 0]),
                                   func="nanvar", engine="numbagg")[0]
    print("variance of two equal numbers", variance)
    assert variance[0] == 2.0**30, "changed"
    assert found == [-56, -5536, -2], "changed"
else:
    assert found == [200, 60000, 2**32 - 2], "changed"
PY
cd "$folder"
echo "without numbagg"
env/bin/python -W ignore sums.py without
env/bin/pip install -q --disable-pip-version-check numbagg==0.9.6 numba || exit 2
echo "with numbagg"
env/bin/python -W ignore sums.py with
echo "as recorded"
