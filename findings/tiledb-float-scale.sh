#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A number that does not fit the integers of TileDB's filter FloatScale is an error, or is
#   clipped.
# Seen: tiledb 0.36.1, no error: with 4 bytes and a factor of 0.01, NaN, both infinities and 1e30
#   come back as -21474836.48; with 1 byte 1.5 comes back as -1.06.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  tiledb==0.36.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import shutil

import numpy as np
import tiledb


def stored(numbers, width):
    shutil.rmtree("array", ignore_errors=True)
    filters = tiledb.FilterList([tiledb.FloatScaleFilter(factor=0.01, offset=0, bytewidth=width)])
    size = len(numbers)
    domain = tiledb.Domain(tiledb.Dim("i", domain=(0, size - 1), tile=size, dtype=np.int32))
    attribute = tiledb.Attr("x", dtype=np.float64, filters=filters)
    tiledb.Array.create("array", tiledb.ArraySchema(domain, attrs=[attribute]))
    with tiledb.open("array", "w") as array:
        array[:] = np.array(numbers)
    with tiledb.open("array") as array:
        return np.asarray(array[:]["x"])


least = -21474836.48
for numbers, width, expected in (
    ([1.5, 2.25, -0.126], 4, [1.5, 2.25, -0.13]),
    ([np.nan, np.inf, -np.inf, 1e30], 4, [least] * 4),
    ([1.5, 2.25], 1, [-1.06, -0.31]),
):
    seen = stored(numbers, width)
    print(f"{numbers}, {width} bytes ->", seen.tolist())
    assert np.allclose(seen, expected, rtol=1e-15, atol=0), "changed"
PY
echo "as recorded"
