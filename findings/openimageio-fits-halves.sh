#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: OpenImageIO writes uint16 and uint32 to FITS with BZERO, as FITS has no unsigned types, or
#   refuses them; a type that FITS lacks is converted or refused.
# Seen: OpenImageIO 3.2.2.0 halves them: 100 of uint16 is 50 as BITPIX 16 without BSCALE and BZERO,
#   3 and 2 are both 1. int64 becomes BITPIX -32 with half of the bytes of the image as they are:
#   other numbers. Every write returns True. uint8, int16, int32, float32 and float64 are kept.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  openimageio==3.2.2.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import OpenImageIO as oiio

TYPES = {"float32": "float", "float64": "double", "uint32": "uint", "int32": "int"}


def round_trip(array):
    dtype = array.dtype.name
    file = oiio.ImageOutput.create("a.fits")
    assert file.open("a.fits", oiio.ImageSpec(3, 2, 1, TYPES.get(dtype, dtype)))
    assert file.write_image(array[..., None]), "changed"
    file.close()
    header = open("a.fits", "rb").read(2880)
    assert b"BZERO" not in header and b"BSCALE" not in header, "changed"
    image = oiio.ImageInput.open("a.fits")
    return np.squeeze(image.read_image(image.spec().format), -1)


numbers = [[1, 2, 3], [4, 5, 100]]
for dtype in ("uint8", "int16", "int32", "float32", "float64", "uint16", "uint32", "int64"):
    seen = round_trip(np.array(numbers, dtype))
    print(f"{dtype}: {numbers} -> {seen.dtype}", seen.tolist())
    if dtype in ("uint16", "uint32"):
        assert seen.tolist() == [[0, 1, 1], [2, 2, 50]], "changed"
    elif dtype == "int64":
        assert seen.dtype == np.float32 and not np.isin(seen, numbers).any(), "changed"
    else:
        assert seen.tolist() == numbers, "changed"
PY
echo "as recorded"
