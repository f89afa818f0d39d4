#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: The sum of an Int64 and a UInt64 column in polars is Float64 (as in NumPy) or Int64, and
#   pyarrow reads each frame of polars.
# Seen: polars 2.1.0 gives Int128, which leaves as the format `_pli128` that Arrow does not have:
#   pyarrow 26.0.1 raises ArrowInvalid for the whole frame.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  polars==2.1.0 pyarrow==26.0.1 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import polars
import pyarrow as pa

frame = polars.DataFrame(
    {"a": [1], "b": [2]}, schema={"a": polars.Int64, "b": polars.UInt64}
).with_columns(c=polars.col("a") + polars.col("b"))
print("Int64 + UInt64 ->", frame["c"].dtype)
assert frame["c"].dtype == polars.Int128, "changed"
try:
    seen = str(pa.table(frame).schema)
except pa.ArrowInvalid as error:
    seen = str(error)
print("pyarrow.table(frame) ->", seen)
assert "_pli128" in seen, "changed"
PY
echo "as recorded"
