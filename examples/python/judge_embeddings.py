# SPDX-License-Identifier: Apache-2.0
"""Embeddings from end to end: judge the compressions, pack with the best one, search.

    ./dev python examples/python/judge_embeddings.py [FILE.npy]

Writes vectors.cvc to the current folder.
"""

import sys

import numpy as np

from numpact import cvc

made_up = np.random.default_rng(7).normal(size=(5000, 64)).astype(np.float32)
vectors = np.load(sys.argv[1]) if len(sys.argv) > 1 else made_up
report = cvc.quality(vectors, ["fp16", "int8_dim", "int4"], metric="dot")
print(report)
cvc.pack_cvc(vectors, "vectors.cvc", report.recommended or "fp16")
reader = cvc.Reader("vectors.cvc")
scores = reader.read() @ vectors[42].astype(np.float32)
nearest = np.argsort(-scores)[:5]
print("rows of the largest products with row 42:", nearest, scores[nearest].round(2))
print("first values of these rows:", reader.gather(nearest)[:, 0])
