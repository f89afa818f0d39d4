#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: ak.softmax subtracts the maximum first, and ak.linear_fit the means, as textbooks do.
# Seen: awkward 2.14.0 does neither: softmax of 1000 and 1001 is NaN and NaN (with a warning of
#   NumPy), not 0.27 and 0.73. The line through (1e9 + 1, 1), (1e9 + 2, 2), (1e9 + 3, 3) has an
#   infinite slope and intercept, not 1 and -1e9. ak.var and ak.corr of the same numbers are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  awkward==2.14.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import awkward as ak
import numpy as np

seen = ak.softmax(ak.Array([[0.0, 1.0], [1000.0, 1001.0]]), axis=-1).tolist()
print("softmax of 0, 1 and 1000, 1001:", seen)
assert np.allclose(seen[0], [0.26894142, 0.73105858]) and np.isnan(seen[1]).all(), "changed"
y = ak.Array([1.0, 2.0, 3.0])
for base, finite in ((0.0, True), (1e9, False)):
    x = y + base
    fit = ak.linear_fit(x, y)
    print(f"fit at {base:g}: slope {fit.slope}, intercept {fit.intercept}; var {ak.var(x)}")
    assert bool(np.isfinite(fit.slope)) == finite, "changed"
    assert abs(ak.var(x) - 2 / 3) < 1e-9 and abs(ak.corr(x, y) - 1) < 1e-9, "changed"
PY
echo "as recorded"
