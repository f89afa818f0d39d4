#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: An array that is made smaller and then larger again has the fill value in the new rows, as
#   in HDF5.
# Seen: zarr 3.1.6 (both formats), tensorstore 0.1.86 (zarr, zarr3, n5) and Blosc2 4.14.1 return
#   the numbers that were cut off, where they share a chunk with numbers that stayed; h5py 3.16.0
#   returns the fill value.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  zarr==3.1.6 tensorstore==0.1.86 blosc2==4.14.1 h5py==3.16.0 numcodecs==0.16.6 \
  numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import blosc2
import h5py
import numpy as np
import tensorstore
import zarr

numbers = np.arange(1, 11, dtype=np.int32)
seen = {}
for version in (2, 3):
    settings = {"chunks": (4,), "dtype": "i4", "fill_value": -1, "zarr_format": version}
    array = zarr.create_array({}, shape=(10,), **settings)
    array[:] = numbers
    array.resize((5,))
    array.resize((10,))
    seen[f"zarr, format {version}"] = array[:].tolist()
for driver in ("zarr", "zarr3", "n5"):
    store = tensorstore.open(
        {"driver": driver, "kvstore": "memory://"},
        create=True,
        dtype=tensorstore.int32,
        shape=[10],
        chunk_layout=tensorstore.ChunkLayout(chunk_shape=[4]),
        fill_value=None if driver == "n5" else -1,
    ).result()
    store[:] = numbers
    for rows in (5, 10):
        store = store.resize(exclusive_max=[rows]).result()
    seen[f"tensorstore, {driver}"] = store.read().result().tolist()
array = blosc2.asarray(numbers, chunks=(4,), blocks=(4,))
array.resize((5,))
array.resize((10,))
seen["Blosc2"] = array[:].tolist()
with h5py.File("a.h5", "w") as file:
    data = file.create_dataset("x", data=numbers, chunks=(4,), maxshape=(None,), fillvalue=-1)
    data.resize((5,))
    data.resize((10,))
    seen["h5py"] = data[:].tolist()
for name, rows in seen.items():
    print(f"1 to 10 in chunks of 4, resized to 5 and back, {name}: {rows}")
    if name == "h5py":
        assert rows == [1, 2, 3, 4, 5, -1, -1, -1, -1, -1], "changed"
    else:
        fill = 0 if name in ("tensorstore, n5", "Blosc2") else -1
        assert rows == [1, 2, 3, 4, 5, 6, 7, 8, fill, fill], "changed"
PY
echo "as recorded"
