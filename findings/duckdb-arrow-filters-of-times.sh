#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: DuckDB hands a dataset of pyarrow the filters of its columns whatever their unit of time,
#   and a column that no query names does not matter.
# Seen: DuckDB 2.0.1 hands over comparisons of timestamps in microseconds alone. Those of seconds,
#   milliseconds and nanoseconds (what pandas writes) it tests itself, after the dataset has read
#   every row. x > 1 of doubles stays behind, too, x < 1 is handed over. A dataset with a column of
#   float16 is refused as a whole, also by a query that does not name the column.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check duckdb==2.0.1 pyarrow==26.0.1 \
  numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import duckdb
import pyarrow as pa
import pyarrow.dataset

requests = []


class Watched(pa.dataset.Dataset):
    """A dataset in memory that notes the filters."""

    def __init__(self, table):
        self._table = table

    @property
    def schema(self):
        return self._table.schema

    def scanner(self, columns=None, filter=None, **options):
        requests.append(filter is not None)
        return pa.dataset.dataset(self._table).scanner(columns=columns, filter=filter)


units = {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9}
table = pa.table(
    {f"t_{unit}": pa.array([0, second], pa.timestamp(unit)) for unit, second in units.items()}
    | {f"z_{unit}": pa.array([0, units[unit]], pa.timestamp(unit, "UTC")) for unit in ("us", "ns")}
    | {"x": [0.5, 2.5], "row": [1, 2]}
)
watched = Watched(table)
after = {f"t_{unit}": f"t_{unit} > TIMESTAMP '1970-01-01'" for unit in units}
after |= {"z_us": "z_us > TIMESTAMPTZ '1970-01-01 00:00:00+00'"}
after |= {"z_ns": "z_ns > TIMESTAMPTZ_NS '1970-01-01 00:00:00+00'"}
after |= {"x > 1": "x > 1", "x < 1": "x < 1"}
handed = {}
for name, condition in after.items():
    requests.clear()
    found = duckdb.sql(f"SELECT row FROM watched WHERE {condition}").fetchall()
    assert found == [(1,) if name == "x < 1" else (2,)], "changed"
    handed[name] = requests == [True]
    print(f"{condition}: {'handed over' if handed[name] else 'tested by DuckDB'}")
assert handed == {
    "t_s": False, "t_ms": False, "t_us": True, "t_ns": False, "z_us": True, "z_ns": False,
    "x > 1": False, "x < 1": True,
}, "changed"

watched = Watched(table.append_column("h", pa.array([0.5, 1.5], pa.float16())))
try:
    print(duckdb.sql("SELECT row FROM watched").fetchall())
    raise SystemExit("changed")
except duckdb.NotImplementedException as error:
    print("with an unused column of float16:", str(error).splitlines()[0])
    assert "Unsupported Internal Arrow Type e" in str(error), "changed"
PY
echo "as recorded"
