#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: The filter TRUNC_PREC shortens floats; it is refused for integers, and keeps NaN a NaN.
# Seen: blosc2 4.14.1 cuts int32 as if the bits were those of a float32: -1 becomes -524288, 7
#   becomes 0; only arrays of 8 numbers or fewer stay. The NaN 0x7f800001 becomes infinity. No
#   error, no warning; float16 is refused.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  blosc2==4.14.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import blosc2
import numpy as np

settings = {"filters": [blosc2.Filter.TRUNC_PREC], "filters_meta": [4]}


def stored(numbers):
    return blosc2.asarray(numbers, cparams=settings)[:]


for count, expected in ((8, [-1, 7]), (256, [-524288, 0])):
    seen = stored(np.array([-1, 7] * (count // 2), np.int32))[:2].tolist()
    print(f"{count} numbers of int32, [-1, 7, ...] ->", seen)
    assert seen == expected, "changed"
nan = np.full(256, 0x7F800001, np.uint32).view(np.float32)
print("nan 7f800001 ->", stored(nan)[0])
assert np.isinf(stored(nan)).all(), "changed"
try:
    stored(np.ones(256, np.float16))
    seen = "stored"
except RuntimeError as error:
    seen = str(error)
print("float16 ->", seen)
assert seen == "Error while creating the NDArray", "changed"
PY
echo "as recorded"
