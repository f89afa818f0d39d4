#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: With interpolation='lower', 'higher' or 'nearest' a quantile is one of the numbers, of a
#   group as of a Series.
# Seen: pandas 3.1.1: groupby computes in float64 and casts back: the lower median of 2^53 + 1 and
#   2^53 + 3 is 2^53, which is not among them; a Series and DuckDB 2.0.1 say 2^53 + 1, polars 2.1.0
#   answers in Float64.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pandas==3.1.1 duckdb==2.0.1 polars==2.1.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import duckdb
import numpy as np
import pandas as pd
import polars as pl

numbers = [2**53 + 1, 2**53 + 3]
table = f"(select unnest({numbers}) x)"
series = pd.Series(numbers)
grouped = series.groupby([1, 1])
seen = {
    "group": int(grouped.quantile(0.5, interpolation="lower").iloc[0]),
    "series": int(series.quantile(0.5, interpolation="lower")),
    "polars": int(pl.Series(numbers).quantile(0.5, "lower")),
    "duckdb": duckdb.execute(f"select quantile_disc(x, 0.5) from {table}").fetchall()[0][0],
}
print("lower median:", {name: f"2^53 + {x - 2**53}" for name, x in seen.items()})
assert seen.pop("group") == 2**53, "changed"
assert seen == {"series": 2**53 + 1, "polars": 2**53, "duckdb": 2**53 + 1}, "changed"
PY
echo "as recorded"
