#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A percentile lies between the smallest and the largest number; the 50th is the median;
#   NumPy computes it of integers in float64.
# Seen: numpy 2.4.6 subtracts the two neighbours in the type of the array, and that wraps: of -100
#   and 100 of int8 the 25th percentile is -114 and the 50th is 128, where np.median is 0; so with
#   int16, int32 and int64, and of -60000 and 60000 of float16 it is -inf. quantile and describe
#   of pandas 3.1.1 do so too. polars 2.1.0 and pyarrow 26.0.1 have -50 and 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  numpy==2.4.6 pandas==3.1.1 polars==2.1.0 pyarrow==26.0.1 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

numbers = np.array([-100, 100], np.int8)
for name, seen, expected in (
    ("np.percentile", np.percentile(numbers, [0, 25, 50, 100]).tolist(), [-100, -114, 128, 100]),
    ("np.nanquantile", np.nanquantile(numbers, [0.25, 0.5]).tolist(), [-114, 128]),
    ("np.median", [float(np.median(numbers))], [0]),
    ("pandas", pd.Series(numbers).quantile([0.25, 0.5]).tolist(), [-114, 128]),
    ("describe", pd.Series(numbers).describe()[["min", "25%", "50%", "max"]].tolist(),
     [-100, -114, 128, 100]),
    ("polars", [pl.Series(numbers).quantile(q, "linear") for q in (0.25, 0.5)], [-50, 0]),
    ("pyarrow", pc.quantile(pa.array(numbers), [0.25, 0.5]).to_pylist(), [-50, 0]),
):
    print(f"{name}: of {numbers.tolist()} ->", seen)
    assert seen == expected, "changed"
for kind, number, expected in (
    (np.int16, 30000, 2.0**15),
    (np.int32, 2**31 - 1, 2.0**31),
    (np.int64, 2**63 - 1, 2.0**63),
    (np.float16, 60000, -np.inf),
):
    seen = float(np.percentile(np.array([-number, number], kind), 50))
    print(f"-{number} and {number} of {kind.__name__}: the 50th percentile is", seen)
    assert seen == expected, "changed"
assert np.percentile(np.array([0, 255], np.uint8), 50) == 127.5, "changed"
PY
echo "as recorded"
