#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Whether bottleneck is installed changes the speed of xarray's rolling means and sums, not
#   their numbers beyond the last bits.
# Seen: xarray 2026.9.0: one infinity makes every later window NaN, and after one 1e17 windows of
#   (1, 1) have the sum 0, with bottleneck 1.6.0; without it, 2. The same of pandas 3.1.1 and
#   polars 2.1.0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  xarray==2026.9.0 bottleneck==1.6.0 pandas==3.1.1 polars==2.1.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import pandas
import polars
import xarray

for large, with_it in ((1e17, 0), (np.inf, np.nan)):
    numbers = [1.0, large, 1.0, 1.0, 1.0]
    array = xarray.DataArray(numbers, dims="x")
    seen = {}
    for use in (True, False):
        with xarray.set_options(use_bottleneck=use):
            seen[f"xarray, bottleneck={use}"] = float(array.rolling(x=2).sum()[-1])
    seen["pandas"] = pandas.Series(numbers).rolling(2).sum().iloc[-1]
    seen["polars"] = polars.Series(numbers).rolling_sum(2)[-1]
    print("sum of the last two of", numbers, seen)
    assert np.array_equal(list(seen.values()), [with_it, 2, 2, 2], equal_nan=True), "changed"
PY
echo "as recorded"
