#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A format of GIS either holds a number of float64 and that it is missing, or refuses it.
# Seen: pyogrio 0.13.0 (GDAL 3.12.4): a Shapefile holds numbers as text of 24 characters that is
#   cut: 1.5e30 is read as 1.5e23, -1e25 as -1e22 and float32 3e38 as 3e23, after a warning, and
#   1e-16 is 0 without one. In MapInfo TAB NaN and missing integers are 0. GeoJSON has 15 digits:
#   0.1 + 0.2 is 0.3. GeoPackage keeps all of them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pyogrio==0.13.0 geopandas==1.2.0 shapely==2.2.0 pandas==3.1.1 numpy==2.4.6 pyproj==3.7.2 || exit 2
cd "$folder"
env/bin/python - <<'PY'
import itertools
import math
import warnings

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely


files = itertools.count()


def stored(driver, ending, values):
    name = f"points{next(files)}.{ending}"
    points = [shapely.Point(i, i) for i in range(len(values))]
    frame = gpd.GeoDataFrame({"a": values}, geometry=points, crs=4326)
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        frame.to_file(name, driver=driver)
        seen = gpd.read_file(name).a.tolist()
    print(driver, list(values), "->", seen, "with a warning" if noted else "")
    return seen, bool(noted)


def near(seen, expected):
    return all(math.isclose(*pair, rel_tol=1e-6, abs_tol=0) for pair in zip(seen, expected))


for values, expected, warns in (
    (np.array([1.5e30, -1e25]), [1.5e23, -1e22], True),
    (np.array([3e38, 1], np.float32), [3e23, 1], True),
    (np.array([1e-16, 1]), [0, 1], False),
):
    seen, noted = stored("ESRI Shapefile", "shp", values)
    assert near(seen, expected) and noted == warns, "changed"
for values in (np.array([np.nan, 5]), pd.array([None, 5], "Int64")):
    assert stored("MapInfo File", "tab", values) == ([0, 5], False), "changed"
values = np.array([0.1 + 0.2, 1e300])
assert stored("GeoJSON", "geojson", values) == ([0.3, 1e300], False), "changed"
values = np.array([0.1 + 0.2, np.inf, 1.5e30, 1e-300])
assert stored("GPKG", "gpkg", values) == (values.tolist(), False), "changed"
PY
echo "as recorded"
