# SPDX-License-Identifier: Apache-2.0
"""Zarr stores of real grids: Pco against Blosc and zstd, exact and rounded, at the sizes on disk.

Every grid is written to Zarr v3, one array with one codec, read back and compared. The numbers and
the codecs are those that numpact.zarr.encoding gives to xarray. Sizes are those of all chunks; of
four settings of Blosc at level 9 the smallest counts. The tables are those of docs/from-xarray.md.
"""
import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import zarr

import numpact.zarr

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
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
FILL = np.float32(1e20)  # missing numbers of the ocean models
BLOSC = [(name, shuffle) for name in ("zstd", "lz4") for shuffle in ("shuffle", "bitshuffle")]
ROUNDINGS = ("keepbits=7", "keepbits=10", 0, 1, 2, 3)


def grids(folder, patterns):
    """(name, arrays, chunks) of the grids whose names contain one of the given texts."""
    import pyarrow.parquet as pq

    for name, file, columns, shape, chunks in GRIDS:
        if not any(text in name for text in patterns):
            continue
        table = pq.read_table(folder / f"{file}.parquet", columns=list(columns))
        yield name, [table.column(column).to_numpy().reshape(shape) for column in columns], chunks


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
    filters = None
    if rounding is not None:
        entry = encoding_of(array.dtype, rounding)
        filters = entry["filters"]
        array = np.where(array == FILL, entry["_FillValue"], array)
    target = zarr.create_array(zarr.storage.MemoryStore(), shape=array.shape, chunks=chunks,
                               dtype=array.dtype, filters=filters, **settings)
    start = time.perf_counter()
    target[...] = array
    written = time.perf_counter()
    again = target[...]
    read = time.perf_counter()
    change = np.abs(again.astype("f8") - array)
    assert np.array_equal(np.isnan(again), np.isnan(array)) and np.all(change[array == FILL] == 0)
    assert rounding is not None or not np.any(change)
    size = target.nbytes_stored() - len(target.store._store_dict["zarr.json"])
    return size, written - start, read - written, np.nanmax(change)


def encoding_of(dtype, rounding):
    """The result of ``numpact.zarr.encoding`` for a variable with the fill value of the files."""
    import xarray as xr

    one = xr.Dataset({"x": ("i", np.zeros(1, dtype))})
    one["x"].encoding["_FillValue"] = FILL
    return numpact.zarr.encoding(one, round=rounding)["x"]


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


def all_figures(options):
    report = {"stores": [], "rounding": []}
    for name, arrays, chunks in grids(options.data, options.grids):
        raw = sum(array.nbytes for array in arrays)
        report["stores"].append({"grid": name, "bytes": raw,
                                 **measure(arrays, chunks, options.level)})
        if options.rounding and arrays[0].dtype.kind == "f" and "latitude" not in name:
            for rounding in ROUNDINGS:
                report["rounding"].append(
                    {"grid": name, "rounding": rounding,
                     **measure(arrays, chunks, options.level, rounding)})
    return report


def change_text(pco, blosc):
    less = 100 * (1 - pco["bytes"] / blosc["bytes"])
    return f"{less:.1f} % less" if less >= 0 else f"**{-less:.1f} % more**"


def stores_table(report):
    lines = ["| grid | bytes | Pco | Blosc | zstd | zarr's default | Pco against Blosc |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    for row in report["stores"]:
        sizes = [f"{row[name]['bytes']:,}" for name in ("pco", "blosc", "zstd", "zarr")]
        cells = [row["grid"], f"{row['bytes']:,}", *sizes, change_text(row["pco"], row["blosc"])]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def rounding_table(report):
    lines = ["| grid | `round=` | largest change | Pco | Blosc | Pco against Blosc |",
             "| --- | --- | --- | --- | --- | --- |"]
    for row in report["rounding"]:
        pco, blosc = row["pco"], row["blosc"]
        rounding = f"`{row['rounding']!r}`".replace("'", '"')
        cells = [row["grid"], rounding, f"{pco['change']:.2g}", f"{pco['bytes']:,}",
                 f"{blosc['bytes']:,}", change_text(pco, blosc)]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def speed_lines(report):
    return [f"{row['grid']}: Pco writes {row['bytes'] / row['pco']['write'] / 1e6:.0f} MB/s, reads "
            f"{row['bytes'] / row['pco']['read'] / 1e6:.0f} MB/s" for row in report["stores"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the grids")
    parser.add_argument("--level", type=int, default=8)
    parser.add_argument("--grids", nargs="+", default=[""], help="parts of names (default: all)")
    parser.add_argument("--rounding", action="store_true", help="also the table of rounded grids")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    report = all_figures(options)
    print("\n".join(stores_table(report)))
    if options.rounding:
        print("", *rounding_table(report), sep="\n")
    print("", *speed_lines(report), sep="\n")


if __name__ == "__main__":
    main()
