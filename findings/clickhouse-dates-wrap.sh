#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A date beyond those that the type can hold is an error or a null, in arithmetic as in a
#   cast.
# Seen: ClickHouse (chDB 4.4.0), no error: Date of 2022-01-08 plus 50000 days is 1979-06-27, the
#   day after 2149-06-06 is 1970-01-01, the one before 1970-01-01 is 2149-06-06; DateTime of 2100
#   plus ten years is 1973. Text is clamped: toDate('2200-01-01') is 2149-06-06. DuckDB 2.0.1 and
#   polars 2.1.0 go on.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  chdb==4.4.0 duckdb==2.0.1 polars==2.1.0 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import datetime

import chdb
import duckdb
import polars as pl

for expression, expected in (
    ("toDate('2022-01-08') + 50000", "1979-06-27"),
    ("toDate('2149-06-06') + 1", "1970-01-01"),
    ("toDate('1970-01-01') - 1", "2149-06-06"),
    ("toDateTime('2100-01-01 00:00:00', 'UTC') + interval 10 year", "1973-11-24 17:31:44"),
    ("toDate('2200-01-01')", "2149-06-06"),
):
    seen = str(chdb.query(f"select {expression}")).strip().strip('"')
    print(f"{expression} -> {seen}")
    assert seen == expected, "changed"
duck = duckdb.sql("select date '2022-01-08' + 50000").fetchall()[0][0]
day = pl.Series([datetime.date(2022, 1, 8)]).dt.offset_by("50000d")[0]
print("DuckDB, polars:", duck, day)
assert str(duck)[:10] == str(day) == "2158-12-01", "changed"
PY
echo "as recorded"
