#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Reading with `astype`, or writing into a dataset of a smaller type, converts as NumPy
#   does: integers that do not fit wrap.
# Seen: h5py 3.16.0 leaves it to HDF5 2.0.0, which clips without an error: 300 is 127 as int8 and
#   255 as uint8, -300 is 0 as uint8; infinity is the largest int32, NaN the smallest, as uint8 it
#   is 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  h5py==3.16.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import h5py
import numpy as np

integers = np.array([300, -300, 127], np.int32)
floats = np.array([1e10, np.inf, np.nan, -2.7])
with h5py.File("c.h5", "w") as file:
    integers_there = file.create_dataset("integers", data=integers)
    floats_there = file.create_dataset("floats", data=floats)
    narrow = file.create_dataset("narrow", 3, np.int8)
    narrow[:] = integers
    seen = {
        "int8": integers_there.astype("i1")[:].tolist(),
        "uint8": integers_there.astype("u1")[:].tolist(),
        "written to int8": narrow[:].tolist(),
        "floats as int32": floats_there.astype("i4")[:].tolist(),
        "floats as uint8": floats_there.astype("u1")[:].tolist(),
    }
for name, numbers in seen.items():
    print(name, numbers)
print("NumPy int8", integers.astype("i1").tolist())
assert seen == {
    "int8": [127, -128, 127],
    "uint8": [255, 0, 127],
    "written to int8": [127, -128, 127],
    "floats as int32": [2147483647, 2147483647, -2147483648, -2],
    "floats as uint8": [255, 255, 0, 0],
}, "changed"
assert integers.astype("i1").tolist() == [44, -44, 127], "changed"
PY
echo "as recorded"
