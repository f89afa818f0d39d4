#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: MS-Numpress' linear encoding, with the fixed point that it calls optimal, is right to a
#   known precision for any doubles, or raises an error.
# Seen: pynumpress 0.1.5: -5, 5, -3 come back as 33, 5, -41; 0, 1e10, 5 as three NaN; one number
#   alone cannot be decoded. slof makes 0 of negative numbers. Sorted positive numbers, as masses
#   are, come back.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pynumpress==0.1.5 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import pynumpress


def linear(numbers):
    data = np.array(numbers, float)
    return pynumpress.decode_linear(
        pynumpress.encode_linear(data, pynumpress.optimal_linear_fixed_point(data))
    )


def slof(numbers):
    data = np.array(numbers, float)
    return pynumpress.decode_slof(
        pynumpress.encode_slof(data, pynumpress.optimal_slof_fixed_point(data))
    )


nan = float("nan")
for encode, numbers, expected in (
    (linear, [100, 200.0005, 300.1], [100, 200.0005, 300.1]),
    (linear, [-5, 5, -3], [33, 5, -41]),
    (linear, [0, 1e10, 5], [nan, nan, nan]),
    (slof, [100, 200.0005, 300.1], [100, 200.0005, 300.1]),
    (slof, [-5, 5, -3], [0, 5, 0]),
):
    seen = np.asarray(encode(numbers))
    print(f"{encode.__name__}: {numbers} -> {seen.tolist()}")
    assert np.allclose(seen, expected, rtol=1e-4, atol=0, equal_nan=True), "changed"
try:
    linear([5.0])
except ValueError as error:
    print("one number:", error)
else:
    raise AssertionError("changed")
PY
echo "as recorded"
