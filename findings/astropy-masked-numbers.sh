#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A table with masked numbers that is written as FITS and read again has the same values
#   under the same mask.
# Seen: astropy 8.0.2 stores a masked integer as a fixed number by type: 63 for uint8, 16959 for
#   int16, 999999 for int32 and int64. The same number elsewhere in the column comes back as
#   masked, and so does a NaN in a column of floats. A masked boolean comes back as True.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  astropy==8.0.2 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from astropy.table import MaskedColumn, Table


def masked(values):
    return MaskedColumn(values, mask=[True] + [False] * (len(values) - 1))


columns = {
    "uint8": masked(np.array([1, 63, 64], np.uint8)),
    "int16": masked(np.array([1, 16959, 16960], np.int16)),
    "int32": masked(np.array([1, 999999, 1000000], np.int32)),
    "int64": masked(np.array([1, 999999, 1000000], np.int64)),
    "float64": masked(np.array([1, np.nan, 2])),
    "bool": masked(np.array([True, False, True])),
}
Table(columns).write("t.fits")
read = Table.read("t.fits")
for name, column in columns.items():
    mask = np.ma.getmaskarray(read[name]).tolist()
    print(f"{name}: mask {column.mask.tolist()} -> {mask}")
    assert column.mask.tolist() == [True, False, False], "changed"
    assert mask == ([False] * 3 if name == "bool" else [True, True, False]), "changed"
assert read["bool"].tolist() == [True, False, True], "changed"
PY
echo "as recorded"
