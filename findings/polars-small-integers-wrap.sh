#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: polars adds small integers in 64 bits in every kind of sum, as in sum(), or in none.
# Seen: polars 2.1.0, Int8 of 100, 100, 100: sum, the sum of a group, rolling_sum and list.sum give
#   300, sum_horizontal of two gives -56, dot 48. Sums of Int32 wrap: 2^31 - 1 twice is -2. UInt8
#   of 200 plus the literal 100 is 44, plus 300 it is 500.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  polars==2.1.0 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import polars as pl

byte = pl.Series("a", [100] * 3, dtype=pl.Int8)
frame = byte.to_frame()
expressions = {
    "sum": (pl.col("a").sum(), 300),
    "rolling_sum": (pl.col("a").rolling_sum(3).last(), 300),
    "list.sum": (pl.concat_list("a", "a", "a").list.sum().first(), 300),
    "sum_horizontal": (pl.sum_horizontal("a", "a").first(), -56),
    "dot": (pl.col("a").dot(pl.col("a")), 48),
}
for name, (expression, expected) in expressions.items():
    seen = frame.select(expression).item()
    print(f"{name} of Int8: {seen}")
    assert seen == expected, "changed"
assert frame.group_by(1).agg(pl.col("a").sum())["a"][0] == 300, "changed"
seen = pl.Series([2**31 - 1] * 2, dtype=pl.Int32).sum()
print("sum of 2^31 - 1 twice as Int32:", seen)
assert seen == -2, "changed"
frame = pl.DataFrame({"a": pl.Series([200], dtype=pl.UInt8)})
seen = [frame.select(pl.col("a") + number).item() for number in (55, 100, 255, 256, 300)]
print("200 of UInt8 plus 55, 100, 255, 256, 300:", seen)
assert seen == [255, 44, 199, 456, 500], "changed"
PY
echo "as recorded"
