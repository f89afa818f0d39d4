#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: zarr tells -0.0 from the fill value 0.0 in complex numbers as it does in real ones, whose
#   chunks of -0.0 it stores.
# Seen: zarr 3.1.6 leaves out chunks of complex numbers whose parts are -0.0 or 0.0 where the fill
#   value is 0, in both formats: all signs are read as +, and the phase of -0.0+0j, pi, becomes 0.
#   tensorstore 0.1.86 stores such chunks.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  zarr==3.1.6 tensorstore==0.1.86 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import os

import numpy as np
import tensorstore
import zarr

real = np.full(4, -0.0)
numbers = np.array([complex(-0.0, 0.0), complex(0.0, -0.0), complex(-0.0, -0.0), 0j])
print("phases written", np.angle(numbers))
for version, chunk in ((2, "0"), (3, "c/0")):
    read = {}
    for name, data in (("real", real), ("complex", numbers)):
        place = f"{name}{version}"
        array = zarr.create_array(place, shape=4, chunks=4, dtype=data.dtype, fill_value=0,
                                  zarr_format=version)
        array[:] = data
        read[name] = zarr.open_array(place, mode="r")[:]
        is_stored = os.path.exists(f"{place}/{chunk}")
        print(f"zarr format {version}, {name}: stored {is_stored}, phases", np.angle(read[name]))
        assert is_stored == (name == "real"), "changed"
    assert np.signbit(read["real"]).all(), "changed"
    assert not np.signbit(read["complex"].view(np.float64)).any(), "changed"

spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": os.path.abspath("ts")}}
kind = tensorstore.dtype("complex128")
array = tensorstore.open(spec, create=True, dtype=kind, shape=[4], fill_value=0).result()
array[:] = numbers
found = tensorstore.open(spec).result().read().result()
print("tensorstore: stored", os.path.exists("ts/c/0"), "phases", np.angle(found))
assert found.tobytes() == numbers.tobytes(), "changed"
PY
echo "as recorded"
