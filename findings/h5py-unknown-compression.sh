#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Dataset.compression of a dataset that a plug-in compressed is None or the filter's
#   number, and create_dataset_like makes a dataset with the same filters.
# Seen: h5py 3.16.0 with hdf5plugin 7.1.0: it is the string "unknown", and create_dataset_like
#   passes that on: ValueError, though filter and plug-in are there. filter_ids has the numbers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  h5py==3.16.0 hdf5plugin==7.1.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import h5py
import hdf5plugin
import numpy as np

with h5py.File("u.h5", "w") as file:
    data = np.arange(400.0)
    source = file.create_dataset("x", data=data, chunks=data.shape, **hdf5plugin.Zstd())
    print(source.compression, source.filter_ids)
    assert source.compression == "unknown" and source.filter_ids == (32015,), "changed"
    try:
        seen = str(file.create_dataset_like("y", source))
    except ValueError as error:
        seen = str(error)
print("create_dataset_like ->", seen)
assert seen == 'Compression filter "unknown" is unavailable', "changed"
PY
echo "as recorded"
