#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A given quantum bounds the error of each number, a given precision keeps that many
#   digits.
# Seen: flacarray 0.4.1, no error: with one 1e9 in a float32 array and a quantum of 0.001 all
#   other numbers come back near 5e8 (in float64 the bound holds). A constant 0.1 with a precision
#   of 5 digits comes back as -0.00256. One infinity turns the whole array to NaN; NaN is refused.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  flacarray==0.4.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from flacarray import FlacArray


def stored(numbers, **settings):
    return FlacArray.from_array(numbers, **settings).to_array()


numbers = np.random.default_rng(0).normal(size=1000)
numbers[5] = 1e9
for dtype, low, high in ((np.float64, 0, 0.001), (np.float32, 1e8, 1e9)):
    array = numbers.astype(dtype)
    error = np.abs(np.delete(stored(array, quanta=0.001) - array, 5)).max()
    print(f"{np.dtype(dtype)} with one 1e9, quanta=0.001: error of the others {error:.3g}")
    assert low <= error <= high, "changed"
seen = stored(np.full(1000, 0.1), precision=5)
print("0.1, precision=5 ->", seen[0])
assert np.allclose(seen, -0.00256), "changed"
numbers[5] = np.inf
seen = stored(numbers, precision=5)
print("with one infinity ->", seen[:3])
assert np.isnan(seen).all(), "changed"
numbers[5] = np.nan
try:
    seen = str(stored(numbers, precision=5))
except RuntimeError as error:
    seen = str(error)
print("with one NaN ->", seen)
assert "NaN" in seen, "changed"
PY
echo "as recorded"
