#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A number that does not fit the packed integers of a store is an error when it is
#   appended.
# Seen: xarray 2026.9.0 with zarr 3.1.6 wraps it: 5000 appended to an int16 variable with a
#   scale_factor of 0.1 is -1553.6 when read. A number that is packed to the fill value (-0.1 with
#   -1) is NaN. No error, no warning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  xarray==2026.9.0 zarr==3.1.6 numcodecs==0.16.6 numpy==2.4.6 pandas==3.1.1 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import warnings

import numpy as np
import xarray

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    first = xarray.Dataset({"v": ("t", [1.0, 2.0])})
    first["v"].encoding = {"dtype": "i2", "scale_factor": 0.1, "_FillValue": -1}
    first.to_zarr("store", zarr_format=2)
    xarray.Dataset({"v": ("t", [5000.0, -0.1])}).to_zarr("store", append_dim="t")
seen = xarray.open_zarr("store")["v"].values
print("[1, 2, 5000, -0.1] ->", seen.tolist())
print("warnings:", [str(warning.message)[:60] for warning in caught])
assert np.allclose(seen, [1, 2, -1553.6, np.nan], equal_nan=True), "changed"
assert not [w for w in caught if issubclass(w.category, RuntimeWarning)], "changed"
PY
echo "as recorded"
