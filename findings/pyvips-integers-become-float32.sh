#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Arithmetic of images of 32-bit integers is exact, or in doubles.
# Seen: pyvips 3.2.0 (libvips 8.18) makes float32 images of int32 and uint32 ones: 16777217 * 1 is
#   16777216, so is 16777217 + 0, and 2^31 - 1 plus 1 is 2^31. Two integer images are added as
#   integers, where 2^31 - 1 plus 1 is -2^31.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pyvips-binary==8.18.7 pyvips==3.2.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import pyvips


def image(*numbers, kind=np.int32):
    return pyvips.Image.new_from_array(np.array([numbers], kind))


for name, result, expected in (
    ("* 1", image(16777217) * 1, (16777216, "float")),
    ("+ 0", image(16777217) + 0, (16777216, "float")),
    ("uint32 + 0", image(16777217, kind=np.uint32) + 0, (16777216, "float")),
    ("+ image of 0", image(16777217) + image(0), (16777217, "int")),
    ("2^31 - 1 + image of 1", image(2**31 - 1) + image(1), (-(2**31), "int")),
    ("double * 1", image(16777217, kind=np.float64) * 1, (16777217, "double")),
):
    seen = int(result.numpy().ravel()[0]), result.format
    print(f"{name}: {seen}")
    assert seen == expected, "changed"
PY
echo "as recorded"
