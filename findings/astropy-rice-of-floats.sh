#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: In a compressed FITS image quantize_level=0 means lossless for each compression type, or
#   is refused where the algorithm takes integers only.
# Seen: astropy 8.0.2: with GZIP_2 it is lossless; with RICE_1 the floats are cut to integers
#   (errors up to 1) and NaN and infinity become -2147483648. Only of NaN NumPy warns, when it
#   casts. The default level keeps NaN.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  astropy==8.0.2 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from astropy.io import fits

image = np.random.default_rng(1).normal(100, 5, (64, 64)).astype(np.float32)
image[0, 0] = np.nan


def stored(kind, **level):
    part = fits.CompImageHDU(image, compression_type=kind, **level)
    fits.HDUList([fits.PrimaryHDU(), part]).writeto("i.fits", overwrite=True)
    back = fits.getdata("i.fits", 1)
    return float(back[0, 0]), float(np.abs(back - image)[1:].max())


nan, error = stored("GZIP_2", quantize_level=0)
print("GZIP_2, level 0: NaN ->", nan, "error", error)
assert np.isnan(nan) and error == 0, "changed"
nan, error = stored("RICE_1", quantize_level=0)
print("RICE_1, level 0: NaN ->", nan, "error", error)
assert nan == -2147483648 and 0.99 < error < 1, "changed"
PY
echo "as recorded"
