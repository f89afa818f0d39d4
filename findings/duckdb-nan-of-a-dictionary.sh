#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A Parquet file of a float column has the bits of all numbers.
# Seen: DuckDB 2.0.1 keeps the sign and payload of three NaN. Where numbers repeat it writes a
#   dictionary that takes all NaN as one: each then has the bits of the first, here those of R's
#   missing number. pyarrow 26.0.1 and polars 2.1.0 keep them, -0.0 and 0.0 are kept apart by all.
#   A NaN of a NumPy array becomes NULL in DuckDB.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  duckdb==2.0.1 polars==2.1.0 pyarrow==26.0.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import duckdb
import numpy as np
import polars
import pyarrow as pa
import pyarrow.parquet as pq

missing = 0x7FF00000000007A2  # R's NA: a NaN with the payload 1954
bits = np.array([missing, 0x7FF8 << 48, 0xFFF8 << 48, 1 << 63, 0], np.uint64)
for repeats, by_duckdb in ((1, bits), (100, np.array([missing] * 3 + [1 << 63, 0], np.uint64))):
    doubles = np.tile(bits, repeats).view(np.float64)
    numbers = pa.table({"x": doubles})
    pq.write_table(numbers, "pyarrow.parquet")
    polars.from_arrow(numbers).write_parquet("polars.parquet")
    duckdb.sql("copy (from numbers) to 'duckdb.parquet'")
    for writer, expected in (("pyarrow", bits), ("polars", bits), ("duckdb", by_duckdb)):
        seen = pq.read_table(f"{writer}.parquet")["x"].to_numpy().view(np.uint64)
        print(f"{writer}, {repeats} times:", [f"{number:016x}" for number in seen[:5]])
        assert (seen == np.tile(expected, repeats)).all(), "changed"
nulls = duckdb.sql("select count(*) from doubles where column0 is null").fetchall()[0][0]
print("NULL of the NumPy array:", nulls, "of", np.isnan(doubles).sum(), "NaN")
assert nulls == 300, "changed"
PY
echo "as recorded"
