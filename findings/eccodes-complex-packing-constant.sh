#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Switching a GRIB sample to complex packing and setting values stores them with the
#   sample's or a sensible number of bits.
# Seen: eccodes 2.50.0: with packingType grid_complex and no bitsPerValue all numbers become the
#   smallest one, without an error. Asking for grid_second_order in GRIB 2 gives grid_simple.
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

sample = eccodes.codes_grib_new_from_samples("regular_ll_sfc_grib2")
field = np.linspace(250, 300, eccodes.codes_get_size(sample, "values"))
eccodes.codes_set(sample, "packingType", "grid_complex")
eccodes.codes_set_values(sample, field)
values = eccodes.codes_get_values(sample)
print("250 to 300 ->", values.min(), "to", values.max())
assert values.min() == values.max() == 250, "changed"
sample = eccodes.codes_grib_new_from_samples("regular_ll_sfc_grib2")
eccodes.codes_set(sample, "packingType", "grid_second_order")
eccodes.codes_set_values(sample, field)
seen = eccodes.codes_get(sample, "packingType")
print("grid_second_order ->", seen)
assert seen == "grid_simple", "changed"
PY
echo "as recorded"
