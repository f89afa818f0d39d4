#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A cast of NaN to a float type that has no NaN gives the largest number or raises; the
#   casts to types with NaN saturate or overflow alike.
# Seen: ml_dtypes 0.6.0: NaN becomes -0.0 in float4_e2m1fn and float6_e2m3fn, while infinity
#   saturates to 6 and 7.5. In float8_e4m3fn 464 is 448 and 465 is NaN; in float8_e5m2 1e6 is
#   infinity; -0.0 becomes NaN in float8_e8m0fnu.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  ml_dtypes==0.6.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import ml_dtypes as types
import numpy as np


def cast(value, name):
    return str(np.float32(value).astype(getattr(types, name)).astype(np.float32))


for value, name, expected in (
    (np.nan, "float4_e2m1fn", "-0.0"),
    (np.nan, "float6_e2m3fn", "-0.0"),
    (np.inf, "float4_e2m1fn", "6.0"),
    (np.inf, "float6_e2m3fn", "7.5"),
    (464, "float8_e4m3fn", "448.0"),
    (465, "float8_e4m3fn", "nan"),
    (1e6, "float8_e5m2", "inf"),
    (-0.0, "float8_e8m0fnu", "nan"),
):
    seen = cast(value, name)
    print(f"{value} as {name} -> {seen}")
    assert seen == expected, "changed"
PY
echo "as recorded"
