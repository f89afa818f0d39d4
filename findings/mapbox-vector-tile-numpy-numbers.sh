#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: a NumPy number among the properties of a feature is encoded as a Python number is, or
#   refused.
# Seen: mapbox-vector-tile 2.2.0 leaves the property out, without a message: numpy.int64,
#   numpy.float32 and numpy.bool are gone after reading; numpy.float64 stays, since it is a Python
#   float. 2^63 is refused, although the format has uint64.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  mapbox-vector-tile==2.2.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import mapbox_vector_tile
import numpy as np


def properties(value):
    feature = {"geometry": "POINT(1 2)", "properties": {"kept": 1, "value": value}}
    tile = mapbox_vector_tile.encode({"name": "layer", "features": [feature]})
    return mapbox_vector_tile.decode(tile)["layer"]["features"][0]["properties"]


for value, stays in (
    (5, True), (2.5, True), (True, True), (np.float64(2.5), True), (2**63 - 1, True),
    (np.int64(5), False), (np.uint8(5), False), (np.float32(2.5), False), (np.bool_(True), False),
):
    seen = properties(value)
    print(repr(value), "->", seen)
    assert seen == ({"kept": 1, "value": value} if stays else {"kept": 1}), "changed"
try:
    properties(2**63)
    refused = False
except ValueError as error:
    print("2^63:", error)
    refused = True
assert refused, "changed"
PY
echo "as recorded"
