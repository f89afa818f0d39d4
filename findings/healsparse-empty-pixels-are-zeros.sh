#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: healsparse leaves pixels without numbers missing when a map is degraded; 0 is a number in
#   a map of bytes; what does not fit after map + 10000 is refused or of a larger type.
# Seen: healsparse 1.15.0: with reduction="sum" a pixel of which nothing was seen, next to others,
#   is 0, with "prod" 1, both valid; with "mean" it is missing. In maps of unsigned integers 0 is
#   missing. map + 10000 of int16 wraps: 30000 is -25536, and 22768 is missing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  healsparse==1.15.0 astropy==8.0.2 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import healsparse
import numpy as np


def make(kind, numbers):
    sky = healsparse.HealSparseMap.make_empty(32, 128, kind)
    sky.update_values_pix(np.arange(len(numbers)), np.array(numbers, kind))
    return sky


sky = make(np.float64, [2.0, 3.0, 4.0, 5.0])
for reduction, first, second in (("mean", 3.5, None), ("sum", 14, 0), ("prod", 120, 1)):
    small = sky.degrade(64, reduction=reduction)
    valid = set(small.valid_pixels.tolist())
    print(f"{reduction}: seen {small[0]}, next to it {small[1]}, {len(valid)} valid pixels")
    assert small[0] == first and (1 in valid) == (second is not None), "changed"
    assert second is None or small[1] == second, "changed"
for kind, valid in ((np.uint8, [1, 2]), (np.uint64, [1, 2]), (np.int16, [0, 1, 2])):
    seen = make(kind, [0, 7, 1]).valid_pixels.tolist()
    print(f"0, 7, 1 of {kind.__name__}: valid are", seen)
    assert seen == valid, "changed"
sky = make(np.int16, [30000, 22768, 5]) + 10000
print("30000, 22768, 5 of int16, plus 10000 ->", sky[np.arange(3)], sky.valid_pixels)
assert sky[np.arange(3)].tolist() == [40000 - 2**16, -(2**15), 10005], "changed"
assert sky.valid_pixels.tolist() == [0, 2], "changed"
PY
echo "as recorded"
