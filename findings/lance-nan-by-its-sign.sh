#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: a filter of Lance compares NaN as IEEE 754 or SQL engines do: it is in no range, or above
#   all numbers whatever its sign bit is; an index changes no result.
# Seen: pylance 14.0.2 orders NaN by its sign bit: `x < 0` and `x < -1e308` find NaN with the sign
#   bit, which 0/0 makes on x86, `x > 1e308` those without it, and `x < 0 OR x >= 0` finds all. With
#   an index of type ZONEMAP `x < -1e308` does not find them. NumPy finds none, and DuckDB 1.5.0
#   counts both as above all numbers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pylance==14.0.2 pyarrow==26.0.0 duckdb==1.5.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import shutil

import duckdb
import lance
import numpy as np
import pyarrow as pa

nan = np.array([0x7FF8000000000000, 0xFFF8000000000000], np.uint64).view(np.float64)
x = np.concatenate([nan, nan[1:], [-1.0, 0.0, 1.0]])  # one NaN, two with the sign bit
print("sign bit of 0/0:", bool(np.signbit(np.zeros(1) / np.zeros(1))[0]))
table = pa.table({"x": x})
filters = ("x < 0", "x < -1e308", "x > 1e308", "x < 0 OR x >= 0")
for index in (None, "BTREE", "ZONEMAP"):
    shutil.rmtree("x.lance", ignore_errors=True)
    data = lance.write_dataset(table, "x.lance")
    if index:
        data.create_scalar_index("x", index)
        data = lance.dataset("x.lance")
    counts = [data.count_rows(filter=text) for text in filters]
    print("lance, index", index, dict(zip(filters, counts)))
    assert counts == [3, 0 if index == "ZONEMAP" else 2, 1, 6], "changed"
print("numpy", int((x < 0).sum()), int((x < -1e308).sum()), int((x > 1e308).sum()))
connection = duckdb.connect()
connection.register("numbers", table)
connection.execute("CREATE TABLE own AS SELECT * FROM numbers")
counts = [connection.execute(f"SELECT count(*) FROM own WHERE {text}").fetchone()[0]
          for text in filters]
print("duckdb", dict(zip(filters, counts)))
assert counts == [1, 0, 3, 6], "changed"
PY
echo "as recorded"
