#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: safetensors.numpy loads what safetensors.numpy saved, or refuses to save it.
# Seen: safetensors 0.8.0 saves bfloat16 and float8 arrays of ml_dtypes, and its load then raises
#   KeyError 'BF16' or 'F8_E4M3', although ml_dtypes is imported.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  safetensors==0.8.0 ml_dtypes==0.6.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import ml_dtypes
import numpy as np
from safetensors.numpy import load, save

for kind, name in ((ml_dtypes.bfloat16, "BF16"), (ml_dtypes.float8_e4m3fn, "F8_E4M3")):
    data = save({"x": np.ones(4, kind)})
    try:
        seen = str(load(data))
    except KeyError as error:
        seen = f"KeyError {error}"
    print(f"{kind.__name__}: {len(data)} bytes saved, load -> {seen}")
    assert seen == f"KeyError '{name}'", "changed"
PY
echo "as recorded"
