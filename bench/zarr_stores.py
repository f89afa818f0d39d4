# SPDX-License-Identifier: Apache-2.0
"""Zarr stores of real grids: Pco beside Blosc and zstd, exact and rounded, at the sizes on disk.

Every grid is written to a Zarr v3 store as xarray would write it, one array with one codec, read
back and compared. Sizes are those of all chunks. --rounding and --damage measure the other tables
of docs/from-xarray.md; --json prints all figures for its tests.
"""
import argparse
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import zarr

import numpact.zarr

DATA = Path(__file__).resolve().parents[1] / "shared" / "data"
# Name, file, columns, shape and chunks of a column. The chunks are whole maps, or tiles of one.
GRIDS = (
    ("air temperature, 240 years", "climate_air_temperature", ("a1b", "e1"), (240, 37, 49),
     (240, 37, 49)),
    ("sea surface temperature, monthly", "sst_ostia", ("surface_temperature",), (54, 18, 432),
     (54, 18, 432)),
    ("ocean model, temperature", "ocean_surface_nemo", ("tos_jan", "tos_feb", "tos_mar"),
     (330, 360), (330, 360)),
    ("ocean model, longitude and latitude", "ocean_surface_nemo", ("nav_lat", "nav_lon"),
     (330, 360), (330, 360)),
    ("elevation, int16, 30 m", "elevation_1arcsec", ("height_m",), (3601, 3601), (1024, 1024)),
    ("elevation, int16, 90 m", "elevation_3arcsec", ("height_m",), (4804, 1201), (1024, 1024)),
)
FILL = 1e20  # missing in the ocean model, as its files have it; xarray makes NaN of it
BLOSC = [(name, shuffle) for name in ("zstd", "lz4") for shuffle in ("shuffle", "bitshuffle")]
ROUNDINGS = ("keepbits=7", "keepbits=10", 0, 1, 2, 3)
FLIPS = 60


def grids(folder):
    """(name, arrays, chunks), with NaN where a value is missing."""
    import pyarrow.parquet as pq

    for name, file, columns, shape, chunks in GRIDS:
        table = pq.read_table(folder / f"{file}.parquet", columns=list(columns))
        arrays = [table.column(column).to_numpy().reshape(shape) for column in columns]
        yield name, [masked(array) for array in arrays], chunks


def masked(array):
    return np.where(array == FILL, np.float32(np.nan), array) if array.dtype == "f4" else array


def codecs(level):
    """The settings of zarr.create_array by the name of the codec; several are tried as Blosc."""
    from zarr.codecs import BloscCodec, Crc32cCodec, ZstdCodec

    pco = {"serializer": numpact.zarr.PcoCodec(level=level), "compressors": [Crc32cCodec()]}
    blosc = [{"compressors": [BloscCodec(cname=name, clevel=9, shuffle=shuffle)]}
             for name, shuffle in BLOSC]
    return {"pco": [pco], "blosc": blosc, "zstd": [{"compressors": [ZstdCodec(level=9)]}],
            "zarr": [{}]}


def stored(array, chunks, settings, rounding=None):
    """(bytes stored, seconds to write, seconds to read, largest change of a number)"""
    filters = {} if rounding is None else {"filters": [filter_of(rounding, array.dtype)]}
    target = zarr.create_array(zarr.storage.MemoryStore(), shape=array.shape, chunks=chunks,
                               dtype=array.dtype, **settings, **filters)
    start = time.perf_counter()
    target[...] = array
    written = time.perf_counter()
    again = target[...]
    read = time.perf_counter()
    if array.dtype.kind == "f":
        assert np.array_equal(np.isnan(again), np.isnan(array))
        change = float(np.nanmax(np.abs(again.astype("f8") - array)))
    else:
        change = float(np.abs(again.astype("f8") - array).max())
    assert change == 0 or rounding is not None
    size = target.nbytes_stored() - len(target.store._store_dict["zarr.json"])
    return size, written - start, read - written, change


def filter_of(rounding, dtype):
    """The filter that ``numpact.zarr.encoding(round=...)`` chooses."""
    import xarray as xr

    one = xr.Dataset({"x": ("i", np.zeros(1, dtype))})
    return numpact.zarr.encoding(one, round=rounding)["x"]["filters"][0]


def measure(arrays, chunks, level, rounding=None):
    """Totals of a grid by codec; of several settings the smallest."""
    found = {}
    for name, several in codecs(level).items():
        if rounding is not None and name in ("zstd", "zarr"):
            continue
        rows = [np.array([stored(array, chunks, settings, rounding) for array in arrays])
                for settings in several]
        best = min(rows, key=lambda row: row[:, 0].sum())
        found[name] = {"bytes": int(best[:, 0].sum()), "write": float(best[:, 1].sum()),
                       "read": float(best[:, 2].sum()), "change": float(best[:, 3].max())}
    return found


def flips(array, chunks, checksum):
    """How many of the flipped bits give wrong numbers without an error."""
    from zarr.codecs import Crc32cCodec
    from zarr.core.buffer import default_buffer_prototype

    settings = {"serializer": numpact.zarr.PcoCodec(),
                "compressors": [Crc32cCodec()] if checksum else None}
    store = zarr.storage.MemoryStore()
    target = zarr.create_array(store, shape=array.shape, chunks=chunks, dtype=array.dtype,
                               **settings)
    target[...] = array
    key = next(key for key in store._store_dict if key.startswith("c/"))
    file = store._store_dict[key].to_bytes()
    counts = {"silent": 0, "error": 0, "harmless": 0}
    rng = np.random.default_rng(0)
    for place in rng.choice(8 * len(file), FLIPS, replace=False):
        damaged = bytearray(file)
        damaged[place // 8] ^= 1 << (place % 8)
        store._store_dict[key] = default_buffer_prototype().buffer.from_bytes(bytes(damaged))
        try:
            same = np.asarray(target[...]).tobytes() == array.tobytes()
        except Exception:
            counts["error"] += 1
        else:
            counts["harmless" if same else "silent"] += 1
    return counts


def all_figures(options):
    grid_list = list(grids(options.data))
    report = {"stores": [], "rounding": [], "damage": {}}
    for name, arrays, chunks in grid_list:
        raw = sum(array.nbytes for array in arrays)
        report["stores"].append({"grid": name, "bytes": raw,
                                 **measure(arrays, chunks, options.level)})
    if options.rounding:
        for name, arrays, chunks in grid_list[:3]:
            for rounding in ROUNDINGS:
                report["rounding"].append(
                    {"grid": name, "rounding": rounding,
                     **measure(arrays, chunks, options.level, rounding)})
    if options.damage:
        _, arrays, _ = grid_list[0]
        field = arrays[0][:4]
        for checksum in (False, True):
            report["damage"]["crc32c" if checksum else "none"] = flips(field, field.shape,
                                                                       checksum)
    return report


def stores_table(report):
    """The table of docs/from-xarray.md."""
    lines = ["| grid | MB | Pco | Blosc | zstd | Pco beside Blosc | write | read |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for row in report["stores"]:
        ratios = [f"{row['bytes'] / row[name]['bytes']:.2f}" for name in ("pco", "blosc", "zstd")]
        less = 100 * (1 - row["pco"]["bytes"] / row["blosc"]["bytes"])
        speeds = [f"{row['bytes'] / row['pco'][what] / 1e6:.0f} MB/s" for what in ("write", "read")]
        cells = [row["grid"], f"{row['bytes'] / 1e6:.1f}", *ratios, f"{less:.0f} % less", *speeds]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def rounding_table(report):
    lines = ["| grid | `round=` | largest change | Pco | Blosc | Pco beside Blosc |",
             "| --- | --- | --- | --- | --- | --- |"]
    for row in report["rounding"]:
        pco, blosc = row["pco"], row["blosc"]
        less = 100 * (1 - pco["bytes"] / blosc["bytes"])
        beside = f"{less:.0f} % less" if less >= 0 else f"**{-less:.0f} % more**"
        cells = [row["grid"], f"`{row['rounding']!r}`".replace("'", '"'), f"{pco['change']:.2g}",
                 f"{pco['bytes']:,}", f"{blosc['bytes']:,}", beside]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def damage_lines(report):
    return [f"{name}: {counts['silent']} of {sum(counts.values())} flipped bits give wrong numbers "
            f"in silence, {counts['error']} an error, {counts['harmless']} the right numbers"
            for name, counts in report["damage"].items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the grids")
    parser.add_argument("--level", type=int, default=8)
    parser.add_argument("--rounding", action="store_true", help="also rounded")
    parser.add_argument("--damage", action="store_true", help="also flip bits of a chunk")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    report = all_figures(options)
    if options.json:
        json.dump(report, sys.stdout)
        return
    tables = [stores_table(report), rounding_table(report) if options.rounding else [],
              damage_lines(report)]
    print("\n\n".join("\n".join(lines) for lines in tables if lines))


if __name__ == "__main__":
    main()
