#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: The sum of 20 million ones in float32 is 20 million: libraries sum in float64 or by pairs,
#   as NumPy does.
# Seen: numexpr 2.14.2 stops at 16777216. So does awkward 2.14.0 over a list of an array (axis=-1),
#   while ak.sum of the flat array is right, and pyarrow 26.0.1 in cumulative_sum, while its sum is
#   right. Blosc2 4.14.1, polars 2.1.0 and DuckDB 2.0.1 are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  awkward==2.14.0 numexpr==2.14.2 pyarrow==26.0.1 blosc2==4.14.1 polars==2.1.0 \
  duckdb==2.0.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import awkward as ak
import blosc2
import duckdb
import numexpr
import numpy as np
import polars
import pyarrow as pa
import pyarrow.compute as pc

count = 20_000_000
ones = np.ones(count, np.float32)
numbers = pa.table({"x": ones})
lists = ak.unflatten(ones, [count])
sums = {
    "NumPy": ones.sum(),
    "awkward, flat": ak.sum(ak.Array(ones)),
    "Blosc2": blosc2.asarray(ones).sum(),
    "polars": polars.Series(ones).sum(),
    "polars, running": polars.Series(ones).cum_sum()[-1],
    "pyarrow": pc.sum(numbers["x"]).as_py(),
    "DuckDB": duckdb.sql("select sum(x) from numbers").fetchall()[0][0],
    "numexpr": float(numexpr.evaluate("sum(ones)")),
    "awkward, axis=-1": ak.sum(lists, axis=-1)[0],
    "pyarrow, running": pc.cumulative_sum(numbers["x"])[-1].as_py(),
}
for name, number in sums.items():
    print(f"{name}: {number:.0f}")
assert [float(number) for number in sums.values()] == [count] * 7 + [2**24] * 3, "changed"
PY
echo "as recorded"
