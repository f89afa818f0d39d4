#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: LERC without an allowed error keeps NaN, as every other number.
# Seen: imagecodecs 2026.3.6 and tifffile 2026.3.3 return 0 for NaN: it lies in LERC's mask, which
#   they leave out when they decode. This holds for a GeoTIFF of GDAL 3.10.3 (rasterio 1.4.4),
#   too, which GDAL itself reads with NaN. Infinity and -0.0 stay.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  imagecodecs==2026.3.6 tifffile==2026.3.3 rasterio==1.4.4 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import imagecodecs
import numpy as np
import rasterio
import tifffile

image = np.linspace(0.5, 1, 256, dtype=np.float32).reshape(16, 16)
image[0, :3] = [np.nan, np.inf, -0.0]
with rasterio.open(
    "gdal.tif", "w", "GTiff", 16, 16, 1, dtype="float32", compress="lerc"
) as file:
    file.write(image, 1)
with rasterio.open("gdal.tif") as file:
    by_gdal = file.read(1)
tifffile.imwrite("own.tif", image, compression="lerc")
for name, seen, expected in (
    ("imagecodecs", imagecodecs.lerc_decode(imagecodecs.lerc_encode(image, level=0)), 0.0),
    ("tifffile of its own file", tifffile.imread("own.tif"), 0.0),
    ("tifffile of GDAL's file", tifffile.imread("gdal.tif"), 0.0),
    ("GDAL of GDAL's file", by_gdal, np.nan),
):
    print(f"{name}: {image[0, :3]} ->", seen[0, :3])
    assert np.array_equal(seen[0, 0], expected, equal_nan=True), "changed"
    assert seen.tobytes()[4:] == image.tobytes()[4:], "changed"
PY
echo "as recorded"
