#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: zarr leaves out a chunk only if each of its numbers has the bits of the fill value, as it
#   does for -0.0 against 0.0; tensorstore and zarr agree on it.
# Seen: zarr 3.1.6 leaves out chunks of NaN of any sign and payload where the fill value is NaN;
#   they are read as 0x7ff8000000000000. tensorstore 0.1.86 stores them.
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

numbers = np.array([0x7FF8000000000001, 0xFFF8000000000000], np.uint64).view(np.float64)
array = zarr.create_array("zarr", shape=2, chunks=2, dtype="f8", fill_value=np.nan)
array[:] = numbers
read = {"zarr": zarr.open("zarr", mode="r")[:]}
stored = {"zarr": os.path.exists("zarr/c/0")}
spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": os.path.abspath("ts")}}
kind = tensorstore.dtype("float64")
array = tensorstore.open(spec, create=True, dtype=kind, shape=[2], fill_value=np.nan).result()
array[:] = numbers
read["tensorstore"] = tensorstore.open(spec).result().read().result()
stored["tensorstore"] = os.path.exists("ts/c/0")
seen = {name: [f"{int(x):016x}" for x in a.view(np.uint64)] for name, a in read.items()}
print(stored, seen)
assert stored == {"zarr": False, "tensorstore": True}, "changed"
assert seen["zarr"] == ["7ff8000000000000"] * 2, "changed"
assert seen["tensorstore"] == ["7ff8000000000001", "fff8000000000000"], "changed"
PY
echo "as recorded"
