#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A reader that lacks Parquet's type FLOAT16 refuses the column.
# Seen: fastparquet 2026.9.0 returns the two bytes of each number as a bytes object, without a
#   warning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pyarrow==26.0.1 fastparquet==2026.9.0 pandas==3.1.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import fastparquet
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

pq.write_table(pa.table({"x": pa.array(np.array([1, 2], np.float16))}), "half.parquet")
seen = fastparquet.ParquetFile("half.parquet").to_pandas()["x"].tolist()
print("[1, 2] as float16 ->", seen)
assert seen == [b"\x00<", b"\x00@"], "changed"
PY
echo "as recorded"
