#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: np.sort puts NaN last, np.unique counts equal NaN once: documented for floats, so for
#   bfloat16 too.
# Seen: ml_dtypes 0.6.0 with numpy 2.4.6: a NaN splits the array in two runs that are not merged:
#   [2, nan, 1] comes back as it was, and np.unique leaves both NaN, in front of 1.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  ml_dtypes==0.6.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import ml_dtypes
import numpy as np

for kind, sorted_, unique in (
    (np.float16, "[1.0, 2.0, nan]", "[1.0, nan]"),
    (ml_dtypes.bfloat16, "[2.0, nan, 1.0]", "[nan, nan, 1.0]"),
):
    seen = str(np.sort(np.array([2, np.nan, 1], kind)).astype(float).tolist())
    print(f"sort of [2, nan, 1] as {kind.__name__} -> {seen}")
    assert seen == sorted_, "changed"
    seen = str(np.unique(np.array([np.nan, np.nan, 1], kind)).astype(float).tolist())
    print(f"unique of [nan, nan, 1] as {kind.__name__} -> {seen}")
    assert seen == unique, "changed"
PY
echo "as recorded"
