#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Casts to decimal(10, 2) round alike in all engines.
# Seen: Of the double 2.675 (a little below) pyarrow 26.0.1 makes 2.67, DuckDB 2.0.1 and polars
#   2.1.0 make 2.68; of the tie 0.125 DuckDB makes 0.13, the others 0.12; of the decimal 2.665
#   polars makes 2.66, DuckDB 2.67. ClickHouse (chDB 4.4.0) cuts: 1.239 is 1.23.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pyarrow==26.0.1 polars==2.1.0 duckdb==2.0.1 chdb==4.4.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
from decimal import Decimal

import chdb
import duckdb
import polars as pl
import pyarrow as pa


def casts(number):
    click = chdb.query(f"select toString(toDecimal64(toFloat64({number}), 2))")
    return {
        "pyarrow": str(pa.array([number]).cast(pa.decimal128(10, 2))[0].as_py()),
        "polars": str(pl.Series([number]).cast(pl.Decimal(10, 2))[0]),
        "DuckDB": str(duckdb.execute(f"select {number}::double::decimal(10, 2)").fetchall()[0][0]),
        "ClickHouse": str(click).strip().strip('"'),
    }


for number, expected in (
    (2.675, ["2.67", "2.68", "2.68", "2.67"]),
    (0.125, ["0.12", "0.12", "0.13", "0.12"]),
    (1.239, ["1.24", "1.24", "1.24", "1.23"]),
):
    seen = casts(number)
    print(f"{number} ->", seen)
    assert list(seen.values()) == expected, "changed"
seen = (
    str(pl.Series([Decimal("2.665")]).cast(pl.Decimal(10, 2))[0]),
    str(duckdb.execute("select 2.665::decimal(4, 3)::decimal(4, 2)").fetchall()[0][0]),
)
print("decimal 2.665: polars, DuckDB", seen)
assert seen == ("2.66", "2.67"), "changed"
PY
echo "as recorded"
