#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Times that do not fit the integer type of the encoding are an error when xarray writes
#   them, as with those that do not fit its nanoseconds.
# Seen: xarray 2026.9.0 (netCDF4): 'seconds since 1970' as int32 makes 1914 of 2050, 'hours since
#   2000' as int16 makes 1998 of 2050, without a warning. If one time has a fraction, finer units
#   replace those that were asked for, and 2000 becomes 1970, with a warning. A missing timedelta
#   as int32 is 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  xarray==2026.9.0 netCDF4==1.7.5.1.post1 pandas==3.1.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import warnings

import numpy as np
import xarray as xr

count = 0


def stored(values, **encoding):
    global count
    count += 1
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        data = xr.Dataset({"t": ("x", np.array(values))})
        data.to_netcdf(f"{count}.nc", encoding={"t": encoding})
    with xr.open_dataset(f"{count}.nc", decode_timedelta=True) as back:
        return back.t.values, back.t.encoding["units"], len(seen)


day, later = np.datetime64("2000-01-01", "ns"), np.datetime64("2050-06-01T12:00", "ns")
fraction = later + np.timedelta64(789, "ms")
since = "seconds since 1970-01-01"
for last, asked, kind, expected in (
    (later, since, "int32", ("2000-01-01", "1914-04-26", "seconds", 0)),
    (later, "hours since 2000-01-01", "int16", ("2000-01-01", "1998-01-30", "hours", 0)),
    (fraction, since, "int32", ("1970-01-21", "1969-12-24", "milliseconds", 1)),
):
    times, units, warned = stored([day, last], units=asked, dtype=kind)
    seen = str(times[0])[:10], str(times[1])[:10], units.split()[0], warned
    print(f"2000-01-01, {str(last)[:23]} as {kind} {asked} ->", seen)
    assert seen == expected, "changed"
gap, _, warned = stored(np.array([1, "NaT"], "m8[s]"), units="seconds", dtype="int32")
print("timedelta 1 s, missing ->", gap, warned)
assert (gap / np.timedelta64(1, "s")).tolist() == [1, 0] and warned == 0, "changed"
PY
echo "as recorded"
