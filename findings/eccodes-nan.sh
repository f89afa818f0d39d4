#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: ecCodes refuses NaN in a field, wherever it stands, since GRIB's packings have no NaN; or
#   it counts it as missing.
# Seen: eccodes 2.50.0: NaN in the first place is refused (EncodingError); behind it NaN becomes
#   the smallest number of the field, numberOfMissing 0, with simple, CCSDS and JPEG packing.
#   grid_ieee keeps it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  eccodes==2.50.0 eccodeslib==2.50.0.33 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import eccodes
import numpy as np


def stored(numbers, packing):
    message = eccodes.codes_grib_new_from_samples("regular_ll_sfc_grib2")
    eccodes.codes_set(message, "packingType", packing)
    eccodes.codes_set(message, "bitsPerValue" if packing != "grid_ieee" else "precision", 16
                      if packing != "grid_ieee" else 1)
    try:
        eccodes.codes_set_values(message, numbers)
        missing = eccodes.codes_get(message, "numberOfMissing")
        return eccodes.codes_get_values(message), missing
    finally:
        eccodes.codes_release(message)


sample = eccodes.codes_grib_new_from_samples("regular_ll_sfc_grib2")
field = np.linspace(250, 300, eccodes.codes_get_size(sample, "values"))
for packing in ("grid_simple", "grid_ccsds", "grid_jpeg", "grid_ieee"):
    numbers = field.copy()
    numbers[5] = np.nan
    values, missing = stored(numbers, packing)
    print(f"{packing}: NaN in the sixth place -> {values[5]}, {missing} missing")
    assert missing == 0, "changed"
    assert np.isnan(values[5]) if packing == "grid_ieee" else values[5] == 250, "changed"
numbers = field.copy()
numbers[0] = np.nan
try:
    stored(numbers, "grid_simple")
    seen = "stored"
except eccodes.CodesInternalError as error:
    seen = type(error).__name__
print("NaN in the first place ->", seen)
assert seen == "EncodingError", "changed"
PY
echo "as recorded"
