#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: An index of int8 finds about the same neighbours as one of float32; it may clip or scale
#   all vectors.
# Seen: usearch 2.26.6 scales each vector to length 127, with each metric: by l2sq [0.1, 0] and
#   [100, 0] have distance 0, the inner product no longer prefers the longer vector, and nothing
#   says that the lengths are lost. float16 and bfloat16 keep them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  usearch==2.26.6 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from usearch.index import Index

vectors = np.array([[0.1, 0], [0.9, 0.1], [100, 0]], np.float32)
query = np.array([0.1, 0], np.float32)
for metric, dtype, nearest, distances in (
    ("l2sq", "f32", [0, 1, 2], [0, 0.65, 9980.01]),
    ("l2sq", "f16", [0, 1, 2], [0, 0.65, 9980.01]),
    ("l2sq", "i8", [{0, 2}, 1], [0, 0, 197]),
    ("ip", "f32", [2, 1, 0], [-9, 0.91, 0.99]),
    ("ip", "i8", [{0, 2}, 1], [-16128, -16128, -16001]),
):
    index = Index(ndim=2, metric=metric, dtype=dtype)
    index.add(np.arange(3), vectors, threads=1)
    found = index.search(query, 3, threads=1)
    print(metric, dtype, found.keys.tolist(), found.distances.tolist())
    keys = found.keys.tolist()
    assert keys == nearest or [set(keys[:2]), keys[2]] == nearest, "changed"
    assert np.allclose(found.distances, distances, rtol=0.01, atol=0.01), "changed"
    if dtype == "i8":
        assert (index.get(0) == index.get(2)).all(), "changed"
PY
echo "as recorded"
