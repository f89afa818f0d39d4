# SPDX-License-Identifier: Apache-2.0
# pyright: reportMissingImports=false
"""Pco files as a Ray dataset: a recipe to copy. It takes numpact, ray[data] and pyarrow.

python ray_pco.py                                          # makes some files and reads them
python ray_pco.py 's3://bucket/price/'                     # reads files of yours
"""

from __future__ import annotations

import logging
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import ray
from ray.data.datasource import FileBasedDatasource

import numpact


class PcoDatasource(FileBasedDatasource):  # type: ignore[misc, unused-ignore]
    """One column of numbers from the Pco files of paths and folders: a file or more to a task.

    A task reads a file whole, and gives out a block for each of its chunks.
    """

    def __init__(self, paths: str | list[str], *, column: str = "value", **options: Any) -> None:
        super().__init__(paths, file_extensions=["pco"], **options)
        self._column = column

    def _read_stream(self, f: pa.NativeFile, path: str) -> Iterator[pa.Table]:
        # Ray runs a task for each processor: one thread is enough.
        with numpact.open(f.readall(), threads=1) as file:
            for numbers in file:
                yield pa.table({self._column: numbers})


def make_files(folder: Path, files: int = 4, rows: int = 100_000) -> None:
    for i in range(files):
        steps = np.random.default_rng(i).integers(-3, 4, rows)
        with numpact.Writer(folder / f"{i}.pco", "float64", paging=25_000) as writer:
            writer.write((steps.cumsum() + 10_000) / 100)


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        make_files(Path(temporary))
        source = sys.argv[1] if len(sys.argv) > 1 else temporary
        ray.init(num_cpus=2, include_dashboard=False, logging_level=logging.ERROR)
        try:
            prices = ray.data.read_datasource(PcoDatasource(source, column="price"))
            print(f"{prices.count()} prices, mean {prices.mean('price'):.4f}")
            print(prices.schema())
        finally:
            ray.shutdown()


if __name__ == "__main__":
    main()
