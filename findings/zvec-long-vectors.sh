#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: a component that float16 cannot hold is refused; with the cosine the length does not
#   matter.
# Seen: zvec 0.8.0: 70000 in VECTOR_FP16 is stored as infinity, insert says ok, and by L2 the
#   vector is not found, although all are asked for. With the cosine a vector is stored divided by
#   its length: one of float32 longer than 1.8e19, or of float16 with 70000, comes back as NaN
#   only. Shorter ones are exact in float32, but not in float16: 0.1 is 0.09991.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  zvec==0.8.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import zvec
from zvec import DataType, Doc, MetricType

VECTORS = {"a": [0.1, 0.2, 0.3, 0.4], "large": [0, 0, 0, 70000.0], "long": [3e20, 1, 1, 1]}


def stored(folder, dtype, metric):
    schema = zvec.CollectionSchema(
        "c", vectors=zvec.VectorSchema(
            "v", dtype, 4, index_param=zvec.FlatIndexParam(metric_type=metric)
        ),
    )
    collection = zvec.create_and_open(folder, schema)
    for name, vector in VECTORS.items():
        assert collection.insert(Doc(id=name, vectors={"v": vector})).ok(), "changed"
    found = collection.query(zvec.Query("v", vector=[1.0, 2.0, 3.0, 4.0]), topk=9)
    documents = collection.fetch(list(VECTORS)).items()
    vectors = {name: list(document.vectors["v"]) for name, document in documents}
    return sorted(doc.id for doc in found), vectors


for folder, dtype, metric, names, expected in (
    ("1", DataType.VECTOR_FP32, MetricType.L2, ["a", "large"],
     {"large": "[0.0, 0.0, 0.0, 70000.0]"}),
    ("2", DataType.VECTOR_FP16, MetricType.L2, ["a"], {"large": "[0.0, 0.0, 0.0, inf]"}),
    ("3", DataType.VECTOR_FP32, MetricType.COSINE, ["a", "large", "long"],
     {"large": "[0.0, 0.0, 0.0, 70000.0]", "long": "[nan, nan, nan, nan]"}),
    ("4", DataType.VECTOR_FP16, MetricType.COSINE, ["a"],
     {"large": "[nan, nan, nan, nan]", "a": "[0.09991455078125, 0.1998291015625, "
      "0.300048828125, 0.399658203125]"}),
):
    found, vectors = stored(folder, dtype, metric)
    print(dtype.name, metric.name, "found", found, vectors)
    assert found == names, "changed"
    for name, text in expected.items():
        assert str(vectors[name]) == text, "changed"
PY
echo "as recorded"
