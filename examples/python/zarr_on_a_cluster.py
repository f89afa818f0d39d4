# SPDX-License-Identifier: Apache-2.0
"""A Zarr array that is too large for one process: Dask writes and reads it, Pco compresses it.

Hourly temperatures on a grid are made, written to Zarr and read back by two worker processes:

    python zarr_on_a_cluster.py
    python zarr_on_a_cluster.py --days 3650 --workers 16 --store s3://bucket/temperature.zarr

Nothing here imports numpact: Zarr finds the codec by its name, in every worker as well.
It takes pip install '.[zarr,dask]' in a checkout of numpact.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from typing import Any

import dask.array as da
import numpy as np
import numpy.typing as npt
import zarr
from distributed import Client, LocalCluster

LATITUDES, LONGITUDES = 90, 180
HOURS = 24


def day_of_temperatures(block: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    """Degrees in hundredths: warmer by noon and towards the equator, with weather that drifts."""
    hour = np.arange(block.size).reshape(-1, 1, 1)
    latitude = np.linspace(-np.pi / 2, np.pi / 2, LATITUDES).reshape(1, -1, 1)
    longitude = np.linspace(0, 2 * np.pi, LONGITUDES, endpoint=False).reshape(1, 1, -1)
    random = np.random.default_rng(int(block[0]))
    weather = random.normal(0, 0.4, (block.size, LATITUDES, LONGITUDES)).cumsum(axis=0)
    sun = 6 * np.cos(2 * np.pi * hour / HOURS + longitude) * np.cos(latitude)
    degrees: npt.NDArray[np.float32] = (30 * np.cos(latitude) - 5 + sun + weather).astype("f4")
    return np.round(degrees, 2)


def stored_bytes(array: Any) -> int:
    """What the chunks of a Zarr array take."""
    return int(array.nbytes_stored())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--days", type=int, default=40)
    parser.add_argument("--days-per-chunk", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--store", help="path or URL (default: a temporary folder)")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        store = options.store or f"{folder}/temperature.zarr"
        hours = da.arange(options.days * HOURS, chunks=options.days_per_chunk * HOURS)
        field: Any = hours.map_blocks(
            day_of_temperatures,
            dtype="f4",
            new_axis=[1, 2],
            chunks=(hours.chunks[0], (LATITUDES,), (LONGITUDES,)),
        )
        with (
            LocalCluster(  # type: ignore[no-untyped-call]
                n_workers=options.workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address=":0",
            ) as cluster,
            Client(cluster),  # type: ignore[no-untyped-call]
        ):
            array = zarr.create_array(
                store,
                shape=field.shape,
                chunks=field.chunksize,
                dtype=field.dtype,
                serializer={"name": "numcodecs.pcodec", "configuration": {}},
                compressors=None,
                overwrite=True,
            )
            start = time.perf_counter()
            untyped: Any = da
            untyped.to_zarr(field, array)
            written = time.perf_counter() - start

            start = time.perf_counter()
            total = float(untyped.from_zarr(store).sum(dtype="f8").compute())
            read = time.perf_counter() - start
            expected = float(field.sum(dtype="f8").compute())

        raw, packed = field.nbytes, stored_bytes(array)
        print(
            f"{field.shape} temperatures in {field.npartitions} chunks, {options.workers} workers"
        )
        print(f"{raw:,} bytes became {packed:,}: ratio {raw / packed:.2f}")
        print(f"made and written in {written:.1f} s, read and added up in {read:.1f} s")
        if total != expected:
            raise SystemExit(f"the sum read back is {total}, not {expected}")
        print(f"sum {total:.2f}: the same as before")


if __name__ == "__main__":
    main()
