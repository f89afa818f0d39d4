#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: numpy's mean of a bfloat16 array is computed wider than bfloat16, as that of a float16
#   array is: the mean of 1000 ones is 1.
# Seen: ml_dtypes 0.6.0 with numpy 2.4.6: the sum stops at 256, so the mean of 1000 ones is
#   0.2559. For float16 numpy answers 1.
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

for kind, expected in ((np.float16, 1.0), (ml_dtypes.bfloat16, 0.255859375)):
    seen = float(np.ones(1000, kind).mean())
    print(f"mean of 1000 ones as {kind.__name__} -> {seen}")
    assert seen == expected, "changed"
PY
echo "as recorded"
