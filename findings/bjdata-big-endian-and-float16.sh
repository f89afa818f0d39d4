#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: bjdata, whose format has float16 and typed arrays of one byte order, swaps big-endian
#   arrays of NumPy or refuses them, and keeps a single float16 as it keeps arrays of them.
# Seen: bjdata 0.6.6 with NumPy 1.26.4: big-endian arrays are stored as if they were
#   little-endian, 1 is 16777216; a single np.float16(0.1) is the integer 11878, its bits. jdata
#   0.9.5, which uses it for .bjd, stores the same wrong numbers, and the right ones as text
#   (.jdt).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  bjdata==0.6.6 jdata==0.9.5 numpy==1.26.4 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import bjdata
import jdata
import numpy as np


def binary(x):
    return bjdata.loadb(bjdata.dumpb(x))


def by_jdata(x, name):
    jdata.save({"x": x}, name)
    return jdata.load(name)["x"]


for x in (np.array([1, 2], ">i4"), np.array([1.5, 2], ">f4"), np.array([1.5, 2], ">f8")):
    swapped = x.view(x.dtype.newbyteorder("<")).tolist()
    text, seen = by_jdata(x, "a.jdt").tolist(), by_jdata(x, "a.bjd").tolist()
    print(f"{x.dtype.str} {x.tolist()} -> bjdata {binary(x).tolist()}, .jdt {text}, .bjd {seen}")
    assert binary(x).tolist() == swapped == seen and text == x.tolist(), "changed"
    little = x.astype(x.dtype.newbyteorder("<"))
    assert binary(little).tolist() == little.tolist(), "changed"
print("an array of float16(0.1) ->", binary(np.float16([0.1])))
print("np.float16(0.1) ->", binary(np.float16(0.1)))
assert binary(np.float16([0.1])).dtype == np.float16, "changed"
assert binary(np.float16(0.1)) == 11878 == np.float16(0.1).view(np.int16), "changed"
PY
echo "as recorded"
