#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: All ways to read an ENVI image by Spectral Python (SPy) give the type of the file.
# Seen: spectral 0.24: load() gives float32 for any integers and for float64, 16777217 is 16777216
#   and 1/3 has 7 digits; img[...], read_band, read_subregion, asarray and open_memmap keep the
#   type. save_image(dtype=np.int16) wraps: 2^16 + 7 is 7, 1.9 is 1.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  spectral==0.24 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import spectral.io.envi as envi


def saved(numbers, **options):
    envi.save_image("a.hdr", np.array(numbers).reshape(1, -1, 1), force=True, **options)
    return envi.open("a.hdr")


for numbers in ([2**24 + 1, 5, 2**31 - 1], [1 / 3, 1e300, 0.1]):
    image = saved(numbers)
    kind = np.array(numbers).dtype
    for name, read in (
        ("img[:, :, :]", lambda: image[:, :, :]),
        ("read_band", lambda: image.read_band(0)),
        ("read_subregion", lambda: image.read_subregion((0, 1), (0, 3))),
        ("asarray", lambda: image.asarray()),
        ("open_memmap", lambda: image.open_memmap()),
    ):
        seen = np.asarray(read())
        assert seen.dtype == kind and seen.ravel().tolist() == numbers, f"changed: {name}"
    with np.errstate(over="ignore"):
        seen = np.asarray(image.load())
        print(numbers, "-> load:", seen.dtype, seen.ravel().tolist())
        assert seen.dtype == np.float32, "changed"
        assert seen.ravel().tolist() == np.array(numbers, np.float32).tolist(), "changed"
numbers = [2**16 + 7, 40000, -5]
seen = saved(numbers, dtype=np.int16).asarray().ravel().tolist()
print(numbers, "as int16 ->", seen)
assert seen == [7, 40000 - 2**16, -5], "changed"
assert saved([1.9, -1.9], dtype=np.int16).asarray().ravel().tolist() == [1, -1], "changed"
PY
echo "as recorded"
