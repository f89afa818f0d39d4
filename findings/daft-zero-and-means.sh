#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Daft, a data frame in Rust like polars, finds -0.0 with x == 0.0, has one group of NaN,
#   and computes means that lie between the numbers.
# Seen: Daft 0.7.26: -0.0 == 0.0 is False, they do not join and make two groups; NaN makes two,
#   one for each sign. The mean of 2^64 - 1 and 1 as uint64 is 0.0, that of 2^63 - 1 and 1 as int64
#   negative; the standard deviation of 1e9 + 1, + 2, + 3 is 0. polars 2.1.0 has the other answers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  daft==0.7.26 polars==2.1.0 numpy==2.4.6 pyarrow==25.0.1 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import daft
import numpy as np
import polars as pl
import pyarrow as pa

col = daft.col
zeros = pa.table({"x": np.array([0.0, -0.0, np.nan, -np.nan])})
frame = daft.from_arrow(zeros)
equal = frame.select((col("x") == 0.0).alias("e")).to_pydict()["e"]
groups = frame.groupby("x").agg(col("x").count().alias("n")).to_pydict()["x"]
joined = frame.join(daft.from_arrow(zeros.slice(0, 1)), on="x").count_rows()
print(f"Daft: == 0.0 {equal}; groups {groups}; rows that join with 0.0: {joined}")
assert equal == [True, False, False, False], "changed"
assert len(groups) == 4 and joined == 1, "changed"
same = pl.from_arrow(zeros)
assert (same["x"] == 0.0).to_list() == [True, True, False, False], "changed"
assert same.group_by("x").len().height == 2, "changed"
assert same.join(same.head(1), on="x").height == 2, "changed"

numbers = pa.table({
    "u": pa.array([2**64 - 1, 1, None], pa.uint64()),
    "i": pa.array([2**63 - 1, 1, None], pa.int64()),
    "f": pa.array([1e9 + 1, 1e9 + 2, 1e9 + 3]),
})
frame = daft.from_arrow(numbers)
found = frame.agg(col("u").mean(), col("i").mean(), col("f").stddev()).to_pylist()[0]
print("Daft: means and standard deviation", found)
assert found == {"u": 0.0, "i": -(2.0**62), "f": 0.0}, "changed"
same = pl.from_arrow(numbers)
assert same["u"].mean() == 2.0**63 and same["i"].mean() == 2.0**62, "changed"
assert same["f"].std(ddof=0) > 0.8, "changed"
PY
echo "as recorded"
