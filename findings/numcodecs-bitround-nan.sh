#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: BitRound keeps NaN a NaN, whatever its sign and payload: it only clears low bits.
# Seen: numcodecs 0.16.6 adds half a unit to the bits first. The NaN 0x7fffffff becomes -0.0 and
#   0xffffffff becomes 0.0; the signalling NaN 0x7f800001 becomes infinity, and the largest float
#   too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  numcodecs==0.16.6 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from numcodecs import BitRound

bits = np.array([0x7FFFFFFF, 0xFFFFFFFF, 0x7F800001, 0x7F7FFFFF], np.uint32)
stored = BitRound(keepbits=7).encode(bits.view(np.float32))
seen = [f"{int(x):08x}" for x in np.frombuffer(stored, np.uint32)]
print("7fffffff ffffffff 7f800001 7f7fffff ->", seen)
assert seen == ["80000000", "00000000", "7f800000", "7f800000"], "changed"
PY
echo "as recorded"
