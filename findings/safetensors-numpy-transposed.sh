#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: safetensors stores a transposed or strided NumPy array by its elements, or refuses it, as
#   it does for PyTorch.
# Seen: safetensors 0.8.0 with NumPy stores the memory under it: a transposed array comes back with
#   its shape and its numbers in another order, every second element as the first half of all. No
#   error; np.ascontiguousarray before it helps.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  safetensors==0.8.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from safetensors.numpy import load, save

rows = np.arange(6).reshape(2, 3)
for name, array, expected in (
    ("C order", rows, [[0, 1, 2], [3, 4, 5]]),
    ("transposed", rows.T, [[0, 1], [2, 3], [4, 5]]),
    ("Fortran order", np.asfortranarray(rows), [[0, 3, 1], [4, 2, 5]]),
    ("every second", np.arange(10)[::2], [0, 1, 2, 3, 4]),
    ("a copy of it", np.ascontiguousarray(np.arange(10)[::2]), [0, 2, 4, 6, 8]),
):
    seen = load(save({"x": array}))["x"].tolist()
    print(name, array.tolist(), "->", seen)
    assert seen == expected, "changed"
PY
echo "as recorded"
