#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: The mask of a raster has exactly the numbers that equal its nodata value.
# Seen: GDAL 3.10.3 (rasterio 1.4.4) rounds it to a double for int64: with 2^53 + 1 it masks 2^53,
#   and 2^53 + 1 stays. In float64 what is near is masked, too: -9998.9999999 with -9999. In
#   float32, with the common -3.4028235e38, all numbers below about -1e32 are.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  rasterio==1.4.4 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import rasterio

lowest = float(np.finfo(np.float32).min)
for dtype, nodata, numbers, mask in (
    ("int64", 2**53 + 1, [2**53, 2**53 + 1, 2**53 + 2], [True, False, False]),
    ("int64", 2**53 + 2, [2**53, 2**53 + 1, 2**53 + 2], [False, False, True]),
    ("float64", -9999, [-9999, -9998.9999999, -9998.99], [True, True, False]),
    ("float32", -9999, [-9999, -9998.99, -9998], [True, False, False]),
    ("float32", lowest, [lowest, -1e33, -1e30], [True, True, False]),
):
    with rasterio.open(
        "x.tif", "w", "GTiff", 3, 1, 1, dtype=dtype, nodata=nodata
    ) as file:
        file.write(np.array([numbers], dtype), 1)
    with rasterio.open("x.tif") as file:
        seen = np.ma.getmaskarray(file.read(1, masked=True))[0].tolist()
    print(f"{dtype}, nodata {nodata}: {numbers} masked {seen}")
    assert seen == mask, "changed"
PY
echo "as recorded"
