#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: The metrics of scikit-learn for errors compute integers in float64, as mean_squared_error
#   does; different vectors of float64 have a distance above 0.
# Seen: scikit-learn 1.9.1: max_error of -100 and 120 in int8 is 36, median_absolute_error wraps
#   as well, and auc is -32 where it is 20000; mean_absolute_error is right. euclidean_distances
#   of (1e9, 1) and (1e9, 2) is 0 (it computes x² - 2xy + y²), as are neighbours found by brute
#   force; those by a tree are at 1.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  scikit-learn==1.9.1 scipy==1.17.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from sklearn import metrics
from sklearn.neighbors import NearestNeighbors

true, seen = np.array([-100, 100, 0], np.int8), np.array([120, -120, 1], np.int8)
for name, wrong in (
    ("max_error", 36),
    ("median_absolute_error", 36),
    ("mean_absolute_error", None),
    ("mean_squared_error", None),
):
    function = getattr(metrics, name)
    result, right = function(true, seen), function(true.astype(float), seen.astype(float))
    print(f"{name} of int8: {result}, of float64: {right}")
    assert result == (right if wrong is None else wrong), "changed"
    assert wrong is None or right >= 220, "changed"
x, y = np.array([-100, 100], np.int8), np.array([100, 100], np.int8)
right = metrics.auc(x.astype(float), y.astype(float))
print("auc of int8:", metrics.auc(x, y), "of float64:", right)
assert metrics.auc(x, y) == -32 and right == 20000, "changed"
vectors = np.array([[1e9, 1.0], [1e9, 2.0], [1e9, 50.0]])
seen = metrics.pairwise.euclidean_distances(vectors)[0]
print("distances of 1, 2, 50 from 1, at 1e9:", seen.tolist())
assert seen[1] == 0 and 50 < seen[2] < 51, "changed"
for algorithm, expected in (("brute", 0), ("kd_tree", 1)):
    model = NearestNeighbors(n_neighbors=1, algorithm=algorithm).fit(vectors[1:])
    distance = model.kneighbors(vectors[:1])[0][0, 0]
    print(f"{algorithm}: the nearest is at", distance)
    assert distance == expected, "changed"
PY
echo "as recorded"
