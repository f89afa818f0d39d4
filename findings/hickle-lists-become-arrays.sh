#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: hickle, "a HDF5 based clone of pickle", gives lists and tuples back as they were.
# Seen: hickle 5.0.3 stores a list of numbers as one array and makes a list of NumPy scalars of
#   it: [2**53 + 1, 0.5] comes back as [9007199254740992.0, 0.5], [True, 2] as [1, 2], (1, 2.0) as
#   (1.0, 2.0). A single number beyond 64 bits is exact; in a list it is refused.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  hickle==5.0.3 numpy==2.4.6 h5py==3.16.0 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import hickle
import numpy as np


def stored(value):
    hickle.dump(value, "x.hkl", mode="w")
    found = hickle.load("x.hkl")
    print(repr(value), "->", repr(found))
    return found


found = stored([2**53 + 1, 0.5])
assert found == [float(2**53), 0.5] and type(found[0]) is np.float64, "changed"
found = stored([True, 2])
assert found == [1, 2] and type(found[0]) is np.int64, "changed"
found = stored((1, 2.0))
assert isinstance(found, tuple) and type(found[0]) is np.float64, "changed"
assert stored([1, None]) == [1, None], "changed"  # not numbers only: kept as it is
assert stored(2**70) == 2**70, "changed"
try:
    stored([2**70, 1])
except OverflowError as error:
    print("OverflowError:", error)
else:
    raise AssertionError("changed")
PY
echo "as recorded"
