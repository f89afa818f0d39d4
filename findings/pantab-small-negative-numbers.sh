#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: pantab keeps decimals; nanoseconds are cut to the microsecond before.
# Seen: pantab 5.3.0: -0.01 is refused ("invalid character in numeric string"), -0.5 and 0.01 are
#   kept. Nanoseconds are cut towards 1970: -1 and -999 are 1970-01-01 00:00:00. uint8 and uint16
#   are refused, uint32 is kept.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pantab==5.3.0 pyarrow==26.0.1 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import decimal

import pantab
import pyarrow as pa


def round_trip(array):
    pantab.frame_to_hyper(pa.table({"x": array}), "a.hyper", table="t")
    return pantab.frame_from_hyper("a.hyper", table="t", return_type="pyarrow").column(0)


for text, kept in (("0.01", True), ("-0.5", True), ("-1.01", True), ("-0.01", False)):
    array = pa.array([decimal.Decimal(text)])
    try:
        seen = round_trip(array).to_pylist() == array.to_pylist()
    except RuntimeError as error:
        seen = False
        print(text, "->", str(error).splitlines()[0])
    assert seen == kept, "changed"
seen = round_trip(pa.array([1, -1, -999, -1001], pa.timestamp("ns"))).cast(pa.int64()).to_pylist()
print("1, -1, -999, -1001 ns in microseconds ->", seen)
assert seen == [0, 0, 0, -1], "changed"
for kind, kept in ((pa.uint8(), False), (pa.uint16(), False), (pa.uint32(), True)):
    try:
        seen = round_trip(pa.array([7], kind)).to_pylist() == [7]
    except ValueError:
        seen = False
    print(kind, "kept" if seen else "refused")
    assert seen == kept, "changed"
PY
echo "as recorded"
