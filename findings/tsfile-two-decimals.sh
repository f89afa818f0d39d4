#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: The encodings of TsFile for floats are lossless: TS_2DIFF differences their bits, or
#   refuses them.
# Seen: tsfile 2.5.0 rounds them to two decimals in TS_2DIFF: 3.14159265 is 3.14, 0.004 and -0.0
#   are 0. CAMEL returns 0 for NaN. GORILLA, CHIMP, SPRINTZ and RLBE keep all bits.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  tsfile==2.5.0 numpy==2.4.6 pandas==3.1.1 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import struct
from pathlib import Path

from tsfile import (
    Compressor,
    Field,
    RowRecord,
    TimeseriesSchema,
    TSDataType,
    TSEncoding,
    TsFileReader,
    TsFileWriter,
)

numbers = [3.14159265, 0.004, -0.0, 1e300, float("nan"), 2.5]


def stored(encoding):
    Path("x.tsfile").unlink(missing_ok=True)
    writer = TsFileWriter("x.tsfile")
    schema = TimeseriesSchema("x", TSDataType.DOUBLE, encoding, Compressor.UNCOMPRESSED)
    writer.register_timeseries("root.d", schema)
    for time, number in enumerate(numbers):
        writer.write_row_record(RowRecord("root.d", time, [Field("x", number, TSDataType.DOUBLE)]))
    writer.close()
    reader = TsFileReader("x.tsfile")
    rows = reader.query_timeseries("root.d", ["x"], 0, 100)
    found = []
    while rows.next():
        found.append(rows.get_value_by_index(2))
    rows.close()
    reader.close()
    return found


for name, expected in (
    ("PLAIN", numbers),
    ("GORILLA", numbers),
    ("CHIMP", numbers),
    ("SPRINTZ", numbers),
    ("RLBE", numbers),
    ("TS_2DIFF", [3.14, 0.0, 0.0, 1e300, float("nan"), 2.5]),
    ("CAMEL", [3.14159265, 0.004, -0.0, 1e300, 0.0, 2.5]),
):
    seen = stored(TSEncoding[name])
    print(name, seen)
    assert struct.pack("6d", *seen) == struct.pack("6d", *expected), "changed"
PY
echo "as recorded"
