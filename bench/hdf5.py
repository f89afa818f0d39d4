# SPDX-License-Identifier: Apache-2.0
"""HDF5 files of real columns: Pco compared with the filters of h5py and hdf5plugin, through h5py.

Each column is a dataset of its own in a file in memory, in chunks of 1 MiB. It is written, read
back and compared. Sizes are those of all chunks. One thread, as HDF5 filters are called. Needs the
packages of integrations/hdf5/requirements.txt. docs/benchmarks/hdf5.md has the tables.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from rounds import best_of_rounds

import numpact.hdf5

try:
    import h5py
    import hdf5plugin
except ImportError as error:
    sys.exit(f"{error}: ./dev python -m pip install -r integrations/hdf5/requirements.txt")

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
OURS = "Pco"  # the names of our filters begin with it
CHUNK_BYTES = 1 << 20  # h5py's own limit for the chunks that it chooses
# File, column, and the shape of a grid.
COLUMNS: tuple[tuple[str, str, tuple[int, ...]], ...] = (
    ("climate_air_temperature", "a1b", (240, 37, 49)),
    ("sst_ostia", "surface_temperature", (54, 18, 432)),
    ("ocean_surface_nemo", "tos_jan", (330, 360)),
    ("elevation_1arcsec", "height_m", (3601, 3601)),
    ("ligo_strain", "h1_gw150914", (-1,)),
    ("ecg_mitbih_100", "MLII", (-1,)),
    ("spoken_digits_audio", "sample", (-1,)),
    ("lidar_autzen", "gps_time", (-1,)),
    ("fx_hourly", "close", (-1,)),
    ("beijing_air_quality", "PM2.5", (-1,)),
    ("nyc_green_taxi_2023", "total_amount", (-1,)),
    ("nyc_green_taxi_2023", "lpep_pickup_datetime_us", (-1,)),
)


def filters(levels: list[int]) -> dict[str, dict[str, Any]]:
    """Settings of create_dataset by name."""
    found: dict[str, dict[str, Any]] = {
        f"Pco, level {level}": dict(numpact.hdf5.Pco(level)) for level in levels
    }
    found["gzip 4, shuffle"] = {"compression": "gzip", "compression_opts": 4, "shuffle": True}
    if "szip" in h5py.filters.encode:
        found["szip"] = {"compression": "szip"}
    found["zstd 3, shuffle"] = {"shuffle": True, **hdf5plugin.Zstd(clevel=3)}
    found["zstd 19, shuffle"] = {"shuffle": True, **hdf5plugin.Zstd(clevel=19)}
    found["zstd 22"] = dict(hdf5plugin.Zstd(clevel=22))
    found["bzip2, shuffle"] = {"shuffle": True, **hdf5plugin.BZip2()}
    for level in (3, 22):
        found[f"Bitshuffle, zstd {level}"] = dict(hdf5plugin.Bitshuffle(cname="zstd", clevel=level))
    for level in (5, 9):
        found[f"Blosc2, zstd {level}"] = dict(hdf5plugin.Blosc2(cname="zstd", clevel=level))
    found["Blosc2, zstd 9, bits"] = dict(hdf5plugin.Blosc2(cname="zstd", clevel=9,
                                                           filters=hdf5plugin.Blosc2.BITSHUFFLE))
    return found


def arrays(folder: Path, patterns: list[str]) -> Iterator[tuple[str, np.ndarray]]:
    for file, column, shape in COLUMNS:
        name = f"{file}.{column}"
        if any(text in name for text in patterns):
            table = pq.read_table(folder / f"{file}.parquet", columns=[column])
            yield name, np.ascontiguousarray(table.column(column).to_numpy()).reshape(shape)


def chunks_of(array: np.ndarray) -> tuple[int, ...]:
    """Whole rows, or blocks, of about CHUNK_BYTES."""
    row = array[0].nbytes if array.ndim > 1 else array.itemsize
    return (max(1, min(array.shape[0], CHUNK_BYTES // row)), *array.shape[1:])


def in_memory(mode: str, image: bytes | None = None) -> Any:
    settings: dict[str, Any] = {"driver": "core", "backing_store": False}
    if image is None:
        return h5py.File("memory", mode, **settings)
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_fapl_core(backing_store=False)
    access.set_file_image(image)
    return h5py.File(h5py.h5f.open(b"memory", h5py.h5f.ACC_RDONLY, fapl=access))


def write(array: np.ndarray, settings: dict[str, Any]) -> None:
    with in_memory("w") as file:
        file.create_dataset("x", data=array, chunks=chunks_of(array), **settings)


def image_of(array: np.ndarray, settings: dict[str, Any]) -> tuple[bytes, int]:
    """The file, and the bytes of its chunks."""
    with in_memory("w") as file:
        dataset = file.create_dataset("x", data=array, chunks=chunks_of(array), **settings)
        file.flush()
        return file.id.get_file_image(), dataset.id.get_storage_size()


def read(image: bytes, out: np.ndarray) -> None:
    with in_memory("r", image) as file:
        file["x"].read_direct(out)


def measure(array: np.ndarray, kinds: dict[str, dict[str, Any]], options: argparse.Namespace
            ) -> dict[str, tuple[int, float, float]]:
    """(bytes, seconds to write, seconds to read) by filter."""
    out = np.empty_like(array)
    images, sizes = {}, {}
    for name, settings in kinds.items():
        images[name], sizes[name] = image_of(array, settings)
        read(images[name], out)
        assert out.tobytes() == array.tobytes(), name
    if options.only_size:
        return {name: (sizes[name], 0.0, 0.0) for name in kinds}
    writing, _ = best_of_rounds(
        {name: lambda s=settings: write(array, s) for name, settings in kinds.items()},
        options.rounds, options.seconds, once_over=1.0)
    reading, _ = best_of_rounds(
        {name: lambda i=image: read(i, out) for name, image in images.items()},
        options.rounds, options.seconds)
    return {name: (sizes[name], writing[name], reading[name]) for name in kinds}


def mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def summary(results: dict[str, dict[str, tuple[int, float, float]]], raw: dict[str, int]
            ) -> list[str]:
    lines = ["| filter | bytes | ratio | write, MB/s | read, MB/s |",
             "| --- | --- | --- | --- | --- |"]
    for name in next(iter(results.values())):
        rows = [(raw[column], *figures[name]) for column, figures in results.items()]
        ratio = mean([count / size for count, size, _, _ in rows])
        cells = [name, f"{sum(row[1] for row in rows):,}", f"{ratio:.2f}"]
        for place in (2, 3):
            speeds = [row[0] / row[place] / 1e6 for row in rows if row[place]]
            cells.append(f"{mean(speeds):,.0f}" if speeds else "-")
        lines.append(f"| {' | '.join(cells)} |")
    others = [smallest_other(figures)[1] for figures in results.values()]
    ratio = mean([count / size for count, size in zip(raw.values(), others)])
    lines.append(f"| for each column the smallest of the others | {sum(others):,} | {ratio:.2f} "
                 "| - | - |")
    return lines


def smallest_other(figures: dict[str, tuple[int, float, float]]) -> tuple[str, int]:
    """The smallest of the filters that are not ours, and its bytes."""
    return min(((name, size) for name, (size, _, _) in figures.items()
                if not name.startswith(OURS)), key=lambda pair: pair[1])


def sizes_table(results: dict[str, dict[str, tuple[int, float, float]]], raw: dict[str, int]
                ) -> list[str]:
    ours = [name for name in next(iter(results.values())) if name.startswith(OURS)]
    lines = [f"| column | bytes | {' | '.join(ours)} | smallest other | its bytes | Pco / it |",
             "| --- " * (len(ours) + 5) + "|"]
    for column, figures in results.items():
        other, size = smallest_other(figures)
        sizes = " | ".join(f"{figures[name][0]:,}" for name in ours)
        lines.append(f"| {column} | {raw[column]:,} | {sizes} | {other} | {size:,} | "
                     f"{figures[ours[0]][0] / size:.3f} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("columns", nargs="*", default=[""], help="parts of names (default: all)")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the columns")
    parser.add_argument("--levels", type=int, nargs="+", default=[8, 4], help="of Pco")
    parser.add_argument("--rounds", type=int, default=3, help="at least this many")
    parser.add_argument("--seconds", type=float, default=2.0, help="rounds go on for so long")
    parser.add_argument("--only-size", action="store_true", help="no timing")
    options = parser.parse_args()
    kinds = filters(options.levels)
    results, raw = {}, {}
    for name, array in arrays(options.data, options.columns):
        print(name, file=sys.stderr)
        results[name] = measure(array, kinds, options)
        raw[name] = array.nbytes
    if not results:
        sys.exit("no such column")
    print(f"h5py {h5py.__version__}, HDF5 {h5py.version.hdf5_version}, "
          f"hdf5plugin {hdf5plugin.version}; {sum(raw.values()):,} bytes\n")
    print("\n".join([*summary(results, raw), "", *sizes_table(results, raw)]))


if __name__ == "__main__":
    main()
