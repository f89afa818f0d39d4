# SPDX-License-Identifier: Apache-2.0
"""Embeddings on disk, and the nearest of them to a query, a block at a time.

Half floats are kept as they are: nothing is lost, so the search is exact. Memory is bounded by the
block, whatever the size of the collection.

    ./dev python examples/python/embeddings_search.py [FILE.npy]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import numpact

Matrix = npt.NDArray[Any]

ROWS_OF_A_BLOCK = 1024


def made_up(rows: int, dimension: int) -> Matrix:
    """Unit vectors around some topics, as embeddings are."""
    random = np.random.default_rng(7)
    topics = random.normal(size=(50, dimension))
    vectors = topics[random.integers(0, len(topics), rows)]
    vectors = vectors + random.normal(scale=0.6, size=(rows, dimension))
    unit: Matrix = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit.astype(np.float16)


def store(vectors: Matrix, path: Path) -> None:
    """Rows one after another; a chunk of the file is a block of rows."""
    block = ROWS_OF_A_BLOCK * vectors.shape[1]
    with numpact.Writer(path, vectors.dtype, paging=block) as writer:
        for first in range(0, len(vectors), ROWS_OF_A_BLOCK):
            writer.write(vectors[first : first + ROWS_OF_A_BLOCK])


def search(path: Path, query: Matrix, k: int) -> list[tuple[int, float]]:
    """The k rows of the largest inner product with the query: row and product, best first."""
    best: list[tuple[int, float]] = []
    with numpact.open(path) as file:
        first = 0
        for numbers in file:
            block = numbers.reshape(-1, query.size).astype(np.float32)
            scores = block @ query.astype(np.float32)
            top = np.argsort(-scores)[:k]
            best += [(first + int(row), float(scores[row])) for row in top]
            best = sorted(best, key=lambda hit: -hit[1])[:k]
            first += len(block)
    return best


def row(path: Path, index: int, dimension: int) -> Matrix:
    """One vector; only the block that holds it is decoded."""
    with numpact.open(path) as file:
        vector: Matrix = file[index * dimension : (index + 1) * dimension]
    return vector


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="a matrix of floats")
    parser.add_argument("-k", type=int, default=5)
    arguments = parser.parse_args()
    vectors = np.load(arguments.file) if arguments.file else made_up(20_000, 128)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "embeddings.pco"
        store(vectors, path)
        print(f"{vectors.nbytes} bytes became {path.stat().st_size}")
        query = row(path, len(vectors) // 2, vectors.shape[1])
        hits = search(path, query, arguments.k)
        for index, score in hits:
            print(f"row {index:6}  {score:.4f}")
        products = vectors.astype(np.float32) @ query.astype(np.float32)
        exact = np.sort(products)[::-1][: arguments.k]
        if not np.allclose([score for _, score in hits], exact):
            raise SystemExit("the search missed some")


if __name__ == "__main__":
    main()
