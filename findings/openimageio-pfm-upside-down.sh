#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: an image written as PFM by OpenImageIO and read by it has the same rows in the same order,
#   whatever its type was.
# Seen: OpenImageIO 3.2.2.0: float32 images are written right, as Pillow 13.0.0 sees them, and read
#   upside down, also those of Pillow. float16 and float64 are written upside down, and so read
#   right by OpenImageIO and wrong by Pillow.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  openimageio==3.2.2.0 pillow==13.0.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import OpenImageIO as oiio
from PIL import Image

TYPES = {"float16": "half", "float32": "float", "float64": "double"}


def write(array):
    file = oiio.ImageOutput.create("a.pfm")
    assert file.open("a.pfm", oiio.ImageSpec(2, 3, 1, TYPES[array.dtype.name])), "changed"
    assert file.write_image(array[..., None]), "changed"
    file.close()


def by_oiio():
    image = oiio.ImageInput.open("a.pfm")
    return np.squeeze(image.read_image(image.spec().format), -1).tolist()


def by_pillow():
    return np.array(Image.open("a.pfm")).tolist()


rows = [[0, 1], [2, 3], [4, 5]]
for dtype in TYPES:
    write(np.array(rows, dtype))
    print(f"{dtype}: {rows} -> OpenImageIO {by_oiio()}, Pillow {by_pillow()}")
    flipped = dtype == "float32"
    assert by_oiio() == (rows[::-1] if flipped else rows), "changed"
    assert by_pillow() == (rows if flipped else rows[::-1]), "changed"
Image.fromarray(np.array(rows, np.float32)).save("a.pfm")
print(f"by Pillow: {rows} -> OpenImageIO {by_oiio()}, Pillow {by_pillow()}")
assert by_oiio() == rows[::-1] and by_pillow() == rows, "changed"
PY
echo "as recorded"
