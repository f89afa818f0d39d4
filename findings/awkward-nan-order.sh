#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: The maximum of numbers with NaN is the same for a list and for each of its lists; NaN
#   sorts last, as in NumPy.
# Seen: awkward 2.14.0: ak.max of a list is NaN, with axis=1 the NaN are skipped, as if they were
#   missing. ak.sort puts NaN first, np.sort last.
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

numbers = [2.0, float("nan"), 1.0]
whole = float(ak.max(ak.Array(numbers)))
rows = ak.max(ak.Array([numbers, numbers]), axis=1).to_list()
print("max:", whole, "max with axis=1:", rows)
assert np.isnan(whole) and rows == [2.0, 2.0], "changed"
ours = ak.sort(ak.Array(numbers)).to_list()
numpys = np.sort(numbers).tolist()
print("ak.sort:", ours, "np.sort:", numpys)
assert np.isnan(ours[0]) and ours[1:] == [1.0, 2.0], "changed"
assert np.isnan(numpys[2]) and numpys[:2] == [1.0, 2.0], "changed"
PY
echo "as recorded"
