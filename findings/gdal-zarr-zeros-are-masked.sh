#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: GDAL reads every number of an array that zarr wrote whole, since nothing in it is missing.
# Seen: zarr 3.1.6 gives arrays the fill value 0 unless another is asked for, and GDAL in rasterio
#   1.4.4 takes the fill value for "no data": in statistics and masked reads the zeros are missing.
#   The mean of 0, 1, 2, 3 is 2. With fill_value=None it is 1.5.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  rasterio==1.4.4 zarr==3.1.6 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import rasterio
import zarr

numbers = np.arange(4.0).reshape(2, 2)


def mean(**options):
    array = zarr.create_array("a.zarr", shape=(2, 2), chunks=(2, 2), dtype="f8", zarr_format=2,
                              compressors=None, overwrite=True, **options)
    array[:] = numbers
    with rasterio.open('ZARR:"a.zarr"') as source:
        print(options, "no data:", source.nodata, source.read(1, masked=True).tolist())
        return source.read(1, masked=True).mean()


assert mean() == 2, "changed"
assert mean(fill_value=None) == 1.5, "changed"
PY
echo "as recorded"
