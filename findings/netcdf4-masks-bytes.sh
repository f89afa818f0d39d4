#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Only numbers that were never written, or equal a declared fill value, are masked. xarray
#   and netCDF4 see the same numbers in a file.
# Seen: netCDF4 1.7.5.1.post1 masks 255 of each uint8 variable and -127 of each int8 variable, the
#   default fill values of netCDF, also where no fill value is declared and the number was
#   written. xarray 2026.9.0 returns the numbers, and for cells never written of a float variable
#   9.969e36, which netCDF4 masks.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  netCDF4==1.7.5.1.post1 xarray==2026.9.0 numpy==2.4.6 pandas==3.1.1 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import netCDF4
import numpy as np
import xarray

with netCDF4.Dataset("x.nc", "w") as file:
    file.createDimension("n", 3)
    file.createVariable("u1", "u1", ("n",))[:] = np.array([0, 254, 255], np.uint8)
    file.createVariable("i1", "i1", ("n",))[:] = np.array([-128, -127, 127], np.int8)
    file.createVariable("f4", "f4", ("n",))[:1] = 1
with netCDF4.Dataset("x.nc") as file:
    masks = {name: np.ma.getmaskarray(file[name][:]).tolist() for name in file.variables}
with xarray.open_dataset("x.nc", engine="netcdf4") as file:
    numbers = {name: file[name].values.tolist() for name in file}
for name, mask in masks.items():
    print(f"{name}: netCDF4 mask {mask}, xarray {numbers[name]}")
assert masks["u1"] == [False, False, True], "changed"
assert masks["i1"] == [False, True, False], "changed"
assert masks["f4"] == [False, True, True], "changed"
assert numbers["u1"] == [0, 254, 255] and numbers["i1"] == [-128, -127, 127], "changed"
assert numbers["f4"] == [1, 9.969209968386869e36, 9.969209968386869e36], "changed"
PY
echo "as recorded"
