#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: ObsPy refuses numbers that a format cannot hold, as it does for GSE2, SEG-Y and SU ("You
#   need to manually convert").
# Seen: obspy 1.5.1: SAC, AH and SH_ASC round int32 beyond 2^24 without a warning, SH_ASC to seven
#   digits; GCF cuts floats to integers and 1e10 to 2147483647, WAV to -2147483648.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  obspy==1.5.1 setuptools==80.9.0 numpy==2.3.5 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import obspy


def stored(form, numbers, dtype):
    obspy.Trace(np.array(numbers, dtype)).write(f"a.{form}", format=form)
    return obspy.read(f"a.{form}")[0].data.tolist()


for form, dtype, numbers, expected in (
    ("SAC", np.int32, [5, 2**24 + 1, 2**31 - 1], [5, 2**24, 2**31]),
    ("AH", np.int32, [5, 2**24 + 1, 2**31 - 1], [5, 2**24, 2**31]),
    ("SH_ASC", np.int32, [5, 2**24 + 1, 2**31 - 1], [5, 16777220, 2147483904]),
    ("GCF", np.float64, [1.5, -2.25, 1e10, 0.1], [1, -2, 2147483647, 0]),
    ("WAV", np.float64, [1.5, -2.25, 1e10, 0.1], [1, -2, -(2**31), 0]),
):
    seen = stored(form, numbers, dtype)
    print(form, numbers, "->", seen)
    assert seen == expected, "changed"
for form in ("GSE2", "SU"):
    try:
        seen = stored(form, [1.5, 1e10], np.float64)
    except Exception as error:
        seen = " ".join(str(error).split())
    print(form, "of doubles:", seen)
    assert "data" in seen and "float" in seen, "changed"
PY
echo "as recorded"
