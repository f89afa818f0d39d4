#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: a big-endian array that becomes a point array of PyVista is converted in a copy.
# Seen: pyvista 0.49.1 (vtk 9.7.2) swaps the bytes in the array of the caller and leaves its
#   type: 1 of '>i4' is 16777216 afterwards, 1.0 of '>f8' is 3.04e-319. What is in the mesh is
#   right the first time; the same array given to a second mesh is wrong there. An array that is
#   read-only, as of a memory map, is refused.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pyvista==0.49.1 vtk==9.7.2 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import pyvista

for dtype in (">i4", ">f8"):
    numbers = [1, 2, 258]
    array = np.array(numbers, dtype)
    native = array.astype(array.dtype.newbyteorder("="))
    swapped = native.view(dtype)
    meshes = [pyvista.ImageData(dimensions=(3, 1, 1)) for _ in range(2)]
    meshes[0].point_data["a"] = array
    print(f"{dtype}: mesh {meshes[0].point_data['a']}, the array afterwards {array}")
    assert meshes[0].point_data["a"].tolist() == numbers, "changed"
    assert array.dtype.str == dtype and np.array_equal(array, swapped), "changed"
    meshes[1].point_data["a"] = array
    print(f"{dtype}: a second mesh {meshes[1].point_data['a']}")
    assert np.array_equal(meshes[1].point_data["a"], swapped), "changed"
    constant = np.array(numbers, dtype)
    constant.flags.writeable = False
    try:
        meshes[0].point_data["b"] = constant
        refused = False
    except ValueError as error:
        print("read-only:", error)
        refused = True
    assert refused, "changed"
    meshes[0].point_data["c"] = native
    assert native.tolist() == numbers, "changed"
PY
echo "as recorded"
