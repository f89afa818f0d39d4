#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A point cloud saved as ASCII has as many digits as its numbers need.
# Seen: pypcd4 1.5.1 writes ten digits after the point: 1e-12 is read as 0, the double 1/3 as
#   0.3333333333. BINARY and BINARY_COMPRESSED keep the bits; numpy() then makes doubles of int64
#   beside floats, so that 2^53 + 1 is 2^53.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pypcd4==1.5.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from pypcd4 import Encoding, PointCloud

numbers = np.array([1e-12, 1 / 3, 123456.789])
for encoding, expected in (
    (Encoding.ASCII, [0.0, 0.3333333333, 123456.789]),
    (Encoding.BINARY, numbers.tolist()),
    (Encoding.BINARY_COMPRESSED, numbers.tolist()),
):
    PointCloud.from_points([numbers], ["x"], [np.float64]).save("a.pcd", encoding=encoding)
    seen = PointCloud.from_path("a.pcd").numpy().ravel().tolist()
    print(f"{encoding}: {numbers.tolist()} -> {seen}")
    assert seen == expected, "changed"
keys = np.array([2**53 + 1, 1])
both = PointCloud.from_points([keys, numbers[:2]], ["key", "x"], [np.int64, np.float64])
seen = int(both.numpy()[0, 0]), int(both.pc_data["key"][0])
print("key 2^53 + 1: numpy()", seen[0], "pc_data", seen[1])
assert seen == (2**53, 2**53 + 1), "changed"
PY
echo "as recorded"
