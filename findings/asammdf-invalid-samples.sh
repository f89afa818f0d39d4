#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Samples that are marked invalid are missing numbers (NaN) in a table.
# Seen: asammdf 8.8.28: get() leaves them out, to_dataframe() puts the number before in their
#   place, and before the first valid sample the first one: a gap cannot be told from a constant. A
#   channel that begins later is filled the same way.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  asammdf==8.8.28 pandas==3.1.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from asammdf import MDF, Signal

times = np.array([0.0, 1.0, 2.0, 3.0])
invalid = np.array([True, False, True, False])
file = MDF()
file.append([Signal(np.array([10, 20, 30, 40], "u1"), times, name="x", invalidation_bits=invalid)])
file.append([Signal(np.array([1.0, 2.0]), times[2:], name="late")])
file.save("a.mf4", overwrite=True)
file = MDF("a.mf4")
print("written: invalid, 20, invalid, 40")
seen = file.get("x").samples.tolist()
print("get:", seen)
assert seen == [20, 40], "changed"
seen = file.to_dataframe()["x"].tolist()
print("to_dataframe:", seen)
assert seen == [20, 20, 20, 40], "changed"
seen = file.to_dataframe()["late"].tolist()
print("to_dataframe of two samples at 2 s and 3 s:", seen)
assert seen == [1, 1, 1, 2], "changed"
PY
echo "as recorded"
