#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: the cosine distance to a vector of zeros is 1 everywhere, since its similarity is 0, or NaN
#   everywhere; a search for all vectors finds it.
# Seen: lancedb 0.40.0 leaves the vector of zeros out, however many results are asked for, without a
#   message; DuckDB 2.0.1 says NaN; usearch 2.26.6 says 1, and 0 between zeros and zeros;
#   Voyager 2.2.3 says 1, also between zeros.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  lancedb==0.40.0 usearch==2.26.6 voyager==2.2.3 duckdb==2.0.1 \
  pyarrow==26.0.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import duckdb
import lancedb
import numpy as np
import pyarrow as pa
import voyager
from usearch.index import Index

zeros, query = [0.0] * 4, [0.1, 0.2, 0.3, 0.4]
vectors = np.array([zeros, query, [-x for x in query], query[::-1]], np.float32)

fixed = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), 4)
table = lancedb.connect("l").create_table("t", pa.table({"id": range(4), "vector": fixed}))
rows = table.search(query).distance_type("cosine").limit(10).to_list()
print("LanceDB:", [(row["id"], round(row["_distance"], 3)) for row in rows])
assert [row["id"] for row in rows] == [1, 3, 2], "changed"

for other in (query, zeros):
    seen = duckdb.sql(f"select array_cosine_distance({zeros}::float[4], {other}::float[4])")
    seen = seen.fetchall()[0][0]
    print("DuckDB: zeros to", other, seen)
    assert np.isnan(seen), "changed"

index = Index(ndim=4, metric="cos", dtype="f32")
index.add(np.arange(4), vectors)
for other, expected in ((query, 1), (zeros, 0)):
    matches = index.search(np.array(other, np.float32), 4)
    seen = dict(zip(matches.keys.tolist(), matches.distances.tolist()))
    print("usearch: from", other, seen)
    assert seen[0] == expected, "changed"

index = voyager.Index(voyager.Space.Cosine, 4)
index.add_items(vectors)
for other in (query, zeros):
    places, distances = index.query(np.array(other, np.float32), 4)
    seen = dict(zip(places.tolist(), distances.tolist()))
    print("Voyager: from", other, seen)
    assert seen[0] == 1, "changed"
PY
echo "as recorded"
