#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Pillow refuses NumPy arrays of types that it has no mode for, or converts them by value;
#   the smallest and largest number of an image with NaN do not depend on where it is.
# Seen: Pillow 13.0.0: Image.fromarray makes 251 of -5 of int8, and -1 of 2^32 - 1 of uint32.
#   getextrema of 1, NaN, 3 is (1, 3), of NaN, 2, 3 (NaN, NaN). Converting to integers 1e10 is
#   -2^31, to bytes 300 is 255 and NaN is 0. A table made by point doubles 60000 of uint16 to
#   54464.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pillow==13.0.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from PIL import Image


def image(numbers, kind):
    return Image.fromarray(np.array([numbers], kind))


def numbers_of(picture):
    return np.asarray(picture).ravel().tolist()


for numbers, kind, expected in (
    ([-5, 1], np.int8, [251, 1]),
    ([2**32 - 1, 1], np.uint32, [-1, 1]),
    ([-5, 1], np.int16, [-5, 1]),
):
    picture = image(numbers, kind)
    print(kind.__name__, numbers, "->", picture.mode, numbers_of(picture))
    assert picture.mode == "I" and numbers_of(picture) == expected, "changed"
    picture.save("a.tif")
    assert numbers_of(Image.open("a.tif")) == expected, "changed"
for kind in (np.int64, np.float16):
    try:
        image([1, 2], kind)
        refused = False
    except TypeError:
        refused = True
    assert refused, "changed"
for numbers, expected in (([1, np.nan, 3], (1, 3)), ([np.nan, 2, 3], (np.nan, np.nan))):
    seen = image(numbers, np.float32).getextrema()
    print("getextrema of", numbers, "->", seen)
    assert np.array_equal(seen, expected, equal_nan=True), "changed"
numbers = [1.7, -3, 300, np.nan, 1e10]
picture = image(numbers, np.float32)
print(numbers, "->", numbers_of(picture.convert("I")), numbers_of(picture.convert("L")))
assert numbers_of(picture.convert("I")) == [1, -3, 300, -(2**31), -(2**31)], "changed"
assert numbers_of(picture.convert("L")) == [1, 0, 255, 0, 255], "changed"
seen = numbers_of(image([60000, 1], np.uint16).point(lambda x: x * 2))
print("60000 of uint16, doubled by point ->", seen[0])
assert seen == [120000 - 2**16, 2], "changed"
PY
echo "as recorded"
