#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A Time64Col of PyTables holds seconds since 1970 as a double: what is written is read.
# Seen: PyTables 3.11.1 (HDF5 2.0.0): the file holds two integers of 32 bits, seconds and
#   microseconds. 5e9 (the year 2128) is read as 705033641.459712, 2^31 (2038) as -2^31, NaN and
#   infinity as 0, and a query for times above 4e9 finds nothing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  tables==3.11.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import tables

times = [1.1234567891234, 5e9, 2.0**31, -1.5, float("nan"), float("inf")]
with tables.open_file("a.h5", "w") as file:
    table = file.create_table("/", "t", {"time": tables.Time64Col(), "x": tables.Float64Col()})
    for time in times:
        table.row["time"] = table.row["x"] = time
        table.row.append()
    array = file.create_earray("/", "a", tables.Time64Atom(), (0,))
    array.append(np.array(times))
with tables.open_file("a.h5") as file:
    seen = file.root.t.col("time").tolist()
    later = len(file.root.t.read_where("time > 4e9")), len(file.root.t.read_where("x > 4e9"))
    array = file.root.a[:].tolist()
print(times, "->", seen, "; after 4e9:", later)
assert seen == array == [1.123457, 705033641.459712, -(2.0**31), -1.5, 0.0, 0.0], "changed"
assert later == (0, 2), "changed"
PY
echo "as recorded"
