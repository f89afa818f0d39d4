#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: pyfive reads what h5py writes with gzip: parts that were never written as the fill value,
#   booleans as booleans.
# Seen: pyfive 1.3.0 raises KeyError for a dataset with a chunk that was never written, and
#   returns booleans as int8.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pyfive==1.3.0 h5py==3.16.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import h5py
import numpy as np
import pyfive

with h5py.File("p.h5", "w") as file:
    sparse = file.create_dataset("sparse", shape=10, chunks=5, dtype="f4", compression="gzip")
    sparse[:5] = 1
    file.create_dataset("flags", data=np.array([True, False]))
with h5py.File("p.h5") as file:
    assert file["sparse"][:].sum() == 5 and file["flags"].dtype == bool
file = pyfive.File("p.h5")
try:
    seen = str(file["sparse"][:])
except KeyError as error:
    seen = f"KeyError {error}"
print("sparse ->", seen)
assert seen == "KeyError (5,)", "changed"
print("flags ->", file["flags"].dtype)
assert file["flags"].dtype == np.int8, "changed"
PY
echo "as recorded"
