#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A stored vector with NaN has no distance to any other: an index leaves it out of the
#   results, as faiss does, or ranks it last.
# Seen: usearch 2.26.6 ranks it first, with the distance NaN, before the vector that equals the
#   query. faiss-cpu 1.15.1 answers -1 in its place, at the end.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  faiss-cpu==1.15.1 usearch==2.26.6 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import faiss
import numpy as np
from usearch.index import Index

vectors = np.array([[1, 2], [np.nan, 1], [3, 4]], np.float32)
query = np.array([[1, 2]], np.float32)
index = Index(ndim=2, metric="l2sq", dtype="f32")
index.add(np.arange(3), vectors)
found = index.search(query[0], 3)
print("usearch:", found.keys.tolist(), found.distances.tolist())
assert found.keys.tolist() == [1, 0, 2] and np.isnan(found.distances[0]), "changed"
flat = faiss.IndexFlatL2(2)
flat.add(vectors)
distances, keys = flat.search(query, 3)
print("faiss:", keys[0].tolist(), distances[0].tolist())
assert keys[0].tolist() == [0, 2, -1], "changed"
PY
echo "as recorded"
