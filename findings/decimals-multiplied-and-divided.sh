#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A product or quotient of decimals has enough digits after the point in every engine: 1.23
#   * 1.23 is 1.5129.
# Seen: polars 2.1.0 keeps the scale: 1.23 * 1.23 is 1.51, 2 / 3 of decimals without digits after
#   the point is 1. pyarrow 26.0.1 and DataFusion 55.0.0 cut 2 / 3 to 0.666666, DuckDB 2.0.1
#   divides as doubles, ClickHouse (chDB 4.4.0) says 0.66. The mean of 1, 2, 2 with two digits is
#   1.67 in pyarrow.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  polars==2.1.0 pyarrow==26.0.1 duckdb==2.0.1 datafusion==55.0.0 chdb==4.4.0 \
  numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
from decimal import Decimal as D

import chdb
import datafusion
import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc


def decimals(*numbers):
    return pa.array([D(x) for x in numbers], pa.decimal128(5, 2))


def by_polars(number):
    return pl.Series([D(number)], dtype=pl.Decimal(5, 2))


context = datafusion.SessionContext()
cast = "select cast('1.23' as decimal(5, 2)) * cast('1.23' as decimal(5, 2)) a, "
cast += "cast('2' as decimal(5, 2)) / cast('3' as decimal(5, 2)) b"
one, two, three = map(decimals, ("1.23", "2", "3"))
click = "select toDecimal32('1.23', 2) * toDecimal32('1.23', 2), "
click += "toDecimal32(2, 2) / toDecimal32(3, 2)"
results = {
    "polars": [by_polars("1.23") * by_polars("1.23"), by_polars("2") / by_polars("3")],
    "pyarrow": [pc.multiply(one, one).to_pylist(), pc.divide(two, three).to_pylist()],
    "DuckDB": [[x] for x in duckdb.execute(cast).fetchall()[0]],
    "DataFusion": context.sql(cast).to_pydict().values(),
    "ClickHouse": [[x] for x in str(chdb.query(click)).strip().split(",")],
}
for name, expected in (
    ("polars", ["1.51", "0.67"]),
    ("pyarrow", ["1.5129", "0.666666"]),
    ("DuckDB", ["1.5129", "0.6666666666666666"]),
    ("DataFusion", ["1.5129", "0.666666"]),
    ("ClickHouse", ["1.5129", "0.66"]),
):
    seen = [str(x[0]) for x in results[name]]
    print(f"{name}: 1.23 * 1.23 = {seen[0]}, 2 / 3 = {seen[1]}")
    assert seen == expected, "changed"
whole = pl.select(pl.lit(D("2")) / pl.lit(D("3"))).item()
mean = pc.mean(decimals("1", "2", "2")).as_py()
print("polars, 2 / 3 without digits after the point:", whole, "; pyarrow, mean of 1, 2, 2:", mean)
assert (str(whole), str(mean)) == ("1", "1.67"), "changed"
PY
echo "as recorded"
