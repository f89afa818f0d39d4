#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: OpenEXR's lossy compressions, DWAA and B44, are off by a little where the image is
#   smooth; the largest half float stays finite, and NaN and infinity stay what they are, since
#   half floats have them.
# Seen: OpenEXR 3.5.3, an image of ones with another number in it: DWAA makes 65504 of half floats
#   infinite, and infinity and NaN 0.000001; floats from 65504 on are infinite, since it stores
#   them as half floats. B44 makes NaN and infinity of half floats 0, and leaves floats and uint32
#   as they are. The bits of 24 that PXR24 keeps are exact for NaN and infinity.
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


def round_trip(number, kind, compression):
    image = np.ones((32, 32), kind)
    image[3, 3] = number
    header = {"compression": compression, "type": OpenEXR.scanlineimage}
    with OpenEXR.File(header, {"Y": image}) as file:
        file.write("a.exr")
    with OpenEXR.File("a.exr") as file:
        return float(file.channels()["Y"].pixels[3, 3])


inf, nan = np.inf, np.nan
for name, compression, kind, expected in (
    ("DWAA", OpenEXR.DWAA_COMPRESSION, np.float16, {65504: inf, inf: 0, nan: 0}),
    ("DWAA", OpenEXR.DWAA_COMPRESSION, np.float32, {65504: inf, 1e6: inf, inf: inf, nan: 0}),
    ("B44", OpenEXR.B44_COMPRESSION, np.float16, {65504: 65504, inf: 0, nan: 0}),
    ("B44", OpenEXR.B44_COMPRESSION, np.float32, {1e6: 1e6, inf: inf, nan: nan}),
    ("PXR24", OpenEXR.PXR24_COMPRESSION, np.float32, {1e6: 1e6, inf: inf, nan: nan}),
):
    for number, there in expected.items():
        seen = round_trip(number, kind, compression)
        print(f"{name}, {kind.__name__}: {number} -> {seen:g}")
        assert np.isclose(seen, there, atol=1e-5, equal_nan=True), "changed"
PY
echo "as recorded"
