#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: set_pixel_data of pydicom takes an array of any byte order, or refuses big-endian ones.
# Seen: pydicom 3.0.2: the bytes of big-endian arrays are stored as if they were little-endian: 1
#   comes back as 256, 5000 as 34835, without a warning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pydicom==3.0.2 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W error::UserWarning - <<'PY'
import numpy as np
from pydicom.dataset import Dataset, FileMetaDataset

for kind, expected in (("<u2", [1, 2, 5000, 0]), (">u2", [256, 512, 34835, 0])):
    image = Dataset()
    image.file_meta = FileMetaDataset()
    image.file_meta.TransferSyntaxUID = "1.2.840.10008.1.2.1"
    image.set_pixel_data(np.array([[1, 2, 5000, 0]], kind), "MONOCHROME2", 16)
    seen = image.pixel_array[0].tolist()
    print(f"1, 2, 5000, 0 of {kind} ->", seen)
    assert seen == expected, "changed"
PY
echo "as recorded"
