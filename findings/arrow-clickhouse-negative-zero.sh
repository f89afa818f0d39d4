#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: -0.0 equals 0.0 where rows are joined and grouped, as in comparisons, and all NaN are one
#   group.
# Seen: pyarrow 26.0.1 compares bits there: a join of 0.0 with -0.0 has no row, and group_by makes
#   a group of each zero and of each payload of NaN. chDB 4.4.0 says that the zeros are equal,
#   joins none and groups them apart (one group for NaN). DataFusion 55.0.0 joins the zeros and
#   groups each payload of NaN by itself. DuckDB 2.0.1 and polars 2.1.0 join the zeros and make
#   two groups of these five numbers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pyarrow==26.0.1 chdb==4.4.0 duckdb==2.0.1 datafusion==55.0.0 polars==2.1.0 numpy==2.4.6 \
  pandas==3.1.1 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import chdb
import datafusion
import duckdb
import numpy as np
import polars
import pyarrow as pa

bits = [0, 1 << 63, 0x7FF8 << 48, (0x7FF8 << 48) + 1, 0xFFF8 << 48]
numbers = pa.table({"x": np.array(bits, np.uint64).view(np.float64)})
one, other = pa.table({"x": [0.0]}), pa.table({"x": [-0.0]})
session = datafusion.SessionContext()
for name, table in (("numbers", numbers), ("l", one), ("r", other)):
    session.register_record_batches(name, [table.to_batches()])
count_groups = "select count(*) n from (select x, count(*) c from numbers group by x)"
count_joined = "select count(*) n from l join r on l.x = r.x"
clickhouse = "select count() from (select 0.0 x) l join (select -0.0 x) r on l.x = r.x"
groups_of_clickhouse = (
    "select x, count() from values('x Float64', 0.0, -0.0, nan, -nan) group by x"
)
seen = {
    "pyarrow": (
        one.join(other, "x", join_type="inner").num_rows,
        numbers.group_by("x").aggregate([([], "count_all")]).num_rows,
    ),
    "DuckDB": (
        len(duckdb.sql("select 1 from one l join other r on l.x = r.x").fetchall()),
        duckdb.sql(count_groups).fetchall()[0][0],
    ),
    "DataFusion": (
        session.sql(count_joined).to_pydict()["n"][0],
        session.sql(count_groups).to_pydict()["n"][0],
    ),
    "polars": (
        polars.from_arrow(one).join(polars.from_arrow(other), on="x").height,
        polars.from_arrow(numbers).group_by("x").len().height,
    ),
    "chDB": (
        int(str(chdb.query(clickhouse))),
        len(str(chdb.query(groups_of_clickhouse)).split()),
    ),
}
for engine, (joined, groups) in seen.items():
    print(f"{engine}: {joined} rows joined, {groups} groups")
assert seen == {
    "pyarrow": (0, 5),
    "DuckDB": (1, 2),
    "DataFusion": (1, 4),
    "polars": (1, 2),
    "chDB": (0, 3),
}, "changed"
assert str(chdb.query("select 0.0 = -0.0")).strip() == "1", "changed"
PY
echo "as recorded"
