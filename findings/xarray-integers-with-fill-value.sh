#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: xarray reads integers with a _FillValue as integers, or as doubles if none of them is
#   lost.
# Seen: xarray 2026.9.0: int64 with a _FillValue comes back as float64, so 2^53 + 1 is 2^53, though
#   nothing is missing; netCDF4 1.7.5.1 and mask_and_scale=False keep it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  xarray==2026.9.0 netCDF4==1.7.5.1.post1 pandas==3.1.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import netCDF4
import numpy as np
import xarray as xr

keys = np.array([2**53 + 1, 5])
xr.Dataset({"key": ("x", keys)}).to_netcdf("a.nc", encoding={"key": {"_FillValue": -1}})
with xr.open_dataset("a.nc") as data:
    seen, kind = [int(x) for x in data.key.values], str(data.key.dtype)
with xr.open_dataset("a.nc", mask_and_scale=False) as data:
    plain = data.key.values.tolist()
with netCDF4.Dataset("a.nc") as data:
    other = data["key"][:].tolist()
print(f"{keys} -> xarray {seen} ({kind}), without masking {plain}, netCDF4 {other}")
assert (seen, kind) == ([2**53, 5], "float64"), "changed"
assert plain == other == keys.tolist(), "changed"
PY
echo "as recorded"
