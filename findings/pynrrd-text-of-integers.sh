#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: The ASCII encoding of NRRD keeps integers, as it keeps doubles and as the other encodings
#   do.
# Seen: pynrrd 1.1.3 writes integers as doubles: 2^53 + 1 comes back as 2^53, and 2^63 - 1 as text
#   that pynrrd itself cannot read ("string or file could not be read to its end").
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pynrrd==1.1.3 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import nrrd
import numpy as np


def stored(array, encoding):
    nrrd.write("a.nrrd", array, {"encoding": encoding})
    try:
        return nrrd.read("a.nrrd")[0].tolist()
    except ValueError as error:
        return str(error)


for dtype, numbers in (
    (np.int64, [2**53 + 1, 1]),
    (np.int64, [2**63 - 1, 1]),
    (np.float64, [0.1, 5e-324]),
):
    array = np.array(numbers, dtype)
    for encoding in ("raw", "gzip", "ascii"):
        seen = stored(array, encoding)
        print(array.dtype, numbers, encoding, seen)
        if encoding == "ascii" and numbers[0] == 2**53 + 1:
            assert seen == [2**53, 1], "changed"
        elif encoding == "ascii" and numbers[0] == 2**63 - 1:
            assert "could not be read" in seen, "changed"
        else:
            assert seen == numbers, "changed"
PY
echo "as recorded"
