#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A number that is too long for its field of a DBF file, the table of a shapefile, is an
#   error in pyshp, or is rounded.
# Seen: pyshp 3.1.6 keeps the first digits: 123456 in a field of 5 is 12345, -99999 is -9999, 2^60
#   in a field of 18 is 115292150460684697. No error, no warning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pyshp==3.1.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import shapefile

rows = [[123456, 2**60, -123456.789], [-99999, 10**19, 0.0005], [12345, 10**17, 99.995]]
with shapefile.Writer("points", shapeType=shapefile.POINT) as writer:
    writer.field("n5", "N", 5)
    writer.field("n18", "N", 18)
    writer.field("n10_3", "N", 10, 3)
    for row in rows:
        writer.point(0.5, 0.25)
        writer.record(*row)
with shapefile.Reader("points") as reader:
    found = [list(record) for record in reader.records()]
for row, record in zip(rows, found):
    print(row, "->", record)
assert [record[0] for record in found] == [12345, -9999, 12345], "changed"
assert [record[1] for record in found] == [115292150460684697, 10**17, 10**17], "changed"
assert found[0][2] == -123456.78, "changed"  # the last of three decimals is cut
PY
echo "as recorded"
