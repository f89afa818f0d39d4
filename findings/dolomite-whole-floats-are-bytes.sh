#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: dolomite keeps the type of an array of floats: [200.0, 100.0] comes back as floats.
# Seen: dolomite_matrix 0.4.1 (dolomite_base 0.5.2): floats that are whole come back as the
#   smallest integers that hold them: 200.0 and 100.0 are uint8, their sum is 44, and -0.0 is 0;
#   with one 0.5 among them they are float64. Integers from 2^31 on are refused.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  dolomite-base==0.5.2 dolomite-matrix==0.4.1 delayedarray==0.6.2 hdf5array==0.5.0 \
  biocutils==0.5.0 h5py==3.16.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import shutil

import dolomite_base
import dolomite_matrix  # noqa: F401, for arrays
import numpy as np


def round_trip(numbers):
    shutil.rmtree("a", ignore_errors=True)
    dolomite_base.save_object(numbers, "a")
    return np.asarray(dolomite_base.read_object("a"))


for numbers, kind in (
    ([200.0, 100.0], np.uint8),
    ([-3.0, 1000.0], np.int16),
    ([200.0, 0.5], np.float64),
):
    seen = round_trip(np.array(numbers))
    print(numbers, "->", seen.dtype, seen.tolist())
    assert seen.dtype == kind and seen.tolist() == numbers, "changed"
seen = round_trip(np.array([200.0, 100.0]))
print("their sum ->", seen[0] + seen[1])
assert (seen + seen[::-1]).tolist() == [44, 44], "changed"
assert not np.signbit(round_trip(np.array([-0.0, 1.0]))[0]), "changed"
try:
    round_trip(np.array([2**31, 1]))
    refused = False
except RuntimeError:
    refused = True
assert refused, "changed"
PY
echo "as recorded"
