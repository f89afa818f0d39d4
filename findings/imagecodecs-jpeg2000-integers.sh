#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: JPEG 2000 in its reversible mode keeps integers of 32 bits, or refuses them.
# Seen: imagecodecs 2026.3.6 (OpenJPEG) keeps numbers below 2^24. With 25 bits and more some come
#   back as other numbers, far off, without an error; so do those of tifffile 2026.3.3 with
#   compression="jpeg2000".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  imagecodecs==2026.3.6 tifffile==2026.3.3 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import imagecodecs
import numpy as np
import tifffile

random = np.random.default_rng(0)
for bits, exact in ((8, True), (16, True), (24, True), (25, False), (28, False), (32, False)):
    image = random.integers(0, 2**bits, (32, 32), np.int64).astype(np.uint32)
    encoded = imagecodecs.jpeg2k_encode(image, level=0, reversible=True)
    error = np.abs(imagecodecs.jpeg2k_decode(encoded).astype(np.int64) - image).max()
    print(f"{bits} bits: error {error}")
    assert error == 0 if exact else error > 2**24, "changed"
tifffile.imwrite("x.tif", image, compression="jpeg2000")
error = np.abs(tifffile.imread("x.tif").astype(np.int64) - image).max()
print("tifffile, 32 bits: error", error)
assert error > 2**31, "changed"
PY
echo "as recorded"
