# SPDX-License-Identifier: Apache-2.0
"""Columns of Pco files on several machines: written in parallel, indexed once, read by ranges.

    python dask_columns.py
    python dask_columns.py --rows 100_000_000 --workers 8 --folder s3://bucket/trades

It takes pip install '.[dask]' in a checkout of numpact.
"""

from __future__ import annotations

import argparse
import pickle
import tempfile
import time
from typing import Any

import dask.array as da
import numpy as np
import numpy.typing as npt
from distributed import Client, LocalCluster

import numpact.dask

START = np.datetime64("2025-01-02T09:00", "us").astype(np.int64)


def prices(rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """A walk in cents."""
    steps = np.random.default_rng(int(rows[0])).integers(-3, 4, rows.size)
    return (steps.cumsum() + 10_000) / 100


def times(rows: npt.NDArray[np.int64]) -> npt.NDArray[np.datetime64]:
    """Some milliseconds apart, in order."""
    jitter = np.random.default_rng(int(rows[0]) + 1).integers(0, 4000, rows.size)
    moments: npt.NDArray[np.datetime64] = (START + rows * 4000 + jitter).astype("M8[us]")
    return moments


def volumes(rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    random = np.random.default_rng(int(rows[0]) + 2)
    lots: npt.NDArray[np.int32] = 10 + 10 * random.geometric(0.02, rows.size).astype(np.int32)
    return lots


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--rows-per-file", type=int, default=0, help="default: 8 files")
    parser.add_argument("--chunk", type=int, default=65_536, help="numbers in a Pco chunk")
    parser.add_argument("--workers", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--folder", help="path or URL (default: a temporary folder)")
    options = parser.parse_args()
    per_file = options.rows_per_file or -(-options.rows // 8)

    with (
        tempfile.TemporaryDirectory() as temporary,
        LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=options.workers, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster),  # type: ignore[no-untyped-call]
    ):
        folder = options.folder or temporary
        rows: Any = da.arange(options.rows, chunks=per_file)
        columns = {
            "price": rows.map_blocks(prices, dtype="f8"),
            "at": rows.map_blocks(times, dtype="M8[us]"),
            "volume": rows.map_blocks(volumes, dtype="i4"),
        }

        start = time.perf_counter()
        for name, column in columns.items():
            index = numpact.dask.to_pco(
                column, f"{folder}/{name}", paging=options.chunk, overwrite=True
            )
            index.save(f"{folder}/{name}.index.json")
            packed = sum(file.end + 1 for file in index)
            print(
                f"{name:8} {column.nbytes:>13,} bytes became {packed:>12,}: {index}, "
                f"as JSON {len(index.to_json()):,} bytes"
            )
        print(f"made and written in {time.perf_counter() - start:.1f} s")

        # A stretch of one column: only the chunks that hold it are fetched.
        middle = options.rows // 2
        x: Any = numpact.dask.from_pco(
            f"{folder}/price", by="chunk", index=f"{folder}/price.index.json"
        )
        part = x[middle : middle + 1000]
        task = len(pickle.dumps(next(iter(dict(x.dask).values()))))
        print(f"{x.npartitions} tasks of some {task} bytes can read it all")
        print(f"rows {middle:,} to {middle + 1000:,}: mean price {part.mean().compute():.2f}")

        # A table of the columns: those that a question does not name are not read.
        table: Any = numpact.dask.from_pco_table(
            {name: f"{folder}/{name}" for name in columns}, dtypes={"at": "M8[us]"}
        )
        turnover = (table.price * table.volume).sum().compute()
        expected = (columns["price"] * columns["volume"]).sum().compute()
        if abs(turnover - expected) > 1e-9 * expected:
            raise SystemExit(f"the turnover read back is {turnover}, not {expected}")
        print(f"turnover {turnover:,.2f}, of {table.divisions[-1] + 1:,} rows: the same as before")


if __name__ == "__main__":
    main()
