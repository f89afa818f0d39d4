# SPDX-License-Identifier: Apache-2.0
# pyright: reportMissingImports=false
"""Folders of tables as a Ray dataset, read with a filter and written: a recipe to copy.

It takes numpact, ray[data], pyarrow and fsspec.

python ray_tables.py                                       # makes a dataset and reads it
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import fsspec
import numpy as np
import pyarrow as pa
import ray
from ray.data.block import BlockMetadata
from ray.data.datasource import Datasink, Datasource, ReadTask

import numpact


class Tables(Datasource):  # type: ignore[misc, unused-ignore]
    """The tables below a folder, each a task: of some columns the rows that match a filter."""

    def __init__(self, root: str, columns: list[str] | None = None, where: Any = None) -> None:
        fs, path = fsspec.core.url_to_fs(root)
        found = sorted(fs.glob(f"{path}/**/manifest.json"))
        self._folders = [fs.unstrip_protocol(name.rpartition("/")[0]) for name in found]
        self._columns, self._where = columns, where

    def estimate_inmemory_data_size(self) -> int | None:
        return None

    def get_read_tasks(self, parallelism: int, *_: Any, **__: Any) -> list[ReadTask]:
        read = partial(read_table, columns=self._columns, where=self._where)
        return [
            ReadTask(partial(read, folder), BlockMetadata(None, None, None, (folder,)))
            for folder in self._folders
        ]


def read_table(folder: str, columns: list[str] | None, where: Any) -> Iterator[pa.Table]:
    # Ray runs a task for each processor: one thread is enough.
    with numpact.open_table(folder, threads=1) as table:
        for batch in table.batches(columns, where=where):
            yield batch.to_arrow()


class TableSink(Datasink):  # type: ignore[misc, unused-ignore]
    """Writes a table for each task into a local folder, or one that all workers mount."""

    def __init__(self, root: str) -> None:
        self._root = root

    def write(self, blocks: Iterable[pa.Table], ctx: Any) -> None:
        rows = pa.concat_tables(map(pa.table, blocks))
        # A task that is run again replaces what it wrote.
        numpact.write_table(rows, f"{self._root}/part-{ctx.task_idx:05}", threads=1, overwrite=True)


def main() -> None:
    random = np.random.default_rng(1)
    ray.init(num_cpus=2, include_dashboard=False, logging_level=logging.ERROR)
    try:
        with tempfile.TemporaryDirectory() as folder:
            for day in range(3):
                prices = (random.integers(-3, 4, 50_000).cumsum() + 10_000) / 100
                rows = {"day": np.full(50_000, day), "price": prices, "size": np.arange(50_000)}
                numpact.write_table(rows, f"{folder}/in/day-{day}")
            some = ray.data.read_datasource(
                Tables(f"{folder}/in", ["price", "size"], "size >= 49000 and day in (1, 2)")
            )
            print(f"{some.count()} rows, sizes from {some.min('size')}")
            some.write_datasink(TableSink(f"{folder}/out"))
            again = ray.data.read_datasource(Tables(f"{folder}/out"))
            print(f"{again.count()} rows written, the same sum: {same_sum(some, again)}")
    finally:
        ray.shutdown()


def same_sum(one: ray.data.Dataset, other: ray.data.Dataset) -> bool:
    return bool(np.isclose(one.sum("price"), other.sum("price")))


if __name__ == "__main__":
    main()
