#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: ADBC's driver for SQLite reads a column without a type, of numbers and one text, as text,
#   with the numbers as SQLite's own cast writes them (0.1 is '0.1'), or refuses it.
# Seen: adbc_driver_sqlite 1.13.0: the numbers become text of seven digits, 0.1 is '1.000000e-01'
#   and 123456789.123 is '1.234568e+08'; 7 behind them is '7.000000e+00'. Integers and one double
#   are doubles, 2^53 + 1 is 2^53. The type is that of the first rows: a double behind 1000
#   integers or NULL is found, behind 2000 it is refused.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  adbc-driver-sqlite==1.13.0 adbc-driver-manager==1.13.0 pyarrow==26.0.1 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import sqlite3

import adbc_driver_sqlite.dbapi


def column(numbers):
    with sqlite3.connect("a.db") as connection:
        connection.execute("drop table if exists t")
        connection.execute("create table t (x)")
        connection.executemany("insert into t values (?)", [(x,) for x in numbers])
        text = [row[0] for row in connection.execute("select cast(x as text) from t")]
    connection.close()
    with adbc_driver_sqlite.dbapi.connect("a.db") as connection, connection.cursor() as cursor:
        cursor.execute("select x from t")
        seen = cursor.fetch_arrow_table().column(0)
    return str(seen.type), seen.to_pylist(), text


numbers = [0.1, 123456789.123, 1 / 3, 7, "x"]
kind, seen, text = column(numbers)
print(numbers, "->", kind, seen, "by SQLite's cast", text)
assert kind == "string", "changed"
assert seen == ["1.000000e-01", "1.234568e+08", "3.333333e-01", "7.000000e+00", "x"], "changed"
assert text[:3] == ["0.1", "123456789.123", "0.333333333333333"], "changed"
kind, seen, _ = column([2**53 + 1, 0.5])
print("2^53 + 1 and 0.5 ->", kind, seen)
assert kind == "double" and seen == [2.0**53, 0.5], "changed"
for first in (1, None):
    kind, seen, _ = column([first] * 1000 + [1.5])
    assert kind == "double" and seen[-1] == 1.5, "changed"
    try:
        column([first] * 2000 + [1.5])
        refused = False
    except OSError as error:
        refused = "expected INT64 but got DOUBLE" in str(error)
        print(f"{first} 2000 times, then 1.5 ->", error)
    assert refused, "changed"
PY
echo "as recorded"
