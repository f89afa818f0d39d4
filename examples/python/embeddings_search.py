# SPDX-License-Identifier: Apache-2.0
"""Embeddings on disk, searched chunk by chunk: what smaller files cost in recall.

Memory is bounded by a chunk, whatever the size of the collection.

    ./dev python examples/python/embeddings_search.py [FILE.npy]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from numpact import cvc

Matrix = npt.NDArray[Any]


def made_up(rows: int, dimension: int) -> Matrix:
    """Unit vectors around some topics, as embeddings are."""
    random = np.random.default_rng(7)
    topics = random.normal(size=(50, dimension))
    vectors = topics[random.integers(0, len(topics), rows)]
    vectors = vectors + random.normal(scale=0.6, size=(rows, dimension))
    unit: Matrix = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit.astype(np.float32)


def search(path: Path, queries: Matrix, k: int) -> Matrix:
    """The k rows of the largest inner product with each query, best first."""
    best_rows = np.empty((len(queries), 0), np.int64)
    best_scores = np.empty((len(queries), 0), np.float32)
    reader = cvc.Reader(path)
    for index, chunk in enumerate(reader.info.chunks):
        scores = queries @ reader.read_chunk(index).T
        rows = np.broadcast_to(
            np.arange(chunk.first_row, chunk.first_row + chunk.rows), scores.shape
        )
        scores = np.hstack([best_scores, scores])
        rows = np.hstack([best_rows, rows])
        order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        best_scores = np.take_along_axis(scores, order, axis=1)
        best_rows = np.take_along_axis(rows, order, axis=1)
    return best_rows


def recall(found: Matrix, expected: Matrix) -> float:
    """The share of the true neighbours that were found."""
    hits = sum(len(np.intersect1d(a, b)) for a, b in zip(found, expected, strict=True))
    return hits / expected.size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="a matrix of floats")
    parser.add_argument("-k", type=int, default=10)
    arguments = parser.parse_args()
    vectors = np.load(arguments.file) if arguments.file else made_up(20_000, 128)
    vectors = vectors.astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        exact = Path(folder) / "exact.cvc"
        cvc.pack_cvc(vectors, exact, "lossless", chunk_size=2000)
        # A few rows are fetched without reading the rest.
        queries = cvc.Reader(exact).gather(np.arange(0, len(vectors), len(vectors) // 100))
        expected = search(exact, queries, arguments.k)
        print(f"{len(vectors)} vectors of {vectors.shape[1]}, {vectors.nbytes} bytes as float32")
        print(f"compression      bytes  recall@{arguments.k}   seconds")
        for compression in ("lossless", "fp16", "int8"):
            path = Path(folder) / f"{compression}.cvc"
            cvc.pack_cvc(vectors, path, compression, chunk_size=2000)
            start = time.perf_counter()
            found = search(path, queries, arguments.k)
            seconds = time.perf_counter() - start
            share = recall(found, expected)
            print(f"{compression:<11} {path.stat().st_size:>10} {share:>10.4f} {seconds:>9.3f}")
            if share < 0.9:
                raise SystemExit("most neighbours should have been found")


if __name__ == "__main__":
    main()
