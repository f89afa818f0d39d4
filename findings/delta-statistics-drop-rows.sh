#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: The smallest and largest numbers of a file in the log of a Delta table never make a
#   reader leave out a row that meets the condition.
# Seen: deltalake 1.6.6 writes those of decimals as JSON doubles and leaves NaN out. Its own
#   to_pyarrow_dataset then finds no row with 12345678901234567890.13 in a decimal(38, 2). Daft
#   0.7.26 finds no NaN with x > 5, which it finds in memory. polars 2.1.0 finds both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  deltalake==1.6.6 daft==0.7.26 polars==2.1.0 pyarrow==25.0.1 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
from decimal import Decimal

import daft
import deltalake
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds


def counts(name, numbers, operator, value):
    """Rows that pyarrow, Daft and polars find, in the Delta table and in memory."""
    table = pa.table({"x": numbers})
    deltalake.write_deltalake(name, table)
    stored = deltalake.DeltaTable(name).to_pyarrow_dataset()
    compare = {"=": lambda x: x == value, ">": lambda x: x > value}[operator]
    pairs = (
        [one.to_table(filter=compare(ds.field("x"))).num_rows
         for one in (stored, ds.dataset(table))],
        [one.where(compare(daft.col("x"))).count_rows()
         for one in (daft.read_deltalake(name), daft.from_arrow(table))],
        [one.filter(compare(pl.col("x"))).collect().height
         for one in (pl.scan_delta(name), pl.from_arrow(table).lazy())],
    )
    return tuple(map(tuple, pairs))


big = Decimal("12345678901234567890.13")
decimals = pa.array([Decimal("12345678901234567890.12"), big], pa.decimal128(38, 2))
for case, expected in (
    (("decimals", decimals, "=", big), ((0, 1), (1, 1), (1, 1))),
    (("nan", pa.array([1.0, float("nan"), 3.0]), ">", 5.0), ((0, 0), (0, 1), (1, 1))),
):
    found = counts(*case)
    print(f"{case[0]}: x {case[2]} {case[3]}: pyarrow, Daft, polars (stored, in memory):", found)
    assert found == expected, "changed"
PY
echo "as recorded"
