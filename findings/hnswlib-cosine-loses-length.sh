#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: get_items of an hnswlib index returns the vectors that were added, as it does for l2.
# Seen: hnswlib 0.8.0 stores unit vectors for the metric cosine: (3, 4) comes back as (0.6, 0.8),
#   so vectors of other lengths are equal, and what is saved with the index cannot be restored.
#   With l2 and ip they come back.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  hnswlib==0.8.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import hnswlib
import numpy as np

vectors = np.array([[3, 4], [300, 400]], np.float32)
for metric, expected in (("l2", vectors), ("ip", vectors), ("cosine", [[0.6, 0.8], [0.6, 0.8]])):
    index = hnswlib.Index(metric, 2)
    index.init_index(2)
    index.add_items(vectors, [0, 1])
    seen = np.array(index.get_items([0, 1]))
    print(f"{metric}: {vectors.tolist()} -> {seen.tolist()}")
    assert np.allclose(seen, expected, rtol=1e-6, atol=0), "changed"
PY
echo "as recorded"
