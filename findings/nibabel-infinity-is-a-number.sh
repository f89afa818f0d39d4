#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: nibabel refuses to store infinity and integers beyond int16 as int16, or clips the latter;
#   an image of whole numbers is read as whole numbers.
# Seen: nibabel 5.4.2 with set_data_dtype(int16) scales without a warning: infinity is read as the
#   largest finite number of the image (1e6 less 1e-2 of it), NaN as 0, and 1.5 beside 1e6 as 0; the
#   whole numbers 0, 1, 2, 70000 of int32 are read as 0, 1.068, 2.136, 70000, as float64.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check nibabel==5.4.2 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W error - <<'PY'
import nibabel
import numpy as np


def read_back(numbers, stored):
    image = nibabel.Nifti1Image(numbers.reshape(-1, 1, 1), np.eye(4))
    image.set_data_dtype(stored)
    nibabel.save(image, "image.nii")
    return np.asanyarray(nibabel.load("image.nii").dataobj).ravel()


floats = np.array([1.5, np.nan, np.inf, 1e6])
for stored in (np.int16, np.uint8):
    found = read_back(floats, stored)
    print("1.5, NaN, inf, 1e6 as", np.dtype(stored), "->", found)
    assert found[0] == 0 and found[1] == 0 and found[2] == found[3] < 1e6, "changed"
found = read_back(np.array([0, 1, 2, 70000], np.int32), np.int16)
print("0, 1, 2, 70000 of int32 as int16 ->", found, found.dtype)
assert found.dtype == np.float64 and 1.06 < found[1] < 1.07 and found[3] > 70000, "changed"
PY
echo "as recorded"
