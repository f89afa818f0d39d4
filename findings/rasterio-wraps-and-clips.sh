#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: rasterio converts floats to the integers of a raster in one way, that of GDAL, which
#   rounds and clips.
# Seen: rasterio 1.4.4 (GDAL 3.10.3) wraps and cuts when it writes: 300 is 44 in uint8, -5 is 251,
#   2.5 is 2, NaN and infinity are 0 (on x86-64). When it reads with out_dtype, or reprojects, GDAL
#   clips and rounds: 255, 0, 3, 0 and 255.
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
from rasterio.transform import from_origin
from rasterio.warp import reproject

grid = from_origin(0, 1, 1, 1)
numbers = np.array([[300, -5, 1.5, 2.5, np.nan, np.inf]], np.float32)


def stored(kind):
    shape = {"width": 6, "height": 1, "count": 1, "transform": grid, "crs": "EPSG:32633"}
    with rasterio.open("a.tif", "w", driver="GTiff", dtype=kind, **shape) as file:
        file.write(numbers, 1)
    with rasterio.open("a.tif") as file:
        return file.read(1, out_dtype="uint8").tolist()[0]


moved = np.zeros((1, 6), np.uint8)
place = {"src_transform": grid, "dst_transform": grid}
reproject(numbers, moved, src_crs="EPSG:32633", dst_crs="EPSG:32633", **place)
seen = {"written": stored("uint8"), "read": stored("float32"), "reprojected": moved.tolist()[0]}
print(numbers.tolist()[0], "as uint8:", seen)
assert seen["written"] == [44, 251, 1, 2, 0, 0], "changed"
assert seen["read"] == seen["reprojected"] == [255, 0, 2, 3, 0, 255], "changed"
PY
echo "as recorded"
