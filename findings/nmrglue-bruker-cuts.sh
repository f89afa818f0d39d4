#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: nmrglue's conversion to Bruker's format, which it writes as int32, scales the floats or
#   rounds them.
# Seen: nmrglue 0.12 cuts them, without a message: 1.7 + 2.3i is 1 + 2i, a signal of less than 1
#   is all zeros, 1e10 is -2^31. Read again it is complex128 and looks like doubles.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  nmrglue==0.12 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import nmrglue
import numpy as np


def round_trip(numbers):
    axis = {"sw": 999.0, "complex": True, "obs": 99.0, "car": 0.0, "size": len(numbers)}
    axis |= {"label": "1H", "encoding": "direct", "time": True, "freq": False}
    converter = nmrglue.convert.converter()
    converter.from_universal(nmrglue.fileiobase.create_blank_udic(1) | {0: axis}, numbers)
    header, data = converter.to_bruker()
    nmrglue.bruker.write("fid", header, data, overwrite=True)
    return nmrglue.bruker.read("fid")[1]


numbers = np.array([1.7 + 2.3j, -1.7, 1e10, 0] * 64)
seen = round_trip(numbers)
print(numbers[:4], "->", seen.dtype, seen[:4])
assert seen.dtype == np.complex128 and len(seen) == 256, "changed"
assert seen[:4].tolist() == [1 + 2j, -1, -(2**31), 0], "changed"
decay = np.exp(-np.arange(256) / 50 + 0.3j * np.arange(256)) * 0.99
seen = round_trip(decay)
print("a decay from 0.99 on: largest of what comes back", np.abs(seen).max())
assert not seen.any(), "changed"
seen = round_trip(decay * 2**20) / 2**20
assert np.abs(seen - decay).max() < 2e-6, "changed"
PY
echo "as recorded"
