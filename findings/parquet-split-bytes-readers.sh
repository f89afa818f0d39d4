#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: BYTE_STREAM_SPLIT for fixed-length columns (decimals, float16, binary) is in the format
#   since 2.11 (March 2024): the large readers have it.
# Seen: pyarrow 26.0.1 writes it. polars 2.1.0 reads float16 but no decimal and no binary, DuckDB
#   2.0.1 none of the three, fastparquet 2026.9.0 not even floats; DataFusion 55.0.0 reads all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pyarrow==26.0.1 polars==2.1.0 duckdb==2.0.1 datafusion==55.0.0 fastparquet==2026.9.0 \
  numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
from decimal import Decimal

import datafusion
import duckdb
import fastparquet
import numpy as np
import polars
import pyarrow as pa
import pyarrow.parquet as pq

columns = {
    "double": pa.array([0.5, 1.5]),
    "half": pa.array(np.array([0.5, 1.5], np.float16)),
    "decimal": pa.array([Decimal("0.50"), Decimal("1.50")], pa.decimal128(20, 2)),
    "binary": pa.array([b"abcd", b"efgh"], pa.binary(4)),
}
readers = {
    "polars": lambda path: polars.read_parquet(path),
    "duckdb": lambda path: duckdb.sql(f"select * from '{path}'").fetchall(),
    "fastparquet": lambda path: fastparquet.ParquetFile(path).to_pandas(),
    "datafusion": lambda path: datafusion.SessionContext().read_parquet(path).to_pydict(),
}
seen = {reader: [] for reader in readers}
for name, column in columns.items():
    path = f"{name}.parquet"
    settings = {"use_dictionary": False, "column_encoding": {"x": "BYTE_STREAM_SPLIT"}}
    pq.write_table(pa.table({"x": column}), path, **settings)
    assert pq.read_table(path)["x"].to_pylist() == column.to_pylist()
    for reader, read in readers.items():
        try:
            read(path)
            seen[reader].append(name)
        except Exception as error:
            print(f"{reader}, {name}: {str(error)[:90]}")
print(seen)
assert seen == {
    "polars": ["double", "half"],
    "duckdb": ["double"],
    "fastparquet": [],
    "datafusion": list(columns),
}, "changed"
PY
echo "as recorded"
