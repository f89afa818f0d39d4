#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: netCDF's quantization leaves infinity alone as it leaves NaN alone, and BitRound rounds
#   ties to even like numcodecs' codec of this name.
# Seen: netCDF4 1.7.5.1.post1: NaN keeps its bits, but GranularBitRound turns inf into -0.0 and
#   -inf into 0.0, and BitGroom turns infinity in places with an odd index into NaN. BitRound
#   makes infinity of the largest float; 2.5 with one bit is 3 (numcodecs 0.16.6: 2).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  netCDF4==1.7.5.1.post1 numcodecs==0.16.6 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import netCDF4
import numcodecs
import numpy as np


def stored(mode, digits, numbers):
    with netCDF4.Dataset("q.nc", "w") as file:
        file.createDimension("x", len(numbers))
        variable = file.createVariable(
            "v", "f4", ("x",), significant_digits=digits, quantize_mode=mode, fill_value=False
        )
        variable[:] = np.array(numbers, np.float32)
    with netCDF4.Dataset("q.nc") as file:
        file.set_auto_maskandscale(False)
        return file["v"][:]


largest = np.finfo(np.float32).max
inf, nan = np.inf, np.nan
for mode, digits, numbers, expected in (
    ("GranularBitRound", 2, [nan, inf, -inf], "[nan, -0.0, 0.0]"),
    ("BitGroom", 2, [inf, inf, inf, inf], "[inf, nan, inf, nan]"),
    ("BitRound", 1, [nan, inf, largest, 2.5], "[nan, inf, inf, 3.0]"),
):
    seen = stored(mode, digits, numbers).tolist()
    print(mode, numbers, "->", seen)
    assert str(seen) == expected, "changed"
rounded = numcodecs.BitRound(1).encode(np.array([2.5], np.float32))
seen = np.frombuffer(rounded, np.float32)[0]
print("numcodecs BitRound 2.5 ->", seen)
assert seen == 2.0, "changed"
PY
echo "as recorded"
