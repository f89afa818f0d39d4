#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: netCDF4-python, which packs floats that are written to a variable with scale_factor,
#   stores NaN as _FillValue, as xarray does.
# Seen: netCDF4 1.7.5 stores 0 in 16 bits, so that NaN and infinity come back as add_offset, and
#   -2147483648 in 32 bits, also with _FillValue; 1e6 in tenths wraps to -2700.8. Masked elements
#   become the fill value.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  netCDF4==1.7.5 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import netCDF4
import numpy as np

numbers = np.array([0.1, np.nan, np.inf, 1e6])
with netCDF4.Dataset("packed.nc", "w") as file:
    file.createDimension("x", numbers.size)
    for kind, expected, filled in (
        ("i2", [0.1, 0, 0, -2700.8], [0.1, None, None, -2700.8]),
        ("i4", [0.1, -214748364.8, -214748364.8, 1e6], [0.1, None, None, 1e6]),
    ):
        variable = file.createVariable(kind, kind, ("x",), fill_value=-9999)
        variable.scale_factor = 0.1
        variable[:] = numbers
        found = variable[:]
        print(kind, numbers.tolist(), "->", found.tolist())
        assert not np.ma.getmaskarray(found).any(), "changed"
        assert np.allclose(found, expected), "changed"
        variable[:] = np.ma.masked_invalid(numbers)
        found = variable[:].tolist()
        print(kind, "masked ->", found)
        assert [x is None for x in found] == [x is None for x in filled], "changed"
PY
echo "as recorded"
