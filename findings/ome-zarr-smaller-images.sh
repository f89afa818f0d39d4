#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: a smaller image of a pyramid has means of the pixels: rounded for integers, NaN where one
#   of its own pixels is NaN.
# Seen: ome-zarr 0.18.0: means of integers are cut: three ones and a zero are 0, so masks of 0 and
#   1 shrink; int64 beyond 2^53 is rounded. The default (RESIZE) smooths first: of 1, 1, NaN, NaN
#   both halves are NaN. Scaler(...).gaussian, deprecated, gives zeros for all integers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  ome-zarr==0.18.0 scikit-image==0.26.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import zarr
from ome_zarr.scale import Methods, Scaler
from ome_zarr.writer import write_image

count = 0


def half(rows, dtype, **options):
    global count
    count += 1
    group = zarr.open_group(f"{count}.zarr", mode="w")
    write_image(np.array(rows, dtype), group, axes="yx", scale_factors=[2], **options)
    return group["s1"][:].tolist()


three = [[0, 1, 1, 1], [1, 1, 1, 0]]
far = [[2**53 + 1] * 4] * 2
holes = [[1, 1, np.nan, np.nan]] * 2
for name, rows, dtype, options, expected in (
    ("default", three, "uint8", {}, [[0, 0]]),
    ("LOCAL_MEAN", three, "uint8", {"method": Methods.LOCAL_MEAN}, [[0, 0]]),
    ("LOCAL_MEAN", far, "int64", {"method": Methods.LOCAL_MEAN}, [[2**53] * 2]),
    ("NEAREST", far, "int64", {"method": Methods.NEAREST}, [[2**53 + 1] * 2]),
    ("default", holes, "float32", {}, [[np.nan, np.nan]]),
    ("LOCAL_MEAN", holes, "float32", {"method": Methods.LOCAL_MEAN}, [[1, np.nan]]),
):
    seen = half(rows, dtype, **options)
    print(f"{name}, {dtype}: {rows} ->", seen)
    assert np.array_equal(seen, expected, equal_nan=True), "changed"
for dtype, expected in (("uint8", 0), ("int16", 0), ("uint16", 0), ("float32", 200)):
    seen = Scaler(max_layer=1).gaussian(np.full((8, 8), 200, dtype))[1]
    print(f"Scaler.gaussian, {dtype}: 200 ->", np.unique(seen))
    assert np.allclose(seen, expected), "changed"
PY
echo "as recorded"
