#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Dask keeps a column of pandas objects; its option makes string[pyarrow] of texts.
# Seen: Dask 2026.8.0 makes text of all objects by default, in from_pandas and from_map. Of the
#   decimals 10.00 and 9.00 the largest is 9.00, and their sum 10.009.00. Embeddings are rounded to
#   8 digits, and of an array of 2,000 numbers 6 are left, the others being "...", also in Parquet.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  'dask[dataframe]==2026.8.0' pandas==3.1.1 pyarrow==26.0.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
from decimal import Decimal

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow.parquet as pq

vectors = list(np.arange(4000, dtype=np.float32).reshape(2, 2000) / 7)
frame = pd.DataFrame({
    "d": [Decimal("10.00"), Decimal("9.00")],
    "short": [np.float32([1 / 3]), np.float32([1 / 7])],
    "v": vectors,
})
made = dd.from_pandas(frame, npartitions=1)
print("largest decimal:", made.d.max().compute(), "sum:", made.d.sum().compute())
assert made.d.max().compute() == "9.00", "changed"
assert made.d.sum().compute() == "10.009.00", "changed"
assert frame.d.max() == Decimal(10) and frame.d.sum() == Decimal(19)
short = made.short.compute()[0]
print("1/3 in float32:", repr(short), "not", repr(float(np.float32(1 / 3))))
assert short == "[0.33333334]", "changed"
made.to_parquet("parquet")
stored = pq.read_table("parquet")["v"][1].as_py()
mapped = dd.from_map(lambda _: frame, [0]).v.compute()[1]
print("2,000 numbers:", stored.replace("\n", ""))
assert stored == mapped and stored.count(".") - 3 == 6 and " ... " in stored, "changed"
with dask.config.set({"dataframe.convert-string": False}):
    kept = dd.from_pandas(frame, npartitions=1).compute()
assert kept.d.sum() == 19 and np.array_equal(kept.v[1], vectors[1])
PY
echo "as recorded"
