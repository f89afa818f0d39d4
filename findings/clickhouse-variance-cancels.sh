#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: The variance of three neighbouring numbers is that of 1, 2, 3, whatever their size.
# Seen: ClickHouse (chDB 4.4.0): varPop and stddevSamp of 1000000001, 1000000002, 1000000003 are 0,
#   corr and skewPop are NaN; varPopStable is 0.667. DuckDB 2.0.1, polars 2.1.0, pyarrow 26.0.1 and
#   DataFusion 55.0.0 say 0.667 for var_pop.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  chdb==4.4.0 duckdb==2.0.1 polars==2.1.0 pyarrow==26.0.1 datafusion==55.0.0 \
  numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import chdb
import datafusion
import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

numbers = [1000000001.0, 1000000002.0, 1000000003.0]
table = f"(select arrayJoin({numbers}::Array(Float64)) x)"
query = "select varPop(x), stddevSamp(x), corr(x, x), skewPop(x), varPopStable(x) from "
seen = str(chdb.query(query + table)).strip().split(",")
print("varPop, stddevSamp, corr, skewPop, varPopStable:", seen)
assert seen[:4] == ["0", "0", "nan", "nan"], "changed"
context = datafusion.SessionContext()
context.from_arrow(pa.table({"x": numbers}), "t")
others = (
    float(seen[4]),
    duckdb.sql(f"select var_pop(x) from (select unnest({numbers}) x)").fetchall()[0][0],
    pl.Series(numbers).var(ddof=0),
    pc.variance(pa.array(numbers)).as_py(),
    context.sql("select var_pop(x) v from t").to_pydict()["v"][0],
)
print("varPopStable, DuckDB, polars, pyarrow, DataFusion:", others)
assert all(abs(x - 2 / 3) < 1e-6 for x in others), "changed"
PY
echo "as recorded"
