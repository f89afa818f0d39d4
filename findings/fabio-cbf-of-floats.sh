#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A format of integers refuses an image of floats or of wider integers, as FabIO's TIFF
#   writer refuses what it lacks.
# Seen: fabio 2026.6.0: CBF cuts floats to int32 (1e10 is 2147483646, NaN -2147483648), Bruker and
#   DTREK wrap (2^32 - 1 is -1, 2^40 is 0), OXD turns uint32 into negative numbers, PGM clips. At
#   most a line of the log tells of it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  fabio==2026.6.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import fabio
import numpy as np
from fabio.bruker100image import Bruker100Image
from fabio.cbfimage import CbfImage
from fabio.dtrekimage import DtrekImage
from fabio.OXDimage import OxdImage
from fabio.pnmimage import PnmImage

for image, end, dtype, numbers, expected in (
    (CbfImage, "cbf", np.float32, [1.7, -2.5, 1e10, np.nan], [1, -2, 2147483646, -(2**31)]),
    (Bruker100Image, "brk", np.uint32, [1, 2, 3, 2**32 - 1], [1, 2, 3, -1]),
    (DtrekImage, "img", np.int64, [1, 2, 3, 2**40], [1, 2, 3, 0]),
    (OxdImage, "oxd", np.uint32, [1, 2, 3, 2**32 - 1], [1, 2, 3, -1]),
    (PnmImage, "pgm", np.int16, [1, 2, 300, -3], [1, 2, 300, 0]),
):
    array = np.tile(np.array(numbers, dtype), (16, 4))
    image(data=array.copy()).write(f"a.{end}")
    seen = fabio.open(f"a.{end}").data[0, :4].tolist()
    print(image.__name__, array.dtype, numbers, "->", seen)
    assert seen == expected, "changed"
PY
echo "as recorded"
