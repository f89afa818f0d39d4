#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: scipy.io.hb_read reads the numbers that hb_write has written to Harwell-Boeing files.
# Seen: SciPy 1.17.1 writes no blank between negative float32, nor between negative float64 with
#   exponents of three digits, and the reader needs blanks: -0.5 and -0.25 in float32 become
#   "-5.0000000E-01-2.5000000E-01", which is an error. Other numbers come back.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  scipy==1.17.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from scipy.io import hb_read, hb_write
from scipy.sparse import csc_matrix


def stored(numbers):
    hb_write("matrix.hb", csc_matrix(numbers.reshape(-1, 1)))
    return hb_read("matrix.hb").toarray().ravel()


for kind, values, is_read in (
    (np.float32, [-0.5, -0.25], False),
    (np.float32, [-0.5, 0.25], True),
    (np.float64, [-0.5, -0.25], True),
    (np.float64, [-1e-200, -2e-200], False),
    (np.float64, [-1e-200, 2e-200], True),
):
    numbers = np.array(values, kind)
    try:
        assert np.array_equal(stored(numbers), numbers), "changed"
        seen = "read"
    except ValueError:
        seen = "not read"
    with open("matrix.hb") as file:
        print(kind.__name__, values, f"{seen}:", file.read().splitlines()[-1])
    assert is_read == (seen == "read"), "changed"
PY
echo "as recorded"
