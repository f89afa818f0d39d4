#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: cdflib refuses numbers that the type of a CDF variable cannot hold, or rounds and clips.
# Seen: cdflib 1.3.16 writes them without a word: 300 as CDF_INT1 is 44, -5 as CDF_UINT2 65531,
#   2^40 as CDF_INT4 0. 1.7 and -0.5 as integers are 1 and 0, and 1e39 as CDF_REAL4 is infinite.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  cdflib==1.3.16 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W error::UserWarning - <<'PY'
import numpy as np
from cdflib import CDF, cdfwrite

INT1, INT4, UINT2, REAL4 = 1, 4, 12, 21


def stored(number, values, name):
    file = cdfwrite.CDF(name)
    described = {"Variable": "x", "Data_Type": number, "Num_Elements": 1, "Rec_Vary": True,
                 "Dim_Sizes": []}
    file.write_var(described, var_data=values)
    file.close()
    return CDF(name).varget("x").tolist()


for i, (kind, number, values, expected) in enumerate((
    ("CDF_INT1", INT1, [1, 300], [1, 44]),
    ("CDF_UINT2", UINT2, [1, -5], [1, 65531]),
    ("CDF_INT4", INT4, np.array([1, 2**40]), [1, 0]),
    ("CDF_INT4", INT4, np.array([1.7, -0.5]), [1, 0]),
    ("CDF_REAL4", REAL4, np.array([1.0, 1e39]), [1, float("inf")]),
)):
    with np.errstate(all="ignore"):
        seen = stored(number, values, f"file{i}.cdf")
    print(kind, list(values), "->", seen)
    assert seen == expected, "changed"
PY
echo "as recorded"
