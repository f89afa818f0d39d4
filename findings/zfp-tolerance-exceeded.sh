#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: The tolerance of zfp is an absolute bound of the error: with tolerance 1e-3 no number is
#   off by more, whatever its neighbours are.
# Seen: zfpy 1.0.1: a block of 4^d numbers shares an exponent. Beside 1e30 the numbers 1, 2, 3
#   come back as 0, an error of 3, without an error or a warning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  zfpy==1.0.1.post0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import zfpy

numbers = np.array([1e30, 1.0, 2.0, 3.0])
back = zfpy.decompress_numpy(zfpy.compress_numpy(numbers, tolerance=1e-3))
print(numbers.tolist(), "with tolerance 1e-3 ->", back.tolist())
assert back.tolist() == [1e30, 0.0, 0.0, 0.0], "changed"
PY
echo "as recorded"
