#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: zarr reads the numbers of a Zarr store of version 2 that netCDF4-python wrote (NCZarr),
#   or refuses to.
# Seen: netCDF4 1.7.5.1 with zlib=True shuffles bytes by default and names an element size of 0;
#   zarr 3.1.6 with numcodecs 0.16.6 reads 1 to 5 as 0.0, 0.0, 32.49, 0.0, 0.0 without an error.
#   Without shuffle it is right. Arrays of int8 and uint8 have the type "<i1", which zarr refuses.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  netCDF4==1.7.5.1.post1 zarr==3.1.6 numcodecs==0.16.6 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import json
import os

import netCDF4
import numpy as np
import zarr

numbers = np.arange(1.0, 6.0)
store = f"{os.getcwd()}/a.zarr"
with netCDF4.Dataset(f"file://{store}#mode=zarr,file", "w") as file:
    file.createDimension("x", numbers.size)
    for name, kind, settings in (
        ("plain", "f8", {}),
        ("zlib", "f8", {"zlib": True, "shuffle": False}),
        ("default", "f8", {"zlib": True}),
        ("bytes", "i1", {}),
    ):
        file.createVariable(name, kind, ("x",), chunksizes=(3,), **settings)[:] = numbers
with netCDF4.Dataset(f"file://{store}#mode=zarr,file") as file:
    for name in ("plain", "zlib", "default", "bytes"):
        assert file[name][:].tolist() == numbers.tolist(), "changed"


def by_zarr(name):
    return zarr.open_array(f"{store}/{name}", mode="r", zarr_format=2)[:]


for name in ("plain", "zlib"):
    assert by_zarr(name).tolist() == numbers.tolist(), "changed"
found = by_zarr("default")
with open(f"{store}/default/.zarray") as file:
    filters = json.load(file)["filters"]
print("filters", filters, "by zarr:", found.tolist())
assert filters == [{"id": "shuffle", "elementsize": 0}], "changed"
assert found[0] == 0 and not np.array_equal(found, numbers), "changed"
try:
    by_zarr("bytes")
except ValueError as error:
    print("int8 by zarr:", error)
else:
    raise AssertionError("changed")
PY
echo "as recorded"
