#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: a vector of zeros has no direction, so with the cosine it is the farthest of all, or its
#   similarity is 0.
# Seen: scalable-vs (Intel SVS) 0.5.0: its similarity is NaN, which compares with nothing. For k=2
#   the vector of zeros is in front of a vector that equals the query; for k=1 neither is found,
#   but the third. A graph (Vamana) gives the vector of zeros. The same holds for a vector
#   with NaN. L2 is right for zeros.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  scalable-vs==0.5.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import svs

vectors = np.random.default_rng(1).normal(size=(200, 8)).astype(np.float32)
vectors[50] = 0
query = vectors[10:11].copy()


def search(index, count):
    places, scores = index.search(query, count)
    return places[0].tolist(), scores[0].tolist()


for name, distance, count, expected in (
    ("L2", svs.L2, 1, [10]),
    ("cosine", svs.Cosine, 1, [172]),
    ("cosine", svs.Cosine, 3, [50, 10, 13]),
):
    places, scores = search(svs.Flat(vectors, distance), count)
    print(f"{name}: {count} nearest to vector 10: {places}, scores {scores}")
    assert places == expected, "changed"
    assert np.isnan(scores[0]) == (places[0] == 50), "changed"
parameters = svs.VamanaBuildParameters(graph_max_degree=16, window_size=32, alpha=0.9)
graph = svs.Vamana.build(parameters, vectors, svs.Cosine)
graph.search_window_size = 32
print("cosine, Vamana:", search(graph, 1))
assert search(graph, 1)[0] == [50], "changed"
vectors[50] = np.nan
assert search(svs.Flat(vectors, svs.Cosine), 3)[0] == [50, 10, 13], "changed"
PY
echo "as recorded"
