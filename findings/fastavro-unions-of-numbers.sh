#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Of the types of a union fastavro takes one that holds the number, or the first that fits.
# Seen: fastavro 1.13.1: an integer takes the first type of numbers, so that 2^53 + 1 in
#   ["double", "long"] is 9007199254740992.0, and 16777217 in ["float", "long"] 16777216.0, though
#   long is there. A float passes over "float" if "double" follows, but not over ["float", "long"]:
#   0.1 is 0.10000000149011612, and 1e300 infinite. Nothing says so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  fastavro==1.13.1 || exit 2
cd "$folder"
env/bin/python - <<'PY'
import io

import fastavro


def stored(types, number):
    schema = {"type": "record", "name": "r", "fields": [{"name": "x", "type": types}]}
    file = io.BytesIO()
    fastavro.writer(file, fastavro.parse_schema(schema), [{"x": number}])
    file.seek(0)
    return next(fastavro.reader(file))["x"]


for types, number, expected in (
    (["double", "long"], 2**53 + 1, 9007199254740992.0),
    (["null", "double", "long"], 2**53 + 1, 9007199254740992.0),
    (["float", "long"], 2**24 + 1, 16777216.0),
    (["long", "double"], 2**53 + 1, 2**53 + 1),
    (["float", "double"], 0.1, 0.1),
    (["float", "long"], 0.1, 0.10000000149011612),
    (["float", "long"], 1e300, float("inf")),
):
    seen = stored(types, number)
    print(types, number, "->", seen)
    assert (type(seen), seen) == (type(expected), expected), "changed"
PY
echo "as recorded"
