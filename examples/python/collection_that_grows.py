# SPDX-License-Identifier: Apache-2.0
"""A day with a collection that grows: append, filter, join, search and load, with times.

The page docs/cvc-growing.md explains it. Batches need PyTorch and are left out without it.

    ./dev python examples/python/collection_that_grows.py [--rows N] [--dimension N]
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import numpact
from numpact import cvc

DAY = 10_000  # rows of an append


def timed(what: str, work: Callable[[], Any]) -> Any:
    """The result of the fastest of three runs."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    print(f"| {what} | {1e3 * min(times):,.1f} ms |")
    return result


def facts_of(ids: Any) -> pa.Table:
    return pa.table({"id": ids, "year": 1990 + ids % 35})


def search(vectors: cvc.Reader, query: Any) -> list[tuple[float, int]]:
    best = []
    for index, chunk in enumerate(vectors.info.chunks):
        scores = vectors.read_chunk(index, column="vectors") @ query
        top = np.argpartition(-scores, 10)[:10] if len(scores) > 10 else np.arange(len(scores))
        best += [(float(scores[row]), chunk.first_row + int(row)) for row in top]
    return sorted(best, reverse=True)[:10]


def load(documents: Path) -> int:
    import torch
    from torch.utils.data import DataLoader

    from numpact.torch import BlockSampler, VectorDataset

    data = VectorDataset(documents, "vectors", dtype=torch.float16)
    # Batches as tensors, without stacking rows.
    batches = DataLoader(data, batch_size=1024, sampler=BlockSampler(data))
    return sum(len(batch) for batch in batches)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--dimension", type=int, default=64)
    options = parser.parse_args()
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        documents, facts = Path(folder, "documents"), Path(folder, "facts")

        def some_vectors(count: int) -> Any:
            return random.normal(size=(count, options.dimension)).astype(np.float32)

        def add(rows: Any) -> None:
            first = len(cvc.Reader(documents)) if documents.exists() else 0
            ids = np.arange(first, first + len(rows))
            kept = {"vectors": "int8_dim"}
            data = {"vectors": rows, "id": ids}
            cvc.append(documents, data, compression=kept, rounding="nearest")
            if first == 0:
                numpact.write_table(facts_of(ids), facts)
            else:
                numpact.append_table(facts_of(ids), facts)

        add(some_vectors(options.rows))
        day = some_vectors(DAY)
        print("| step | time |\n| --- | --- |")
        timed(f"append {DAY:,} vectors and their facts", lambda: add(day))
        vectors = timed("open the collection", lambda: cvc.Reader(documents))
        table = numpact.open_table(facts)
        count = f"{len(vectors):,} rows"
        rows = timed(f"filter {count} by year", lambda: table.row_numbers("year = 2015"))
        some = rows[:1000]
        gather = lambda: vectors.gather(some, column="vectors")  # noqa: E731
        recent = timed(f"the vectors of {len(some):,} of them", gather)
        best = timed(f"search {count}", lambda: search(vectors, recent[7]))
        assert best[0][1] == some[7]
        if importlib.util.find_spec("torch") is not None:
            seen = timed(f"load {count} in shuffled batches", lambda: load(documents))
            assert seen == len(vectors)


if __name__ == "__main__":
    main()
