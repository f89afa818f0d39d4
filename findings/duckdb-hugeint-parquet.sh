#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: DuckDB writes the exact sum of 64-bit integers to Parquet as a decimal, since HUGEINT is
#   its type for it, or refuses.
# Seen: DuckDB 2.0.1 writes HUGEINT as DOUBLE without a word: the sum 9007199254740993 of BIGINT
#   numbers comes back as 9007199254740992.0. fetchnumpy does the same.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  duckdb==2.0.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import duckdb

query = "select sum(x) s from (values (9007199254740993::bigint), (0)) t(x)"
exact, kind = duckdb.sql(f"select s, typeof(s) from ({query})").fetchall()[0]
duckdb.sql(f"copy ({query}) to 's.parquet'")
seen = duckdb.sql("select s, typeof(s) from 's.parquet'").fetchall()[0]
print(exact, kind, "->", seen, duckdb.sql(query).fetchnumpy()["s"].dtype)
assert (exact, kind) == (9007199254740993, "HUGEINT"), "changed"
assert seen == (9007199254740992.0, "DOUBLE"), "changed"
assert duckdb.sql(query).fetchnumpy()["s"].dtype == "float64", "changed"
PY
echo "as recorded"
