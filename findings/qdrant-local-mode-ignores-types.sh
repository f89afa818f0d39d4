#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: the local mode of qdrant-client stores vectors in the datatype of the collection, as the
#   server does: float16 has eleven bits, uint8 no fractions.
# Seen: qdrant-client 1.20.0: in local mode (":memory:" or a path) the datatype is accepted and not
#   used: 1.5, -5 and 70000 come back from UINT8 and FLOAT16 as they are, and 1/3 in all digits of
#   float32. get_collection says uint8. So tests with it do not show what a server would lose.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  qdrant-client==1.20.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
from qdrant_client import QdrantClient, models

VECTORS = [[1.5, 1 / 3], [300.0, -5.0], [70000.0, 0.1]]
client = QdrantClient(":memory:")
seen = {}
for datatype in models.Datatype:
    parameters = models.VectorParams(
        size=2, distance=models.Distance.EUCLID, datatype=datatype
    )
    client.create_collection(datatype.value, parameters)
    client.upsert(datatype.value, [
        models.PointStruct(id=i, vector=vector) for i, vector in enumerate(VECTORS)
    ])
    points = client.retrieve(datatype.value, [0, 1, 2], with_vectors=True)
    found = client.query_points(datatype.value, [1.5, 0.0], limit=1).points[0]
    said = client.get_collection(datatype.value).config.params.vectors.datatype
    seen[datatype.value] = [point.vector for point in points] + [found.score]
    print(f"{datatype.value} (says {said.value}): {VECTORS} -> {seen[datatype.value]}")
    assert said == datatype, "changed"
assert len(seen) >= 3 and all(rows == seen["float32"] for rows in seen.values()), "changed"
assert seen["uint8"][0][0] == 1.5 and seen["float16"][2][0] == 70000, "changed"
PY
echo "as recorded"
