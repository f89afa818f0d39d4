# SPDX-License-Identifier: Apache-2.0
"""Lossy compression of real floats at equal absolute bounds: numpact, SZ3, zfp, netCDF quantize.

Bounds are shares of the standard deviation of a column, rounded to a power of ten. Every result is
decoded and its largest error compared with the bound. zfp and SZ3 get grids in their shape, which
they use, and numpact and netCDF do not. The quantizations of netCDF keep bits or digits of each
number: the fewest are searched whose errors stay within the bound. One thread, times are those of
the processor. docs/benchmarks/lossy.md has the tables.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

import numpact

try:
    import netCDF4
    import pysz
    import zfpy
except ImportError as error:
    sys.exit(f"{error}: ./dev bench lossy installs bench/lossy_requirements.txt")

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
# Columns with other shapes than a sequence.
SHAPES = {
    "climate_air_temperature": (240, 37, 49),
    "sst_ostia": (54, 18, 432),
    "ocean_surface_nemo": (330, 360),
}
FILL = 1e20  # of the models of the ocean: no number
SHARES = (1e-2, 1e-3, 1e-4)
MIN_NUMBERS = 20_000  # of fewer, headers count more than numbers
QUANTIZATIONS = ("BitRound", "GranularBitRound", "BitGroom")

Array = Any
Coder = tuple[Callable[[Array, float], bytes], Callable[[bytes, Array], Array]]


def columns(folder: Path, limit: int, patterns: list[str]) -> Iterator[tuple[str, Array]]:
    """(name, numbers) of float columns, at most `limit` of each sequence."""
    for path in sorted(folder.glob("*.parquet")):
        with pq.ParquetFile(path) as file:
            for field in file.schema_arrow:
                name = f"{path.stem}.{field.name}"
                if str(field.type) not in ("float", "double") or (
                    patterns and not any(text in name for text in patterns)
                ):
                    continue
                numbers = file.read(columns=[field.name]).column(0).to_numpy()
                if len(numbers) < MIN_NUMBERS or np.ptp(numbers[np.isfinite(numbers)]) == 0:
                    continue
                shape = SHAPES.get(path.stem)
                yield name, np.ascontiguousarray(
                    numbers.reshape(shape) if shape else numbers[:limit]
                )


def by_numpact(x: Array, bound: float) -> bytes:
    return numpact.compress(x, max_error=bound, fill=x.dtype.type(FILL), threads=1)


def from_numpact(data: bytes, x: Array) -> Array:
    return numpact.decompress(data, threads=1).reshape(x.shape)


def sz3_config(x: Array, bound: float) -> Any:
    config = pysz.szConfig(x.shape)
    config.errorBoundMode = pysz.szErrorBoundMode.ABS
    config.absErrorBound = bound
    return config


def by_sz3(x: Array, bound: float) -> bytes:
    made: bytes = pysz.sz.compress(x, sz3_config(x, bound))[0].tobytes()
    return made


def from_sz3(data: bytes, x: Array) -> Array:
    return pysz.sz.decompress(np.frombuffer(data, np.uint8), x.dtype, x.shape)[0]


def by_zfp(x: Array, bound: float) -> bytes:
    made: bytes = zfpy.compress_numpy(x, tolerance=bound)
    return made


def from_zfp(data: bytes, x: Array) -> Array:
    return zfpy.decompress_numpy(data)


def quantized(x: Array, mode: str, digits: int) -> bytes:
    """A netCDF file with zlib 4 and shuffle."""
    with tempfile.NamedTemporaryFile(suffix=".nc") as place:
        write_netcdf(place.name, x, mode, digits)
        return Path(place.name).read_bytes()


def write_netcdf(path: str, x: Array, mode: str, digits: int) -> None:
    file = netCDF4.Dataset(path, "w")
    dimensions = [f"d{i}" for i in range(x.ndim)]
    for name, size in zip(dimensions, x.shape, strict=True):
        file.createDimension(name, size)
    variable = file.createVariable(
        "v", x.dtype, dimensions, zlib=True, complevel=4, significant_digits=digits,
        quantize_mode=mode, fill_value=x.dtype.type(FILL),
    )  # fmt: skip
    variable[:] = x
    file.close()


def from_netcdf(data: bytes, x: Array) -> Array:
    with netCDF4.Dataset("memory.nc", memory=data) as file:
        file.set_auto_maskandscale(False)
        return file["v"][:]


def digits_within(x: Array, mode: str, bound: float) -> int | None:
    """The fewest bits or digits that stay within the bound; None: even all do not."""
    limit = {"BitRound": (23, 52)}.get(mode, (7, 15))[x.dtype.itemsize // 8]
    low, high = 1, limit + 1
    while low < high:
        middle = (low + high) // 2
        try:
            error = largest_error(from_netcdf(quantized(x, mode, middle), x), x)
        except RuntimeError:  # netCDF refuses some arrays
            return None
        if error <= bound:
            high = middle
        else:
            low = middle + 1
    return low if low <= limit else None


def largest_error(out: Array, x: Array) -> float:
    error = np.abs(out.astype(np.float64) - x.astype(np.float64))
    return float(error[np.isfinite(x)].max())


def coders(x: Array, bound: float) -> Iterator[tuple[str, Coder]]:
    yield "numpact", (by_numpact, from_numpact)
    if np.isfinite(x).all():  # they spoil what is near NaN, or fail
        yield "SZ3", (by_sz3, from_sz3)
        yield "zfp", (by_zfp, from_zfp)
    for mode in QUANTIZATIONS:
        digits = digits_within(x, mode, bound)
        if digits is not None:
            yield mode, (lambda x, _, mode=mode, digits=digits: quantized(x, mode, digits),
                         from_netcdf)


def timed(work: Callable[[], Any], rounds: int) -> tuple[float, Any]:
    best, made = math.inf, None
    for _ in range(rounds):
        start = time.process_time()
        made = work()
        best = min(best, time.process_time() - start)
    return best, made


def measure(x: Array, bound: float, rounds: int) -> dict[str, tuple[int, float, float, float]]:
    """(bytes, seconds to encode and to decode, largest error / bound) by the name of the coder."""
    found: dict[str, tuple[int, float, float, float]] = {}
    for name, (encode, decode) in coders(x, bound):
        write, data = timed(lambda encode=encode: encode(x, bound), rounds)
        read, out = timed(lambda decode=decode, data=data: decode(data, x), rounds)
        found[name] = (len(data), write, read, largest_error(out, x) / bound)
    return found


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def report(share: float, all_found: dict[str, tuple[Array, dict[str, Any]]]) -> None:
    """Each coder over the columns that it has in common with numpact."""
    names = ["numpact", "SZ3", "zfp", *QUANTIZATIONS]
    print(f"\n## Bound: {share:g} of the standard deviation\n")
    print("| coder | columns | bytes / numpact's | smaller than numpact | largest error / bound "
          "| write, MB/s | read, MB/s |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in names:
        rows = [(x, found[name], found["numpact"]) for x, found in all_found.values()
                if name in found]
        if not rows:
            continue
        sizes = [own[0] / base[0] for _, own, base in rows]
        smaller = sum(size < 1 for size in sizes)
        worst = max(own[3] for _, own, _ in rows)
        write, read = (
            sum(x.nbytes for x, _, _ in rows) / 1e6 / sum(own[at] for _, own, _ in rows)
            for at in (1, 2)
        )
        print(f"| {name} | {len(rows)} | {geometric_mean(sizes):.2f} | {smaller} | {worst:.4f} "
              f"| {write:,.0f} | {read:,.0f} |")
    lost = []
    for column, (_, found) in all_found.items():
        best = min(found, key=lambda name: found[name][0])
        if best != "numpact":
            lost.append((found["numpact"][0] / found[best][0], column, best))
    print("\nLost: " + "; ".join(
        f"{column} by {100 * (size - 1):.0f} % to {best}" for size, column, best in
        sorted(lost, reverse=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("columns", nargs="*", help="parts of names of columns")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--numbers", type=int, default=1 << 16, help="at most, of each column")
    parser.add_argument("--rounds", type=int, default=2)
    args = parser.parse_args()
    by_share: dict[float, dict[str, Any]] = {share: {} for share in SHARES}
    print("| column | bound | " + " | ".join(["numpact", "SZ3", "zfp", *QUANTIZATIONS]) + " |")
    for name, x in columns(args.data, args.numbers, args.columns):
        numbers = x[np.isfinite(x) & (x != x.dtype.type(FILL))]
        deviation = float(np.std(numbers.astype(np.float64)))
        for share in SHARES:
            bound = 10.0 ** round(math.log10(share * deviation))
            found = measure(x, bound, args.rounds)
            by_share[share][name] = (x, found)
            sizes = [f"{found[coder][0]:,}" if coder in found else ""
                     for coder in ("numpact", "SZ3", "zfp", *QUANTIZATIONS)]
            print(f"| {name} | {bound:g} | " + " | ".join(sizes) + " |", flush=True)
    for share, all_found in by_share.items():
        report(share, all_found)


if __name__ == "__main__":
    main()
