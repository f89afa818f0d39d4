#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Times of ORC files come back as they were given; decimals with too many digits are
#   refused.
# Seen: pyorc 0.12.0 writes the last second before 1970 one second late: 1969-12-31 23:59:59.5
#   comes back as 1970-01-01 00:00:00.5, in pyarrow 26.0.1, too, whose own file has the right time
#   in both. Decimals are rounded to the scale, ties to even.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pyorc==0.12.0 pyarrow==26.0.1 numpy==2.4.6 pandas==3.1.1 tzdata==2026.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
from datetime import datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.orc
import pyorc

times = [datetime(1969, 12, 31, 23, 59, 58, 500000), datetime(1969, 12, 31, 23, 59, 59, 500000)]
late = [times[0], datetime(1970, 1, 1, 0, 0, 0, 500000)]
decimals = [Decimal("1.005"), Decimal("1.015")]
with open("a.orc", "wb") as file:
    with pyorc.Writer(file, "struct<t:timestamp,d:decimal(10,2)>") as writer:
        writer.writerows(zip(times, decimals, strict=True))
pyarrow.orc.write_table(pa.table({"t": pa.array(times, pa.timestamp("us"))}), "b.orc")
for path, expected in (("a.orc", late), ("b.orc", times)):
    with open(path, "rb") as file:
        rows = list(pyorc.Reader(file))
    by_pyorc = [row[0].replace(tzinfo=None) for row in rows]
    by_pyarrow = [time.to_pydatetime() for time in pa.orc.read_table(path)["t"].to_pylist()]
    print(path, "pyorc:", *by_pyorc, "pyarrow:", *by_pyarrow)
    assert by_pyorc == by_pyarrow == expected, "changed"
    if path == "a.orc":
        print("decimals", *decimals, "->", rows[0][1], rows[1][1])
        assert [row[1] for row in rows] == [Decimal("1.00"), Decimal("1.02")], "changed"
PY
echo "as recorded"
