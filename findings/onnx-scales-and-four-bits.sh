#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: make_tensor refuses integers that do not fit int4, as it does for int8, and its scales
#   (float8e8m0) are those of ml_dtypes.
# Seen: onnx 1.23.2 wraps: 100 and -9 are 4 and 7 in INT4, 16 is 0 in UINT4; INT8 and UINT8 raise
#   OverflowError. FLOAT8E8M0 rounds up and drops the sign: 1.01 is 2, -2 is 2, 0 is 5.9e-39;
#   ml_dtypes 0.6.0 rounds to the nearest and makes NaN of 0 and -2.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  onnx==1.23.2 ml_dtypes==0.6.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import ml_dtypes
import numpy as np
from onnx import TensorProto, helper, numpy_helper


def stored(kind, numbers):
    tensor = helper.make_tensor("t", getattr(TensorProto, kind), [len(numbers)], numbers)
    return numpy_helper.to_array(tensor).astype(float).tolist()


for kind, numbers, expected in (
    ("INT4", [100, -9, 7], [4, 7, 7]),
    ("UINT4", [16, -1, 15], [0, 15, 15]),
):
    seen = stored(kind, numbers)
    print(f"{kind}: {numbers} -> {seen}")
    assert seen == expected, "changed"
for kind in ("INT8", "UINT8"):
    try:
        stored(kind, [300, 1])
    except OverflowError as error:
        print(f"{kind}, 300:", error)
    else:
        raise AssertionError("changed")
numbers = [1.0, 1.01, 1.6, -2.0, 0.0]
seen = stored("FLOAT8E8M0", numbers)
other = np.array(numbers, np.float32).astype(ml_dtypes.float8_e8m0fnu).astype(float)
print(f"E8M0: {numbers} -> onnx {seen}, ml_dtypes {other.tolist()}")
assert seen == [1.0, 2.0, 2.0, 2.0, 2.0**-127], "changed"
assert other[:3].tolist() == [1.0, 1.0, 2.0] and np.isnan(other[3:]).all(), "changed"
PY
echo "as recorded"
