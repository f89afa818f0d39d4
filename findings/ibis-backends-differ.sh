#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: ibis gives one meaning to an expression, whatever engine runs it.
# Seen: ibis 12.0.0 with DuckDB 2.0.1 and polars 2.1.0: -7 % 3 is -1 and 2, 1.5 cast to int64 is 2
#   and 1, 2.5 rounded is 3 and 2. -7 // 3 is -3 in both, so a % b + b * (a // b) is not a in
#   DuckDB.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  "ibis-framework[duckdb,polars]==12.0.0" duckdb==2.0.1 polars==2.1.0 pandas==3.1.1 \
  pyarrow==26.0.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import ibis
import pandas

table = ibis.memtable(pandas.DataFrame({"a": [-7], "b": [3], "f": [1.5], "g": [2.5]}))
engines = {"duckdb": ibis.duckdb.connect(), "polars": ibis.polars.connect()}
for text, expression, expected in (
    ("-7 % 3", table.a % table.b, [-1, 2]),
    ("-7 // 3", table.a // table.b, [-3, -3]),
    ("1.5 as int64", table.f.cast("int64"), [2, 1]),
    ("2.5 rounded", table.g.round(), [3, 2]),
):
    seen = [engine.to_pandas(expression).tolist()[0] for engine in engines.values()]
    print(text, dict(zip(engines, seen, strict=True)))
    assert seen == expected, "changed"
PY
echo "as recorded"
