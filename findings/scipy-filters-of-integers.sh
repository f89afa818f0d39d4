#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: SciPy's filters compute integers in float64, as lfilter and savgol_filter do; an integral
#   of integers does not wrap.
# Seen: scipy 1.17.1 extends the ends of a signal in its own type: filtfilt and sosfiltfilt of
#   int16 from 30000 to -30000 are wrong by 16384 at the ends, right in the middle. wiener and
#   trapezoid wrap as well: the integral of 30000, 30000, 30000 of int16 is -5536 (NumPy's too).
#   simpson is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  scipy==1.17.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from scipy import integrate, signal

numbers = np.array([30000, -30000, 5000, 12000, -20000, 7, 30000, -30000], np.int16)
sections = [[0.5, 0.5, 0, 1, 0, 0]]
for name, apply, ends in (
    ("filtfilt", lambda x: signal.filtfilt([0.5, 0.5], [1], x, padlen=2), True),
    ("sosfiltfilt", lambda x: signal.sosfiltfilt(sections, x, padlen=2), True),
    ("savgol_filter", lambda x: signal.savgol_filter(x, 3, 1), False),
    ("lfilter", lambda x: signal.lfilter([0.5, 0.5], [1.0], x), False),
):
    seen, right = apply(numbers), apply(numbers.astype(float))
    wrong = np.flatnonzero(~np.isclose(seen, right)).tolist()
    print(f"{name}: first {seen[0]}, of float64 {right[0]}; places that differ: {wrong}")
    assert wrong == ([0, 7] if ends else []), "changed"
    assert not ends or abs(seen[0] - right[0]) == 16384, "changed"
seen, right = signal.wiener(numbers, 3), signal.wiener(numbers.astype(float), 3)
print("wiener:", np.round(seen[:3]), "of float64", np.round(right[:3]))
assert not np.allclose(seen, right), "changed"
constant = np.full(3, 30000, np.int16)
for name, apply, expected in (
    ("scipy's trapezoid", integrate.trapezoid, -5536),
    ("numpy's trapezoid", np.trapezoid, -5536),
    ("simpson", integrate.simpson, 60000),
):
    seen = apply(constant)
    print(f"{name} of {constant.tolist()} ->", seen)
    assert seen == expected, "changed"
PY
echo "as recorded"
