#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Times that are appended to a Zarr store get the units of the store, or an error if they do
#   not fit its integers.
# Seen: xarray 2026.9.0: a store of whole days gets 2 January 18:00 as the number 42 (hours since 1
#   January), keeps its own units, and reads it as 12 February. A warning says that the units are
#   hours now, which they are not. Appending whole days is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  xarray==2026.9.0 zarr==3.1.6 pandas==3.1.1 numcodecs==0.16.6 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import warnings

import pandas
import xarray


def rows(*times):
    numbers = [float(i) for i in range(len(times))]
    return xarray.Dataset({"x": ("time", numbers)}, {"time": pandas.to_datetime(list(times))})


for version in (2, 3):
    for added, seen_as in (("2000-01-03", "2000-01-03"), ("2000-01-02 18:00", "2000-02-12")):
        store = f"{version}-{added[8:10]}.zarr"
        rows("2000-01-01", "2000-01-02").to_zarr(store, zarr_format=version, consolidated=False)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            rows(added).to_zarr(store, append_dim="time", consolidated=False)
        time = xarray.open_zarr(store, consolidated=False)["time"]
        print(f"format {version}, {time.encoding['units']}: {added} -> {time.values[-1]}")
        assert time.values[-1] == pandas.Timestamp(seen_as), "changed"
        said = [str(one.message) for one in caught]
        assert time.encoding["units"].startswith("days since"), "changed"
        if added != seen_as:
            print(*said)
            assert any("Serializing with units 'hours since" in text for text in said), "changed"
PY
echo "as recorded"
