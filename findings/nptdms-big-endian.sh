#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: TDMS files hold little-endian numbers; a big-endian array is converted, or refused.
# Seen: npTDMS 1.13.0 writes its bytes as they lie and reads them as little-endian: [1, 2] of type
#   >i4 comes back as [16777216, 33554432], without an error. datetime64[ns] comes back as
#   datetime64[us].
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  npTDMS==1.13.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from nptdms import ChannelObject, TdmsFile, TdmsWriter


def stored(numbers):
    with TdmsWriter("x.tdms") as writer:
        writer.write_segment([ChannelObject("group", "channel", numbers)])
    return TdmsFile.read("x.tdms")["group"]["channel"][:]


for dtype, expected in (("<i4", [1, 2]), (">i4", [1 << 24, 2 << 24])):
    seen = stored(np.array([1, 2], dtype)).tolist()
    print(f"[1, 2] of {dtype} ->", seen)
    assert seen == expected, "changed"
seen = stored(np.array([1.0, 2.0], ">f8"))
print("[1, 2] of >f8 ->", seen.tolist())
assert (np.abs(seen) < 1e-300).all(), "changed"
seen = stored(np.array(["2020-01-01T00:00:00.123456789"], "M8[ns]"))
print("datetime64[ns] ->", seen.dtype, seen[0])
assert str(seen[0]) == "2020-01-01T00:00:00.123456", "changed"
PY
echo "as recorded"
