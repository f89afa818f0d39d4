#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A query condition of TileDB compares an integer with 1.5 as NumPy does, or refuses it, as
#   it does 300 for int8; `in [0.0]` finds what `== 0.0` finds, and `not (x > 1.0)` what `x <=
#   1.0` or its complement finds.
# Seen: tiledb 0.36.1 cuts the literal to the type of the attribute: `x == 1.5` finds 1, `x < 1.5`
#   does not find 1, `x > -0.5` does not find 0. `x == 0.0` finds -0.0, `x in [0.0, 3.0]` does
#   not. NaN is found by `x != 1.0`, not by `not (x > 1.0)`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  tiledb==0.36.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import shutil

import numpy as np
import tiledb


def found(numbers, condition):
    shutil.rmtree("a", ignore_errors=True)
    place = tiledb.Dim("i", domain=(0, len(numbers) - 1), tile=len(numbers), dtype=np.int64)
    attribute = tiledb.Attr("x", dtype=numbers.dtype)
    schema = tiledb.ArraySchema(tiledb.Domain(place), [attribute], sparse=True)
    tiledb.Array.create("a", schema)
    with tiledb.open("a", "w") as array:
        array[np.arange(len(numbers))] = numbers
    with tiledb.open("a") as array:
        seen = array.query(cond=condition)[:]["x"]
    print(f"{numbers.dtype}: {condition} ->", seen.tolist())
    return repr(seen.tolist())


numbers = np.arange(-2, 3)
assert found(numbers, "x == 1.5") == "[1]", "changed"
assert found(numbers, "x < 1.5") == "[-2, -1, 0]", "changed"
assert found(numbers, "x > -0.5") == "[1, 2]", "changed"
assert found(numbers, "x != 1.5") == "[-2, -1, 0, 2]", "changed"
assert found(np.array([0, 1, 2], np.uint8), "x == 0.5") == "[0]", "changed"
try:
    found(np.array([-5, 5], np.int8), "x < 300")
    refused = False
except tiledb.TileDBError:
    refused = True
assert refused, "changed"
numbers = np.array([1.0, np.nan, 0.0, -0.0, 3.0])
assert found(numbers, "x == 0.0") == "[0.0, -0.0]", "changed"
assert found(numbers, "x in [0.0, 3.0]") == "[0.0, 3.0]", "changed"
assert found(numbers, "x not in [0.0]") == "[1.0, nan, -0.0, 3.0]", "changed"
assert found(numbers, "x != 1.0") == "[nan, 0.0, -0.0, 3.0]", "changed"
assert found(numbers, "not (x > 1.0)") == "[1.0, 0.0, -0.0]", "changed"
PY
echo "as recorded"
