#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Matrix Market files by SciPy hold floats as real numbers, exactly.
# Seen: scipy 1.17.1: mmwrite stores big-endian float64 (as astropy reads from FITS) and float16 as
#   integers: 1.5, 0.25, -0.7 become 1, 0, 0, with no error. float32 comes back as the double
#   nearest to its decimal text, another number.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  scipy==1.17.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import io

import numpy as np
from scipy.io import mmread, mmwrite

numbers = [[1.5, 0.25, -0.7]]
for dtype, kind in (("<f8", "real"), ("<f4", "real"), (">f8", "integer"), ("<f2", "integer")):
    array = np.array(numbers, dtype)
    file = io.BytesIO()
    mmwrite(file, array)
    file.seek(0)
    seen = mmread(file)
    print(dtype, array.tolist(), "->", seen.tolist(), seen.dtype)
    assert kind in file.getvalue().decode().split("\n")[0], "changed"
    if kind == "integer":
        assert seen.tolist() == [[1, 0, 0]], "changed"
    else:
        assert seen.tolist() == numbers, "changed"
        assert (seen == array).all() == (dtype == "<f8"), "changed"
PY
echo "as recorded"
