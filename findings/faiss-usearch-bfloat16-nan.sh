#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Conversions of float32 to bfloat16 keep NaN a NaN, and faiss and usearch round ties to
#   even, as hardware does.
# Seen: faiss-cpu 1.15.1 and usearch 2.26.6 turn the NaN 0x7fffffff into -0.0 and 0xffffffff into
#   0.0. They differ on ties: 0x3f808000, half way between two bfloat16, goes up (3f81) in faiss
#   and to even (3f80) in usearch.
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

bits = np.array([[0x7FFFFFFF, 0xFFFFFFFF, 0x3F808000, 0x3F818000]], np.uint32)
vectors = bits.view(np.float32)
quantizer = faiss.ScalarQuantizer(4, faiss.ScalarQuantizer.QT_bf16)
stored = quantizer.compute_codes(vectors).view(np.uint16)[0]
seen = {"faiss": [f"{int(x):04x}" for x in stored]}
index = Index(ndim=4, metric="l2sq", dtype="bf16")
index.add(np.arange(1), vectors)
back = np.asarray(index.get(np.arange(1)), np.float32).reshape(-1)
seen["usearch"] = [f"{int(x) >> 16:04x}" for x in back.view(np.uint32)]
print("7fffffff ffffffff 3f808000 3f818000 ->", seen)
assert seen["faiss"] == ["8000", "0000", "3f81", "3f82"], "changed"
assert seen["usearch"] == ["8000", "0000", "3f80", "3f82"], "changed"
PY
echo "as recorded"
