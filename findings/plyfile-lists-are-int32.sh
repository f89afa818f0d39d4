#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: plyfile takes the type of list properties from the arrays in them, or refuses what does
#   not fit the type.
# Seen: plyfile 1.1.5: lists of floats are stored as int32 by default, 1.7 as 1, 2^40 as -2^31; as
#   u1 300 is 44 and -1 is 255. A property of int64 that is no list is refused.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  plyfile==1.1.5 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from plyfile import PlyData, PlyElement

for types, numbers, expected in (
    ({}, [1.7, 2.0**40, -1.0], [1, -(2**31), -1]),
    ({"x": "u1"}, [1, 300, -1], [1, 44, 255]),
):
    rows = np.empty(1, [("x", "O")])
    rows["x"][0] = np.array(numbers)
    for text in (False, True) if types else (False,):
        PlyData([PlyElement.describe(rows, "v", val_types=types)], text=text).write("a.ply")
        seen = PlyData.read("a.ply")["v"].data["x"][0]
        print(numbers, "->", seen.dtype, seen.tolist())
        assert seen.tolist() == expected, "changed"
try:
    PlyElement.describe(np.array([(2**40,)], [("x", "i8")]), "v")
    refused = False
except ValueError:
    refused = True
assert refused, "changed"
PY
echo "as recorded"
