#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: What R's files cannot hold, 64-bit integers above all, is refused when a data frame is
#   written; times keep parts of a second.
# Seen: pyreadr 0.5.8 writes datetime64 as text in whole seconds: 59.5 is 59. It rounds int64
#   beyond 2^53. rdata 1.1.0 refuses int64 beyond 32 bits, but stores 0 for 2^40 in pandas'
#   nullable Int64. In both the int32 -2^31 is R's missing number.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pyreadr==0.5.8 rdata==1.1.0 pandas==2.3.3 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import pandas as pd
import pyreadr
import rdata


def by_pyreadr(values):
    pyreadr.write_rds("a.rds", pd.DataFrame({"x": values}))
    return pyreadr.read_r("a.rds")[None]["x"].tolist()


def by_rdata(values):
    rdata.write_rds("b.rds", pd.DataFrame({"x": values}))
    return rdata.read_rds("b.rds")["x"].tolist()


times = pd.to_datetime(["1969-12-31 23:59:59.5", "2020-01-01 00:00:00.999"], format="mixed")
seen = by_pyreadr(times)
print("pyreadr, times:", seen)
assert seen == ["1969-12-31 23:59:59", "2020-01-01 00:00:00"], "changed"
seen = by_pyreadr(np.array([2**53 + 1, 1]))
print("pyreadr, 2^53 + 1:", seen)
assert seen == [2.0**53, 1.0], "changed"
seen = by_rdata(pd.array([2**40, None, 2**32 + 5], dtype="Int64"))
print("rdata, 2^40, missing, 2^32 + 5:", seen)
assert (seen[0], seen[2]) == (0, 5) and pd.isna(seen[1]), "changed"
try:
    by_rdata(np.array([2**40, 1]))
except ValueError as error:
    print("rdata, 2^40 in int64:", error)
else:
    raise AssertionError("changed")
least = np.array([-(2**31), 1], np.int32)
assert pd.isna(by_pyreadr(least)[0]) and pd.isna(by_rdata(least)[0]), "changed"
PY
echo "as recorded"
