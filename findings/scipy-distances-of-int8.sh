#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: The functions of scipy.spatial.distance, which take vectors of any numbers, give for int8
#   and uint8 what cdist gives: they are computed in float64.
# Seen: scipy 1.17.1: euclidean, minkowski, cityblock and chebyshev subtract in the type of the
#   vectors, and that wraps: a distance of 269.4 between vectors of int8 is 95.5, and one of 400
#   is 152. cosine of int8 raises "math domain error", of uint8 it is 0.0 where it is 0.398, of
#   float16 NaN. cdist, sqeuclidean, correlation and canberra are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  scipy==1.17.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from scipy.spatial import distance

signed = np.array([[100, 120, -90, 5], [-100, 110, 90, -5]], np.int8)
for vectors, expected in (
    (signed, {"euclidean": 95.457, "minkowski": 95.457, "cityblock": 152, "chebyshev": 76}),
    (signed.view(np.uint8), {"euclidean": 214.42, "cityblock": 296, "cosine": 0}),
):
    for name, wrong in expected.items():
        seen = getattr(distance, name)(*vectors)
        right = distance.cdist(vectors[:1], vectors[1:], name)[0, 0]
        print(f"{name} of {vectors.dtype}: {seen:.5g}, by cdist {right:.5g}")
        assert np.isclose(seen, wrong, rtol=1e-4), "changed"
        assert not np.isclose(seen, right, rtol=1e-4), "changed"
        assert np.isclose(getattr(distance, name)(*vectors.astype(float)), right), "changed"
    for name in ("sqeuclidean", "correlation", "canberra", "braycurtis"):
        right = distance.cdist(vectors[:1], vectors[1:], name)[0, 0]
        assert np.isclose(getattr(distance, name)(*vectors), right), "changed"
try:
    message = str(distance.cosine(*signed))
except ValueError as error:
    message = str(error)
print("cosine of int8:", message)
assert message == "math domain error", "changed"
half = np.float16([[300, 200, -250], [-299, -199, 251]])
seen = distance.cosine(*half), distance.cosine(*half.astype(float))
print("cosine of float16 and of the same in float64:", *seen)
assert np.isnan(seen[0]) and np.isclose(seen[1], 2, atol=1e-4), "changed"
PY
echo "as recorded"
