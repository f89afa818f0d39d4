#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Lossless JPEG XL keeps each bit of float16, as it does of float32.
# Seen: imagecodecs 2026.3.6 (libjxl), lossless=True: NaN of float16 becomes infinity and numbers
#   below 6.1e-5 become others (3.1e-5 is 7e-7); larger ones are kept. float32 keeps NaN payloads
#   and subnormal numbers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  imagecodecs==2026.3.6 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from imagecodecs import jpegxl_decode, jpegxl_encode


def stored(array):
    return jpegxl_decode(jpegxl_encode(array, lossless=True)).reshape(array.shape)


single = np.array([[0x7F800001, 0xFFC00001, 1, 0x3DCCCCCD]], np.uint32).view(np.float32)
seen = stored(single)
print("float32", single, "->", seen)
assert seen.tobytes() == single.tobytes(), "changed"
half = np.arange(65536, dtype=np.uint16).view(np.float16).reshape(256, 256)
seen = stored(half)
differ = half.view(np.uint16) != seen.view(np.uint16)
for where in ((1, 3), (2, 5), (126, 0)):
    print("float16", half[where], "->", seen[where])
small = (np.abs(half) < 2**-14) & (half != 0)
print("share that differs:", f"NaN {differ[np.isnan(half)].mean():.3f},",
      f"below 2^-14 {differ[small].mean():.3f},",
      f"all others {differ[~small & ~np.isnan(half)].mean():.3f}")
assert np.isinf(seen[np.isnan(half)]).any(), "changed"
assert differ[small].mean() > 0.4, "changed"
assert not differ[~small & ~np.isnan(half)].any(), "changed"
PY
echo "as recorded"
