#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: kerchunk stops at a dataset with a filter that it cannot express, or names it.
# Seen: kerchunk 0.2.10 logs nothing by default and returns references without the dataset (here
#   bitshuffle's); the one beside it is there.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  kerchunk==0.2.10 h5py==3.16.0 hdf5plugin==7.1.0 zarr==3.1.6 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import h5py
import hdf5plugin
import numpy as np
from kerchunk.hdf import SingleHdf5ToZarr

with h5py.File("k.h5", "w") as file:
    data = np.arange(400.0)
    file.create_dataset("kept", data=data, chunks=data.shape, compression="gzip")
    file.create_dataset("lost", data=data, chunks=data.shape, **hdf5plugin.Bitshuffle())
references = SingleHdf5ToZarr("k.h5").translate()["refs"]
seen = sorted({key.partition("/")[0] for key in references if "/" in key})
print("datasets:", seen)
assert seen == ["kept"], "changed"
PY
echo "as recorded"
