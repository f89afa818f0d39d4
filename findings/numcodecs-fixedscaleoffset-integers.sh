#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: FixedScaleOffset with scale 1 keeps integers: it subtracts the offset, and adds it again.
# Seen: numcodecs 0.16.6 does both in float64: 2^53 + 1 and 2^62 + 1 lose the 1 in int64 with
#   offset 0, and 2^63 + 1 and 2^63 + 3 of uint64 with offset 2^63 both come back as 2^63, though
#   their differences fit uint8.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  numcodecs==0.16.6 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from numcodecs import FixedScaleOffset


def stored(numbers, kind, offset, narrow):
    codec = FixedScaleOffset(offset=offset, scale=1, dtype=kind, astype=narrow)
    return codec.decode(codec.encode(np.array(numbers, kind))).tolist()


for kind, offset, narrow, numbers, expected in (
    ("i8", 0, "i8", [2**53 + 1, 2**62 + 1], [2**53, 2**62]),
    ("i8", 2**53, "i4", [2**53 + 1, 2**53 + 3], [2**53, 2**53 + 4]),
    ("u8", 2**63, "u1", [2**63 + 1, 2**63 + 3], [2**63, 2**63]),
    ("i8", 1000, "u1", [1001, 1255], [1001, 1255]),
):
    seen = stored(numbers, kind, offset, narrow)
    print(f"{numbers} as {kind}, offset {offset}, {narrow} -> {seen}")
    assert seen == expected, "changed"
PY
echo "as recorded"
