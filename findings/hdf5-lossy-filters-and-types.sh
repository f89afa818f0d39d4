#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A lossy HDF5 filter keeps to its bound, or refuses a type that it does not know.
# Seen: hdf5plugin 7.1.0, with a bound of 0.01, no error. SPERR returns 50 for all integers from 0
#   to 100. ZFP is up to 3 off for integers. SZ3 is 1 off for float16. Big-endian floats are taken
#   for little-endian ones: ZFP returns 0 for all, SZ3 numbers of 1e156.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  hdf5plugin==7.1.0 h5py==3.16.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import h5py
import hdf5plugin
import numpy as np

numbers = np.linspace(0, 100, 256).reshape(16, 16)
filters = {
    "SPERR": hdf5plugin.Sperr(absolute=0.01),
    "ZFP": hdf5plugin.Zfp(accuracy=0.01),
    "SZ3": hdf5plugin.SZ3(absolute=0.01),
}
for name, dtype, low, high in (
    ("SPERR", "<f8", 0, 0.01),
    ("ZFP", "<f8", 0, 0.01),
    ("SZ3", "<f8", 0, 0.01),
    ("SPERR", "<i4", 50, 50),
    ("ZFP", "<i4", 1, 10),
    ("SZ3", "<i4", 0, 0),
    ("SZ3", "<f2", 0.5, 2),
    ("ZFP", ">f8", 100, 100),
    ("SZ3", ">f8", 1e100, np.inf),
):
    array = numbers.astype(dtype)
    with h5py.File("x.h5", "w") as file:
        file.create_dataset("x", data=array, chunks=array.shape, **filters[name])
    with h5py.File("x.h5") as file:
        error = np.abs(file["x"][:].astype(float) - array).max()
    print(f"{name} of {dtype}: error {error:.4g}")
    assert low <= error <= high, "changed"
PY
echo "as recorded"
