#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A filter `x == 0.0` finds -0.0 and `x >= 0.0` too, as IEEE 754, Lance and the SQL engines
#   have it.
# Seen: vortex-data 0.93.0 compares floats in total order: -0.0 is less than 0.0 and differs from
#   it, and NaN is greater than all. pylance 14.0.2 finds both zeros.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  vortex-data==0.93.0 pylance==14.0.2 pyarrow==26.0.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import lance
import pyarrow as pa
import vortex
import vortex.expr

table = pa.table({"x": pa.array([-0.0, 0.0, float("nan")])})
vortex.io.write(vortex.array(table), "x.vortex")
x = vortex.expr.column("x")


def found(condition):
    rows = vortex.open("x.vortex").scan(expr=condition).read_all().to_arrow_array()
    return rows.field("x").to_pylist()


for name, condition, expected in (
    ("x == 0.0", x == 0.0, "[0.0]"),
    ("x >= 0.0", x >= 0.0, "[0.0, nan]"),
    ("x < 0.0", x < 0.0, "[-0.0]"),
):
    print(f"vortex {name}: {found(condition)}")
    assert str(found(condition)) == expected, "changed"
seen = lance.write_dataset(table, "x.lance").to_table(filter="x = 0.0")["x"].to_pylist()
print("lance x = 0.0:", seen)
assert str(seen) == "[-0.0, 0.0]", "changed"
PY
echo "as recorded"
