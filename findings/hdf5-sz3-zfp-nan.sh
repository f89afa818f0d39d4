#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: The HDF5 filter SZ3 treats NaN as the SZ3 library does: it keeps it. The ZFP filter
#   refuses NaN, which zfp's lossy modes cannot store.
# Seen: hdf5plugin 7.1.0: one NaN in a chunk comes back as a finite number, -2147484.25 from SZ3
#   (absolute bound 1e-3) and about -2 from ZFP (accuracy 1e-3), without an error. pysz 1.1.0, the
#   library alone, returns NaN.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  h5py==3.16.0 hdf5plugin==7.1.0 pysz==1.1.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import h5py
import hdf5plugin
import numpy as np
from pysz import sz, szConfig, szErrorBoundMode

grid = np.sin(np.arange(4096, dtype=np.float32) / 50).reshape(64, 64)
grid[3, 3] = np.nan
for name, choice in (
    ("SZ3", hdf5plugin.SZ3(absolute=1e-3)),
    ("ZFP", hdf5plugin.Zfp(accuracy=1e-3)),
):
    with h5py.File("grid.h5", "w") as file:
        file.create_dataset("x", data=grid, chunks=grid.shape, **choice)
    with h5py.File("grid.h5") as file:
        seen = file["x"][3, 3]
    print("nan by the filter", name, "->", seen)
    assert np.isfinite(seen) and seen < -1.9, "changed"
config = szConfig()
config.errorBoundMode, config.absErrorBound = szErrorBoundMode.ABS, 1e-3
back, _ = sz.decompress(sz.compress(grid, config)[0], grid.dtype, grid.shape)
print("nan by pysz ->", back[3, 3])
assert np.isnan(back[3, 3]), "changed"
PY
echo "as recorded"
