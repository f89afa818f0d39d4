#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Delta tables hold microseconds: a column of nanoseconds is refused unless the caller
#   casts it, as unsigned integers out of range are.
# Seen: deltalake 1.6.6 cuts time stamps of nanoseconds to microseconds without a word. uint8 is
#   stored as Delta's signed byte: 200 is refused, with the two types of the message exchanged
#   ("Failed to cast x from Int8 to UInt8").
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  deltalake==1.6.6 pyarrow==26.0.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import deltalake
import pyarrow as pa

times = pa.table({"x": pa.array([1234567891], pa.timestamp("ns"))})
deltalake.write_deltalake("times", times)
back = deltalake.DeltaTable("times").to_pyarrow_table()["x"]
print("1234567891 ns ->", back.cast(pa.int64()).to_pylist(), back.type)
assert str(back.type) == "timestamp[us]" and back.cast(pa.int64()).to_pylist() == [1234567]
try:
    deltalake.write_deltalake("bytes", pa.table({"x": pa.array([200], pa.uint8())}))
    seen = "stored"
except Exception as error:
    seen = str(error)
print("200 as uint8 ->", seen)
assert "Failed to cast x from Int8 to UInt8" in seen, "changed"
PY
echo "as recorded"
