#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Draco has integer attributes, so DracoPy keeps a point cloud of integers, or makes floats
#   of the same value of them.
# Seen: DracoPy 2.2.0: point clouds of integers are read as the bits of floats, as numbers: 1 as
#   uint16 is 1065353216 as uint32, 1 as int32 is 1065353216.0 as float32. With faces the same
#   points are right. quantization_bits=0 does not change it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  DracoPy==2.2.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import DracoPy
import numpy as np

points = [[1, 2, 3], [4, 5, 6], [7, 8, 100]]
for source, read in (("uint8", "uint32"), ("uint16", "uint32"), ("int8", "float32"),
                     ("int32", "float32"), ("int64", "float32")):
    array = np.array(points, source)
    for bits in (0, 14):
        cloud = DracoPy.decode(DracoPy.encode(array, quantization_bits=bits)).points
        cloud = cloud[np.lexsort(cloud.T[::-1])]
        print(f"{source}, a cloud, {bits} bits:", points[0], "->", cloud.dtype, cloud[0])
        assert cloud.dtype == read, "changed"
        assert np.array_equal(cloud.astype(np.int64).astype(np.uint32).view(np.float32), points), \
            "changed"
    mesh = DracoPy.decode(DracoPy.encode(array, np.array([[0, 1, 2]]))).points
    print(f"{source}, a mesh:", points[0], "->", mesh.dtype, mesh[0])
    assert np.array_equal(mesh, points), "changed"
floats = DracoPy.decode(DracoPy.encode(np.array(points, np.float32), quantization_bits=0)).points
assert np.array_equal(floats, points), "changed"
PY
echo "as recorded"
