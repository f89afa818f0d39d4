#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: HDF5's scale-offset filter of floats refuses NaN when it writes, or keeps it; where NaN
#   stands in the chunk does not matter.
# Seen: HDF5 2.0 in h5py 3.16.0: a NaN behind the first place becomes the smallest number of its
#   chunk. With NaN in the first place the chunk is written without an error, and cannot be read
#   any more (OSError).
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


def stored(numbers):
    with h5py.File("s.h5", "w") as file:
        data = np.array(numbers, np.float32)
        file.create_dataset("x", data=data, chunks=data.shape, scaleoffset=2)
    with h5py.File("s.h5") as file:
        return file["x"][:].tolist()


nan = float("nan")
seen = stored([1.5, nan, 5.5, -3.0])
print("[1.5, nan, 5.5, -3.0] ->", seen)
assert seen == [1.5, -3.0, 5.5, -3.0], "changed"
try:
    seen = str(stored([nan, 1.5, 5.5, -3.0]))
except OSError as error:
    seen = str(error)
print("[nan, 1.5, 5.5, -3.0] ->", seen)
assert "filter returned failure during read" in seen, "changed"
PY
echo "as recorded"
