#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: EBCC, "error bounded climate compressor", with residual="absolute" keeps its bound, or
#   refuses an array for which it cannot.
# Seen: numcodecs-wasm-ebcc 0.3.0 (EBCC 0.1.4): a line in the log, "could not reach error target",
#   is all: with a bound of 0.001 a random walk of 32 x 32 numbers is off by 0.33; one 1e6 in a
#   smooth field makes its neighbours 15 off where 0.01 is asked for. NaN is refused.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  numcodecs-wasm-ebcc==0.3.0 numcodecs-wasm==0.2.5 numcodecs==0.16.6 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from numcodecs_wasm_ebcc import Ebcc


def round_trip(numbers, bound):
    codec = Ebcc(residual="absolute", base_cr=30.0, error=bound)
    return np.asarray(codec.decode(codec.encode(numbers))).reshape(numbers.shape)


rng = np.random.default_rng(0)
walk = np.cumsum(rng.normal(size=(32, 32)), 1).astype(np.float32)
x = np.arange(64, dtype=np.float32) / 20
smooth = np.sin(x)[:, None] + np.cos(x)
peak = smooth.copy()
peak[3, 3] = 1e6
for name, numbers, bound, least in (
    ("smooth", smooth, 0.01, 0),
    ("random walk", walk, 0.001, 0.1),
    ("smooth with one 1e6", peak, 0.01, 5),
):
    error = np.abs(round_trip(numbers, bound) - numbers)
    error = np.delete(error.ravel(), 3 * numbers.shape[1] + 3).max()
    print(f"{name}: bound {bound}, largest error {error:.4g}")
    assert error > least if least else error <= bound, "changed"
numbers = smooth.copy()
numbers[3, 3] = np.nan
try:
    round_trip(numbers, 0.01)
    refused = False
except Exception:  # noqa: BLE001, the codec raises Exception itself
    refused = True
assert refused, "changed"
PY
echo "as recorded"
