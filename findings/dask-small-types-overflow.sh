#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A Dask array gives the mean, the average and the arange of NumPy, in other chunks.
# Seen: Dask 2026.8.0: the mean of float16 is taken in float16, so that of 5000 times 20 is
#   infinite, where NumPy says 20. average of int8 with weights of int8 is 0.16, where NumPy says
#   100, as the products wrap. arange(0, 5, 0.5) as integers depends on the chunks.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  dask==2026.8.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import dask.array as da
import numpy as np

half = np.full(5000, 20, np.float16)
byte = np.full(4, 100, np.int8)
for name, seen, numpy, expected in (
    ("mean", da.from_array(half, chunks=1000).mean(), half.mean(), (float("inf"), 20.0)),
    (
        "average",
        da.average(da.from_array(byte, chunks=2), weights=da.from_array(byte, chunks=2)),
        np.average(byte, weights=byte),
        (0.16, 100.0),
    ),
):
    pair = float(seen.compute()), float(numpy)
    print(f"{name}: Dask {pair[0]}, NumPy {pair[1]}")
    assert pair == expected, "changed"
seen = [da.arange(0, 5, 0.5, dtype="i4", chunks=n).compute().tolist() for n in (3, 10)]
numpy = np.arange(0, 5, 0.5, dtype="i4").tolist()
print("arange(0, 5, 0.5) of int32, chunks of 3 and 10:", seen, "NumPy:", numpy)
assert seen == [[0, 0, 0, 1, 2, 3, 3, 3, 3, 4], [0] * 10] and numpy == [0] * 10, "changed"
PY
echo "as recorded"
