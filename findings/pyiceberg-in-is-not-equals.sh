#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: x in (0.0, 5.0) finds what x = 0.0 or x = 5.0 finds; the literal of a filter on a float32
#   column is a float32, as Iceberg's specification has it.
# Seen: pyiceberg 0.12.0 with pyarrow 26.0.1: = 0.0 and in (0.0), which becomes =, find -0.0 too,
#   in (0.0, 5.0) does not. On float32 neither = 0.1 nor in (0.1, 5.0) finds 0.1; the same number
#   as float32 does.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  "pyiceberg[sql-sqlite]==0.12.0" pyarrow==26.0.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.expressions import EqualTo, In, Or

folder = Path.cwd()
catalog = SqlCatalog("c", uri=f"sqlite:///{folder}/c.db", warehouse=f"file://{folder}")
catalog.create_namespace("n")


def stored(name, numbers):
    rows = pa.table({"x": numbers})
    table = catalog.create_table(f"n.{name}", rows.schema)
    table.append(rows)
    return lambda expression: table.scan(row_filter=expression).to_arrow()["x"].to_pylist()


tenth = float(np.float32(0.1))
doubles = stored("doubles", pa.array([0.0, -0.0, 1.0]))
floats = stored("floats", pa.array([0.1, 1.0], pa.float32()))
for name, find, expression, expected in (
    ("double", doubles, EqualTo("x", 0.0), [0.0, -0.0]),
    ("double", doubles, In("x", [0.0]), [0.0, -0.0]),
    ("double", doubles, Or(EqualTo("x", 0.0), EqualTo("x", 5.0)), [0.0, -0.0]),
    ("double", doubles, In("x", [0.0, 5.0]), [0.0]),
    ("float", floats, EqualTo("x", 0.1), []),
    ("float", floats, In("x", [0.1, 5.0]), []),
    ("float", floats, EqualTo("x", tenth), [tenth]),
):
    seen = find(expression)
    print(name, expression, seen)
    assert str(seen) == str(expected), "changed"
PY
echo "as recorded"
