#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: DISCARD_LSB rounds floats to fewer bits: the largest float, which many rasters have as
#   nodata, stays or becomes infinite; what equals the nodata value stays.
# Seen: GDAL 3.10.3 (rasterio 1.4.4): where rounding would overflow, -9998.999 is stored, of
#   float64 too. With nodata=-1 it is -0.99999994; with the largest float as nodata, the negative
#   one becomes nodata. Where nodata is -9999, -9998.5 is -9984.
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


def stored(numbers, dtype="float32", bits=12, **settings):
    array = np.array([[numbers]], dtype)
    shape = {"width": len(numbers), "height": 1, "count": 1, "dtype": dtype}
    settings |= shape | {"compress": "deflate", "discard_lsb": bits}
    with rasterio.open("a.tif", "w", driver="GTiff", **settings) as file:
        file.write(array)
    with rasterio.open("a.tif") as file:
        return file.read()[0, 0].tolist()


assert rasterio.__gdal_version__ == "3.10.3", "changed"
largest = float(np.finfo(np.float32).max)
for numbers, settings, expected in (
    ([largest, -largest, 2.5], {}, [-9998.999, -9998.999, 2.5]),
    ([1.7976931348623157e308, 2.5], {"dtype": "float64"}, [-9998.999, 2.5]),
    ([largest, -largest, 2.5], {"nodata": -1}, [-1, -1, 2.5]),
    ([largest, -largest, 2.5], {"nodata": largest}, [largest, largest, 2.5]),
    ([-9999, -9998.5], {"nodata": -9999, "bits": 16}, [-9999, -9984]),
    ([65535, 4095], {"dtype": "uint16", "bits": 4}, [65520, 4096]),
):
    seen = stored(numbers, **settings)
    print(settings, numbers, "->", seen)
    assert np.allclose(seen, expected, rtol=1e-6), "changed"
PY
echo "as recorded"
