#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: polars.from_arrow of any object with __arrow_c_stream__ whose batches are structs gives a
#   DataFrame, as of a pyarrow table.
# Seen: polars 2.1.0 gives a Series of Struct unless the object is of a class that it knows;
#   polars.DataFrame(object) gives the frame.
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


class Stream:
    def __arrow_c_stream__(self, requested_schema=None):
        return pa.table({"a": [1, 2]}).__arrow_c_stream__(requested_schema)


seen = polars.from_arrow(Stream())
print("from_arrow ->", type(seen).__name__, seen.dtype)
assert isinstance(seen, polars.Series) and seen.dtype == polars.Struct, "changed"
assert isinstance(polars.DataFrame(Stream()), polars.DataFrame), "changed"
PY
echo "as recorded"
