#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Float8 keeps small components with three or four bits, as other 8-bit floats do, and
#   refuses NaN as it refuses what is beyond 1.
# Seen: voyager 2.2.3 stores multiples of 1/127: 0.003 becomes 0, so all short vectors are one. NaN
#   becomes 0, and such a vector is found at distance 0 of itself. E4M3 keeps both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  voyager==2.2.3 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from voyager import Index, Space, StorageDataType


def stored(kind, vector):
    index = Index(Space.Euclidean, 2, storage_data_type=getattr(StorageDataType, kind))
    index.add_item(np.array(vector, np.float32))
    return index.get_vector(0).tolist(), index.query(np.array(vector, np.float32), 1)[1][0]


for kind, vector, expected in (
    ("Float8", [0.001, 0.003], [0, 0]),
    ("E4M3", [0.001, 0.003], [0.0009765625, 0.0029296875]),
    ("Float8", [np.nan, 1], [0, 1]),
    ("E4M3", [np.nan, 1], [np.nan, 1]),
):
    seen, distance = stored(kind, vector)
    print(kind, vector, "->", seen, "distance to itself", distance)
    assert np.array_equal(seen, expected, equal_nan=True), "changed"
    assert np.isnan(distance) if np.isnan(seen[0]) else distance == 0, "changed"
try:
    stored("Float8", [0, 1.5])
except ValueError as error:
    print("Float8 [0, 1.5]:", error)
else:
    raise AssertionError("changed")
PY
echo "as recorded"
