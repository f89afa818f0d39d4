#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: arro3 casts as pyarrow does: a number that does not fit the type is refused, and so is
#   1.5 as an integer; a sum of int8 is int64.
# Seen: arro3 0.9.1: what does not fit is null, without a message: 300 as int8, 2^63 as int64, NaN
#   as int32, 2^40 as decimal(5, 2), the text "1.5" as int64; 1.7 is 1. A sum of int8 is int8, 100
#   + 100 is -56. 1 ns before 1970 is 1970-01-01 00:00:00 in seconds, and 1969-12-31 as a date.
#   The maximum of 1 and NaN is NaN, or 1 if NaN has the sign bit.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  arro3-core==0.9.1 arro3-compute==0.9.1 pyarrow==26.0.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import arro3.compute
import arro3.core
import numpy as np
import pyarrow as pa
from arro3.core import DataType


def cast(array, kind):
    return pa.array(arro3.core.Array.from_arrow(array).cast(kind)).cast(pa.string()).to_pylist()


before_1970 = pa.array([-1], pa.timestamp("ns"))
for array, arro3_kind, kind, expected in (
    (pa.array([300, 1]), DataType.int8(), pa.int8(), [None, "1"]),
    (pa.array([1.7, np.nan, 1e30]), DataType.int32(), pa.int32(), ["1", None, None]),
    (pa.array([2**63], pa.uint64()), DataType.int64(), pa.int64(), [None]),
    (pa.array(["1.5", "2"]), DataType.int64(), pa.int64(), [None, "2"]),
    (pa.array([2**40, 7]), DataType.decimal128(5, 2), pa.decimal128(5, 2), [None, "7.00"]),
    (before_1970, DataType.timestamp("s"), pa.timestamp("s"), ["1970-01-01 00:00:00"]),
    (before_1970, DataType.date32(), None, ["1969-12-31"]),
):
    seen = cast(array, arro3_kind)
    print(array.cast(pa.string()).to_pylist(), f"as {arro3_kind} -> {seen}".replace("\n", ""))
    assert seen == expected, "changed"
    if kind is not None:
        try:
            array.cast(kind)
            refused = False
        except pa.ArrowException:
            refused = True
        assert refused, "changed: pyarrow"


def reduced(function, array):
    return pa.scalar(function(arro3.core.Array.from_arrow(array)).as_py()).as_py()


seen = reduced(arro3.compute.sum, pa.array([100, 100], pa.int8()))
print("100 + 100 of int8 ->", seen)
assert seen == -56, "changed"
for nan, isnan in ((np.nan, True), (-np.nan, False)):
    seen = reduced(arro3.compute.max, pa.array(np.array([nan, 1.0])))
    print("the maximum of", "-NaN" if np.signbit(nan) else "NaN", "and 1 ->", seen)
    assert np.isnan(seen) == isnan, "changed"
PY
echo "as recorded"
