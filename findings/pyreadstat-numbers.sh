#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Integers that a statistics format cannot hold are refused, as Stata's are.
# Seen: pyreadstat 1.3.7 rounds 2^53 + 1 to 2^53 in SPSS, SAS transport and Stata files without a
#   word. In SAS transport 1e80 becomes infinity, 1e-80 and -0.0 become 0. In SPSS the smallest
#   and the largest float64 become NaN. Only int32 2147483621 in Stata raises.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pyreadstat==1.3.7 pandas==3.1.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import pandas
import pyreadstat


def stored(numbers, form):
    write = getattr(pyreadstat, "write_" + form)
    read = getattr(pyreadstat, "read_" + form)
    write(pandas.DataFrame({"x": numbers}), "x." + form)
    return read("x." + form)[0]["x"].tolist()


largest = np.finfo(float).max
for form, numbers, expected in (
    ("sav", np.array([2**53 + 1]), [2.0**53]),
    ("xport", np.array([2**53 + 1]), [2.0**53]),
    ("dta", np.array([2**53 + 1]), [2.0**53]),
    ("xport", np.array([1e80, 1e-80, -0.0, 0.1]), [np.inf, 0, 0, 0.1]),
    ("sav", np.array([1e80, 1e-80, largest, -largest]), [1e80, 1e-80, np.nan, np.nan]),
):
    seen = stored(numbers, form)
    print(f"{form}: {numbers.tolist()} -> {seen}")
    assert np.array_equal(seen, expected, equal_nan=True), "changed"
try:
    seen = str(stored(np.array([2147483621], np.int32), "dta"))
except pyreadstat.ReadstatError as error:
    seen = str(error)
print("dta: 2147483621 ->", seen)
assert "outside the range" in seen, "changed"
PY
echo "as recorded"
