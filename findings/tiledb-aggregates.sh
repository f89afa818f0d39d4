#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Aggregates that TileDB computes while it reads (Query.agg) are those of NumPy: sums wrap
#   or are exact, the minimum of an array with NaN is NaN or that of the other numbers.
# Seen: tiledb 0.36.1: the minimum of 1, NaN, 7, 3 in tiles of two is 3, the 1 is lost; with NaN
#   in the first place it is 1, in the last place NaN. A sum of int64 that does not fit is 2^63 - 1,
#   and the mean of 2^63 - 1, 1, 1, 1 is 1.7976931348623157e308.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  tiledb==0.36.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import math
import shutil

import numpy as np
import tiledb


def aggregates(numbers):
    shutil.rmtree("array", ignore_errors=True)
    domain = tiledb.Domain(tiledb.Dim("i", domain=(0, numbers.size - 1), tile=2, dtype=np.int32))
    attribute = tiledb.Attr("x", dtype=numbers.dtype)
    tiledb.Array.create("array", tiledb.ArraySchema(domain, attrs=[attribute]))
    with tiledb.open("array", "w") as array:
        array[:] = numbers
    with tiledb.open("array") as array:
        found = array.query(attrs=["x"]).agg({"x": ["sum", "min", "max", "mean"]})[:]
    print(numbers.tolist(), "->", dict(found))
    return found


nan = math.nan
assert aggregates(np.array([1, nan, 7, 3]))["min"] == 3, "changed"
assert aggregates(np.array([nan, 1, 7, 3]))["min"] == 1, "changed"
last = aggregates(np.array([1, 7, 3, nan]))
assert math.isnan(last["min"]) and math.isnan(last["max"]), "changed"
large = aggregates(np.array([2**63 - 1, 1, 1, 1]))
assert large["sum"] == 2**63 - 1 and large["mean"] == np.finfo(np.float64).max, "changed"
small = aggregates(np.array([100] * 4, np.int8))
assert small["sum"] == 400 and small["mean"] == 100, "changed"
PY
echo "as recorded"
