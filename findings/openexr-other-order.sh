#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: OpenEXR's Python module writes the numbers of an array by its shape, as NumPy's own
#   formats do, or refuses an array that is not contiguous.
# Seen: OpenEXR 3.5.3 writes the buffer from its first number on: transposed, Fortran and strided
#   arrays come back in another order, without a message. np.ascontiguousarray avoids it. Types
#   that it does not have, as float64, are refused.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  OpenEXR==3.5.3 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import OpenEXR


def round_trip(pixels):
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
    with OpenEXR.File(header, {"Y": pixels}) as file:
        file.write("a.exr")
    with OpenEXR.File("a.exr") as file:
        return file.channels()["Y"].pixels.tolist()


image = np.arange(6, dtype=np.float32).reshape(2, 3)
wide = np.arange(12, dtype=np.float32).reshape(2, 6)
for name, pixels, expected in (
    ("transposed", image.T, [[0, 1], [2, 3], [4, 5]]),
    ("Fortran", np.asfortranarray(image), [[0, 3, 1], [4, 2, 5]]),
    ("each second column", wide[:, ::2], [[0, 1, 2], [3, 4, 5]]),
):
    seen = round_trip(pixels)
    print(f"{name}: {pixels.tolist()} -> {seen}")
    assert seen == expected and pixels.tolist() != expected, "changed"
    assert round_trip(np.ascontiguousarray(pixels)) == pixels.tolist(), "changed"
try:
    round_trip(image.astype(np.float64))
    refused = False
except ValueError:
    refused = True
assert refused, "changed"
PY
echo "as recorded"
