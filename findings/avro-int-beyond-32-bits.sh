#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: An Avro writer refuses a number that does not fit the schema's int (32 bits), as it
#   refuses one beyond long.
# Seen: fastavro 1.13.1 writes 2^40 as int, and reads it back; polars 2.1.0 reads 0 from that file,
#   and 5 for 2^32 + 5, without an error. fastavro also cuts 1.7 to 1 for int and long, and writes
#   1e300 as infinity for float.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  fastavro==1.13.1 polars==2.1.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import io

import fastavro
import polars


def stored(kind, number):
    schema = {"type": "record", "name": "r", "fields": [{"name": "x", "type": kind}]}
    file = io.BytesIO()
    fastavro.writer(file, schema, [{"x": number}])
    file.seek(0)
    first = next(fastavro.reader(file))["x"]
    file.seek(0)
    return first, polars.read_avro(file)["x"][0]


for kind, number, expected in (
    ("int", 2**40, (2**40, 0)),
    ("int", 2**32 + 5, (2**32 + 5, 5)),
    ("int", 1.7, (1, 1)),
    ("long", -1.7, (-1, -1)),
    ("float", 1e300, (float("inf"), float("inf"))),
):
    seen = stored(kind, number)
    print(f"{number} as {kind}: fastavro {seen[0]}, polars {seen[1]}")
    assert seen == expected, "changed"
try:
    stored("long", 2**63)
except OverflowError as error:
    print("2^63 as long:", error)
else:
    raise AssertionError("changed")
PY
echo "as recorded"
