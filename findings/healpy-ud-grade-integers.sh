#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: ud_grade of healpy, which makes a map of HEALPix coarser by means of four pixels, gives
#   the means also for maps of integers, as floats or rounded.
# Seen: healpy 1.20.1 computes sums and means in the type of the map: four pixels of 100 in int8
#   are -28, of 2^30 in int32 are 0, and 0, 1, 1, 1 is 0. NaN is not the marker for missing pixels
#   (UNSEEN) and spoils its coarse pixel.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  healpy==1.20.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import healpy
import numpy as np

FINE, COARSE = 2, 1  # 48 and 12 pixels
size = healpy.nside2npix(FINE)


def coarse(numbers):
    return healpy.ud_grade(numbers, COARSE, order_in="NESTED")


for numbers, expected in (
    (np.full(size, 100, np.int8), -28),
    (np.full(size, 2**30, np.int32), 0),
    (np.tile([0, 1, 1, 1], size // 4), 0),
    (np.tile([0.0, 1, 1, 1], size // 4), 0.75),
):
    found = coarse(numbers)
    print(numbers.dtype, numbers[:4].tolist(), "->", found[0], found.dtype)
    assert found.dtype == numbers.dtype and (found == expected).all(), "changed"
holes = np.tile([1.0, 1, 1, healpy.UNSEEN], size // 4)
assert (coarse(holes) == 1).all(), "changed"
holes[3] = np.nan
found = coarse(holes)
print("UNSEEN", found[1], "NaN", found[0])
assert np.isnan(found[0]) and (found[1:] == 1).all(), "changed"
PY
echo "as recorded"
