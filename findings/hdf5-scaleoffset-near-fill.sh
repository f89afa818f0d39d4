#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: With two decimals (D = 2) scale-offset rounds each number to a multiple of 0.01, so 2.0
#   stays 2.0 and 0.009 becomes 0.01.
# Seen: HDF5 2.0 in h5py 3.16.0: the steps begin at the smallest number of the chunk, not at 0, so
#   2.0 beside 1.234 becomes 2.004; what is nearer than 0.01 to the fill value (0 by default)
#   becomes the fill value, so 0.009 becomes 0.
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

data = np.array([0.009, -0.009, 1.234, 2.0], np.float32)
with h5py.File("s.h5", "w") as file:
    file.create_dataset("x", data=data, chunks=data.shape, scaleoffset=2)
with h5py.File("s.h5") as file:
    seen = [round(float(x), 4) for x in file["x"][:]]
print(data.tolist(), "->", seen)
assert seen == [0.0, 0.0, 1.234, 2.004], "changed"
PY
echo "as recorded"
