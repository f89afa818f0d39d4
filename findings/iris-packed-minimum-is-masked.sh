#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: a packed cube comes back within half a step of the scale; what was masked stays masked, and
#   nothing else. A NaN is masked, or spoils itself only.
# Seen: scitools-iris 3.14.1: with packing="i1", "i2" or "i4" the minimum of a cube with masked
#   numbers is stored as -(2^(n-1) - 1), which is also netCDF's default fill value, and so comes
#   back masked. Of a cube without masked numbers that happens to what is a step above the
#   minimum. Unsigned types keep the minimum of masked cubes, and lose the maximum of others. One
#   NaN or infinity makes all NaN. With a scale of one's own, 300 as i1 is 44.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  scitools-iris==3.14.1 netCDF4==1.7.5.1.post1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import iris
import iris.cube
import numpy as np

count = 0


def round_trip(numbers, packing):
    global count
    count += 1
    iris.save(iris.cube.Cube(numbers, var_name="a"), f"{count}.nc", packing=packing)
    return iris.load_cube(f"{count}.nc").data


masked = np.ma.masked_equal([1.0, 7, 3, 1000], 7)
for packing, mask in (
    ("i1", [1, 1, 0, 0]), ("i2", [1, 1, 0, 0]), ("i4", [1, 1, 0, 0]),
    ("u1", [0, 1, 0, 0]), ("u2", [0, 1, 0, 0]), ("u4", [0, 1, 0, 0]),
):
    seen = round_trip(masked, packing)
    print(f"{packing}: {masked} -> {seen}")
    assert np.ma.getmaskarray(seen).astype(int).tolist() == mask, "changed"
steps = np.linspace(0, 1, 2**16)
for packing, place in (("i2", 1), ("u2", 2**16 - 1)):
    seen = np.flatnonzero(np.ma.getmaskarray(round_trip(steps, packing))).tolist()
    print(f"{packing}: of 65536 numbers that are a step apart, masked: {seen}")
    assert seen == [place], "changed"
for wrong in (np.nan, np.inf):
    seen = round_trip(np.array([1.0, wrong, 3, 1000]), "i2")
    print(f"i2, one is {wrong}:", seen)
    assert np.isnan(seen).all(), "changed"
seen = round_trip(np.array([1, 2, 300]), {"dtype": "i1", "scale_factor": 1})
print("i1, scale 1: [1 2 300] ->", seen)
assert seen.tolist() == [1, 2, 44], "changed"
PY
echo "as recorded"
