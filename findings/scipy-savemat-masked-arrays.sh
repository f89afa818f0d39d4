#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: savemat refuses a masked array, or stores NaN where it is masked.
# Seen: SciPy 1.17.1: with format 5 masked elements are the fill value, 999999 for integers and
#   1e20 for floats; with format 4 they are the numbers under the mask. The mask is not stored, and
#   nothing warns.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  scipy==1.17.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from scipy.io import loadmat, savemat

for numbers, expected in (([1, 2], [1, 999999]), ([1.5, 2.5], [1.5, 1e20])):
    for form in ("5", "4"):
        masked = np.ma.array(numbers, mask=[False, True])
        savemat("a.mat", {"a": masked}, format=form)
        seen = loadmat("a.mat")["a"][0].tolist()
        print(f"{masked}, format {form} -> {seen}")
        assert seen == (expected if form == "5" else numbers), "changed"
PY
echo "as recorded"
