#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: An encoder of imagecodecs that accepts a big-endian array stores its numbers.
# Seen: imagecodecs 2026.3.6: tiff_encode, jpeg2k_encode and htj2k_encode take the bytes of >u2 for
#   little-endian ones: 1 comes back as 256. Others, as png_encode, refuse such arrays. tifffile
#   2026.3.3 writes them right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  imagecodecs==2026.3.6 tifffile==2026.3.3 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import imagecodecs
import numpy as np
import tifffile

grid = np.full((64, 64), 1, ">u2")
for name, settings, expected in (
    ("tiff", {}, 256),
    ("jpeg2k", {"reversible": True, "level": 0}, 256),
    ("htj2k", {}, 256),
):
    data = getattr(imagecodecs, f"{name}_encode")(grid, **settings)
    back = getattr(imagecodecs, f"{name}_decode")(data)
    print(f"{name}: 1 of {grid.dtype} -> {back[0, 0]} of {back.dtype}")
    assert (back == expected).all(), "changed"
try:
    imagecodecs.png_encode(grid)
except ValueError as error:
    print("png:", error)
else:
    raise AssertionError("changed")
tifffile.imwrite("a.tif", grid)
assert (tifffile.imread("a.tif") == 1).all(), "changed"
PY
echo "as recorded"
