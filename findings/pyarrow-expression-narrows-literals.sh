#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: a filter compares a column of int64 with 1.5 as pyarrow.compute does: by doubles.
# Seen: pyarrow 26.0.1 makes a float of 32 bits of a literal in an expression, where that is exact,
#   and converts the integers to it, or fails: x > 1.5 refuses a column that holds 2^24 + 1, also in
#   a filter of a Parquet file. x > 0.1, which no such float is, compares by doubles and finds the
#   row. pyarrow.compute.greater(x, 1.5) finds it, too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check pyarrow==26.0.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset
import pyarrow.parquet

table = pa.table({"x": pa.array([5, 2**24 + 1], pa.int64())})
pa.parquet.write_table(table, "x.parquet")
x = pc.field("x")


def rows(call):
    try:
        return call()
    except pa.ArrowInvalid as error:
        return str(error)


seen = {
    "x > 1.5": rows(lambda: table.filter(x > 1.5).num_rows),
    "x > 1.5, Parquet": rows(
        lambda: pa.dataset.dataset("x.parquet").to_table(filter=x > 1.5).num_rows
    ),
    "x > 0.1": rows(lambda: table.filter(x > 0.1).num_rows),
    "greater(x, 1.5)": rows(lambda: pc.sum(pc.greater(table["x"], 1.5)).as_py()),
    "x > 1.5, 2^24": rows(lambda: pa.table({"x": [5, 2**24]}).filter(x > 1.5).num_rows),
}
for name, found in seen.items():
    print(f"{name}: {found}")
refused = "Integer value 16777217 not in range: -16777216 to 16777216"
assert seen == {
    "x > 1.5": refused,
    "x > 1.5, Parquet": refused,
    "x > 0.1": 2,
    "greater(x, 1.5)": 2,
    "x > 1.5, 2^24": 2,
}, "changed"
PY
echo "as recorded"
