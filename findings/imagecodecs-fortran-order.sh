#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: An array of Zarr v2 in Fortran order comes back as it was, whichever package brings the
#   lossless compressor, or the codec refuses it.
# Seen: imagecodecs 2026.3.6, codecs for numcodecs: zarr 3.1.6 gives them the chunk in Fortran
#   order, they store it in C order, and zarr reads it in Fortran order: the same numbers at other
#   places, in silence, with zstd, zlib, LZ4 and Pcodec. zstd of numcodecs 0.16.6 is right, and so
#   are all of them in C order.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  imagecodecs==2026.3.6 numcodecs==0.16.6 zarr==3.1.6 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W error::RuntimeWarning - <<'PY'
import numcodecs
import numpy as np
import zarr
from imagecodecs import numcodecs as theirs

numbers = np.arange(12.0).reshape(3, 4)


def stored(codec, order):
    array = zarr.create_array({}, shape=numbers.shape, chunks=numbers.shape, dtype="f8",
                              compressors=codec, order=order, zarr_format=2)
    array[:] = numbers
    return array[:]


codecs = {"Zstd": theirs.Zstd(level=3), "Zlib": theirs.Zlib(level=3), "Lz4": theirs.Lz4(),
          "Pcodec": theirs.Pcodec(shape=numbers.shape, dtype="f8")}
for name, codec in codecs.items():
    assert (stored(codec, "C") == numbers).all(), "changed"
    seen = stored(codec, "F")
    print(f"imagecodecs {name}, Fortran order, first row:", seen[0].tolist())
    assert seen[0].tolist() == [0, 3, 6, 9], "changed"
    assert sorted(seen.ravel()) == sorted(numbers.ravel()), "changed"
seen = stored(numcodecs.Zstd(level=3), "F")
print("numcodecs Zstd, Fortran order, first row:", seen[0].tolist())
assert (seen == numbers).all(), "changed"
PY
echo "as recorded"
