#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Virtual datasets of netCDF files whose packed integers have different scales are refused
#   when they are concatenated, or give the numbers of the files, as open_mfdataset does.
# Seen: VirtualiZarr 2.5.1 with xarray 2026.9.0: the second file has the scale and offset of the
#   first, so that 11 and 12.5 are read as 0.2 and 0.5. With combine_attrs="drop_conflicts" no
#   number is scaled any more. Only "no_conflicts" says what is wrong.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  virtualizarr==2.5.1 xarray==2026.9.0 zarr==3.1.6 numpy==2.4.6 h5netcdf==1.8.2 h5py==3.16.0 \
  obstore==0.12.1 obspec-utils==0.9.0 fsspec==2026.9.0 'dask[array]==2026.8.0' || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import os

import xarray as xr
from obspec_utils.registry import ObjectStoreRegistry
from obstore.store import LocalStore
from virtualizarr import open_virtual_dataset
from virtualizarr.parsers import HDFParser

FILES = [(0.1, 0.0, [1.0, 2.0]), (0.5, 10.0, [11.0, 12.5])]
for i, (scale, offset, values) in enumerate(FILES):
    packed = {"dtype": "i2", "scale_factor": scale, "add_offset": offset, "_FillValue": -9999}
    made = xr.Dataset({"t": ("time", values)}, coords={"time": [2 * i, 2 * i + 1]})
    made.to_netcdf(f"{i}.nc", engine="h5netcdf", encoding={"t": packed})
read = xr.open_mfdataset(["0.nc", "1.nc"], engine="h5netcdf").t.values.tolist()
print("open_mfdataset:", read)
assert read == [1, 2, 11, 12.5]

registry = ObjectStoreRegistry({"file://": LocalStore()})
virtual = [
    open_virtual_dataset(
        f"file://{os.path.abspath(f'{i}.nc')}",
        parser=HDFParser(), registry=registry, loadable_variables=["time"],
    )
    for i in (0, 1)
]


def joined(**options):
    made = xr.concat(virtual, dim="time", coords="minimal", compat="override", **options)
    made.vz.to_kerchunk("all.json", format="json")
    store = {"storage_options": {"fo": "all.json"}, "consolidated": False}
    return xr.open_dataset("reference://", engine="zarr", backend_kwargs=store).t.values.tolist()


for options, expected in (
    ({}, [1, 2, 0.2, 0.5]),
    ({"combine_attrs": "drop_conflicts"}, [10, 20, 2, 5]),
):
    seen = joined(**options)
    print("virtual", options, seen)
    assert seen == expected, "changed"
try:
    joined(combine_attrs="no_conflicts")
except xr.MergeError as error:
    print("no_conflicts:", str(error)[:60])
else:
    raise AssertionError("changed")
PY
echo "as recorded"
