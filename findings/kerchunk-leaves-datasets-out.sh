#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: kerchunk stops with an error at a dataset with a filter that it cannot express.
# Seen: kerchunk 0.2.10 warns ("caught and quashed") and returns references without the dataset
#   (here bitshuffle's); the one beside it is there.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  kerchunk==0.2.10 h5py==3.16.0 hdf5plugin==7.1.0 zarr==3.1.6 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python - <<'PY'
import warnings

import h5py
import hdf5plugin
import numpy as np
from kerchunk.hdf import SingleHdf5ToZarr

with h5py.File("k.h5", "w") as file:
    data = np.arange(400.0)
    file.create_dataset("kept", data=data, chunks=data.shape, compression="gzip")
    file.create_dataset("lost", data=data, chunks=data.shape, **hdf5plugin.Bitshuffle())
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    references = SingleHdf5ToZarr("k.h5").translate()["refs"]
print("warnings:", [str(w.message).splitlines()[0] for w in caught])
assert any("caught and quashed" in str(w.message) for w in caught), "changed"
seen = sorted({key.partition("/")[0] for key in references if "/" in key})
print("datasets:", seen)
assert seen == ["kept"], "changed"
PY
echo "as recorded"
