#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: What sqlite-vec prints as JSON is the vector that is stored; sums of int8 are clipped or
#   refused; a vector with NaN is not near.
# Seen: sqlite-vec 0.1.9: vec_to_json has six digits after the point, so 1e-7 is 0.000000, and
#   infinity is Inf, which is no JSON. vec_add of int8 wraps: 100 + 100 is -56. A vector with NaN
#   has the distance NULL and is the second nearest of three. vec_quantize_int8 makes 126 of 1 and
#   -128 of -1.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  sqlite-vec==0.1.9 apsw==3.54.1.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import apsw
import numpy as np
import sqlite_vec

con = apsw.Connection(":memory:")
con.enable_load_extension(True)
con.load_extension(sqlite_vec.loadable_path())


def ask(query, *numbers):
    vectors = [np.array(x, np.float32).tobytes() for x in numbers]
    return list(con.execute(query, vectors))


for query, numbers, expected in (
    ("select vec_to_json(?)", [[1e-7, 1 / 3, np.inf]], "[0.000000,0.333333,Inf]"),
    ("select vec_to_json(vec_quantize_int8(?, 'unit'))", [[-1, 1, 0.5]], "[-128,126,63]"),
    ("select vec_to_json(vec_add(vec_int8('[100]'), vec_int8('[100]')))", [], "[-56]"),
):
    seen = ask(query, *numbers)[0][0]
    print(query, numbers, "->", seen)
    assert seen == expected, "changed"
con.execute("create virtual table v using vec0(e float[2])")
for row, vector in enumerate(([1, 0], [np.nan, 0], [0, 0])):
    data = np.array(vector, np.float32).tobytes()
    con.execute("insert into v(rowid, e) values (?, ?)", (row, data))
seen = ask("select rowid, distance from v where e match ? and k = 3", [1, 0])
print("nearest to (1, 0) of (1, 0), (NaN, 0), (0, 0):", seen)
assert seen == [(0, 0.0), (1, None), (2, 1.0)], "changed"
PY
echo "as recorded"
