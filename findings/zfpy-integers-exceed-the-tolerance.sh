#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: zfpy keeps integers to the tolerance given, or refuses it, and a precision of 32 bits
#   keeps all of an int32.
# Seen: zfpy 1.0.1: with a tolerance of 0.001 int32 and int64 are off by 1, no error. precision=16
#   makes 0 of all integers below 2^14, as it counts bits from the highest of 32; with precision=32
#   random ones are off by several units. Without parameters they are kept.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  zfpy==1.0.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import zfpy


def error(numbers, **settings):
    back = zfpy.decompress_numpy(zfpy.compress_numpy(numbers, **settings))
    return int(np.abs(back.astype(np.int64) - numbers).max())


small = (np.arange(4096).reshape(64, 64) * 3).astype(np.int32)
large = np.random.default_rng(1).integers(-(2**31), 2**31, (64, 64)).astype(np.int32)
for name, numbers, settings, low, high in (
    ("int32", small, {}, 0, 0),
    ("int32", small, {"tolerance": 0.001}, 1, 1),
    ("int64", small.astype(np.int64), {"tolerance": 0.001}, 1, 1),
    ("int32", small, {"precision": 16}, 12285, 12285),
    ("random int32", large, {}, 0, 0),
    ("random int32", large, {"precision": 32}, 1, 20),
):
    seen = error(numbers, **settings)
    print(f"{name}, {settings}: largest error {seen}")
    assert low <= seen <= high, "changed"
PY
echo "as recorded"
