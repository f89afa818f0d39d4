#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: codes_set_values leaves the array of the caller as it is.
# Seen: eccodes 2.50.0: with packingType grid_simple_log_preprocessing the caller's array holds its
#   logarithms afterwards. With the other packings it is unchanged. The message itself is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  eccodes==2.50.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import eccodes
import numpy as np

original = np.random.default_rng(1).normal(280, 10, 496)
for packing in ("grid_simple", "grid_ccsds", "grid_ieee", "grid_simple_log_preprocessing"):
    numbers = original.copy()
    message = eccodes.codes_grib_new_from_samples("regular_ll_sfc_grib2")
    eccodes.codes_set(message, "packingType", packing)
    eccodes.codes_set_values(message, numbers)
    read = eccodes.codes_get_values(message)
    eccodes.codes_release(message)
    print(f"{packing}: {original[0]:.4f} stored, {read[0]:.4f} read, {numbers[0]:.4f} in the array")
    assert np.allclose(read, original, rtol=1e-5, atol=0), "changed"
    if packing == "grid_simple_log_preprocessing":
        assert np.allclose(numbers, np.log(original)), "changed"
    else:
        assert (numbers == original).all(), "changed"
PY
echo "as recorded"
