#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: DuckDB reads a LazyFrame of polars by collecting all of it, as it reads all columns of an
#   object with __arrow_c_stream__.
# Seen: DuckDB 2.0.1 asks the frame for the columns of the query and for the rows of its filter:
#   a source of polars.io.plugins gets both, and count(*) asks for one column.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  duckdb==2.0.1 polars==2.1.0 pyarrow==26.0.1 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import duckdb
import polars as pl
from polars.io.plugins import register_io_source

frame = pl.DataFrame({"a": range(10), "b": range(10), "c": range(10)})
asked = []


def source(with_columns, predicate, n_rows, batch_size):
    asked.append((with_columns, None if predicate is None else str(predicate)))
    rows = frame if predicate is None else frame.filter(predicate)
    yield rows if with_columns is None else rows.select(with_columns)


lazy = register_io_source(source, schema=frame.schema)
assert duckdb.sql("select sum(a) from lazy where b < 3").fetchall() == [(3,)]
assert duckdb.sql("select count(*) from lazy").fetchall() == [(10,)]
print("asked for ->", asked)
assert asked == [(["a", "b"], '[(col("b")) < (3)]'), (["a"], None)], "changed"
PY
echo "as recorded"
