#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A virtual dataset whose source file is gone cannot be read, as one whose external raw
#   file is gone.
# Seen: h5py 3.16.0 (HDF5 2.0.0) returns the fill value, 0, for the rows of the missing file,
#   without an error or a warning. The external raw file raises OSError.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  h5py==3.16.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
from pathlib import Path

import h5py
import numpy as np

layout = h5py.VirtualLayout((2, 3), "f8")
for row in range(2):
    with h5py.File(f"{row}.h5", "w") as file:
        file["x"] = np.arange(1.0, 4.0)
    layout[row] = h5py.VirtualSource(f"{row}.h5", "x", (3,))
with h5py.File("all.h5", "w") as file:
    file.create_virtual_dataset("x", layout)
    file.create_dataset("raw", data=np.ones(3), external=[("raw.bin", 0, 24)])
Path("1.h5").unlink()
Path("raw.bin").unlink()
with h5py.File("all.h5") as file:
    seen = file["x"][:].tolist()
    print("virtual:", seen)
    assert seen == [[1, 2, 3], [0, 0, 0]], "changed"
    try:
        seen = str(file["raw"][:])
    except OSError as error:
        seen = str(error)
    print("external:", seen)
    assert "unable to open external raw data file" in seen, "changed"
PY
echo "as recorded"
