#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Where ArcticDB with dynamic_schema appends rows without a column, its numbers are missing
#   there: NaN, null or NA, as pandas has them.
# Seen: arcticdb 6.28.2 returns 0 for integers and False for booleans; only floats are NaN. Floats
#   appended to an integer column make all of it float64: 2^53 + 1 comes back as 2^53. In
#   expressions 2^64 - 1 of uint64 plus -1 is -2.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  arcticdb==6.28.2 numpy==2.4.6 pandas==2.3.3 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import arcticdb
import numpy as np
import pandas as pd

options = arcticdb.LibraryOptions(dynamic_schema=True)
store = arcticdb.Arctic("lmdb://store").create_library("a", library_options=options)
first = pd.date_range("2020-01-01", periods=2, freq="D")
later = pd.date_range("2020-02-01", periods=1, freq="D")
frame = pd.DataFrame({"n": [1, 2], "flag": [True, True], "x": [0.5, 0.5]}, index=first)
store.write("missing", frame)
store.append("missing", pd.DataFrame({"other": [7]}, index=later))
found = store.read("missing").data
print(found)
assert found["n"].tolist() == [1, 2, 0] and found["n"].dtype == np.int64, "changed"
assert found["flag"].tolist() == [True, True, False], "changed"
assert found["other"].tolist() == [0, 0, 7] and np.isnan(found["x"].iloc[2]), "changed"

store.write("widened", pd.DataFrame({"n": [2**53 + 1, 2]}, index=first))
store.append("widened", pd.DataFrame({"n": [0.5]}, index=later))
found = store.read("widened").data["n"]
print(2**53 + 1, "->", found.tolist())
assert found.dtype == np.float64 and found.iloc[0] == 2**53, "changed"

unsigned = np.array([2**64 - 1, 1], np.uint64)
store.write("sum", pd.DataFrame({"u": unsigned, "i": [-1, 1]}, index=first))
query = arcticdb.QueryBuilder()
query = query.apply("sum", query["u"] + query["i"])
found = store.read("sum", query_builder=query).data["sum"]
print("2^64 - 1 and -1 ->", found.tolist(), found.dtype)
assert found.tolist() == [-2, 2] and found.dtype == np.int64, "changed"
PY
echo "as recorded"
