#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: gribberish, a reader of GRIB in Rust for xarray and Zarr, decodes messages to the numbers
#   that ecCodes decodes, or refuses them.
# Seen: gribberish 0.30.3 reads a field of 273.15 everywhere, in simple packing, as zeros, and a
#   field of temperatures in complex packing with spatial differencing of 16 bits with errors of
#   hundreds of kelvins. Fields in simple packing that vary are the same, bit by bit.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  gribberish==0.30.3 eccodes==2.50.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import eccodes
import gribberish
import numpy as np


def both(numbers, packing):
    message = eccodes.codes_grib_new_from_samples("regular_ll_sfc_grib2")
    eccodes.codes_set(message, "packingType", packing)
    eccodes.codes_set(message, "bitsPerValue", 16)
    eccodes.codes_set_values(message, numbers)
    data = eccodes.codes_get_message(message)
    return eccodes.codes_get_values(message), gribberish.parse_grib_array(data, 0).ravel()


SIZE = 496  # of the sample's grid
varying = np.linspace(250, 300, SIZE) + np.sin(np.arange(SIZE))
reference, found = both(varying, "grid_simple")
assert np.array_equal(reference, found), "changed"
reference, found = both(np.full(SIZE, 273.15), "grid_simple")
print("constant 273.15: ecCodes", reference[0], "gribberish", found[0])
assert np.allclose(reference, 273.15, atol=1e-4) and not found.any(), "changed"
reference, found = both(varying, "grid_complex_spatial_differencing")
print("spatial differencing: ecCodes", reference[:3], "gribberish", found[:3])
error = np.abs(found - varying).max()
print(f"largest errors: ecCodes {np.abs(reference - varying).max():.4f}, gribberish {error:.0f}")
assert np.abs(reference - varying).max() < 1e-3 and error > 100, "changed"
PY
echo "as recorded"
