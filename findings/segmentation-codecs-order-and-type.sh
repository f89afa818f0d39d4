#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Codecs for label volumes take the order and the type from the NumPy array, or refuse those
#   that they do not support.
# Seen: compressed_segmentation 2.3.3 takes a Fortran array for one in C order: the labels come
#   back in other places, unless order='F' is said twice. crackle-codec 0.55.0 takes big-endian
#   uint16 for little-endian, 5 becomes 1280, and returns float32 as uint32 of the same bits.
#   compresso 3.3.3 refuses both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  crackle-codec==0.55.0 compressed-segmentation==2.3.3 compresso==3.3.3 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import compressed_segmentation
import compresso
import crackle
import numpy as np

labels = np.random.default_rng(1).integers(0, 5, (16, 16, 16)).astype(np.uint32)
for array, order, kept in (
    (labels, {}, True),
    (np.asfortranarray(labels), {}, False),
    (np.asfortranarray(labels), {"order": "F"}, True),
):
    data = compressed_segmentation.compress(array, **order)
    back = compressed_segmentation.decompress(data, array.shape, array.dtype, **order)
    same = bool((back == array).all())
    print(f"compressed_segmentation, C order {array.flags.c_contiguous}, {order}: same {same}")
    assert same == kept, "changed"
big = np.full((4, 4, 4), 5, ">u2")
real = np.full((4, 4, 4), 1.5, np.float32)
for array, expected in ((big, (1280, "uint16")), (real, (0x3FC00000, "uint32"))):
    back = crackle.decompress(crackle.compress(array))
    print(f"crackle: {array[0, 0, 0]} of {array.dtype} -> {back[0, 0, 0]} of {back.dtype}")
    assert (int(back[0, 0, 0]), str(back.dtype)) == expected, "changed"
    try:
        compresso.compress(array)
    except (TypeError, ValueError) as error:
        print("compresso:", str(error)[:60])
    else:
        raise AssertionError("changed")
PY
echo "as recorded"
