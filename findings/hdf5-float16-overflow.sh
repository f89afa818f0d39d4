#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: HDF5 converts float32 to float16 as IEEE 754, NumPy and hardware do: what is nearer to
#   65504 than to 65536 becomes 65504.
# Seen: h5py 3.16.0 (HDF5 2.0.0): each number above 65504 becomes infinite when written to float16,
#   65505 too, where NumPy gives 65504 up to 65519; integers likewise. So does a double just above
#   the largest float32. In a bfloat16 made of HDF5's float fields ties go up, and the largest
#   float32 does not become infinite.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  h5py==3.16.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import h5py
import numpy as np
from h5py import h5d, h5s, h5t

inf = float("inf")
with h5py.File("a.h5", "w") as file:
    for numbers, kind, expected in (
        (np.array([65504, 65505, 65519, 65520], "f4"), "f2", [65504, inf, inf, inf]),
        (np.array([65504, 65505, 65519, 65520], "i4"), "f2", [65504, inf, inf, inf]),
        (np.array([3.4028235677973362e38]), "f4", [inf]),
    ):
        dataset = file.create_dataset(f"{numbers.dtype} {kind}", numbers.shape, kind)
        dataset[:] = numbers
        seen, numpy = dataset[:].tolist(), numbers.astype(kind).tolist()
        print(f"{numbers} as {kind}: HDF5 {seen}, NumPy {numpy}")
        assert seen == expected, "changed"
        assert max(x for x in numpy if x != inf) <= np.finfo(kind).max, "changed"
        assert numpy[0] == np.finfo(kind).max, "changed"
    bfloat16 = h5t.IEEE_F32LE.copy()
    bfloat16.set_fields(15, 7, 8, 0, 7)
    bfloat16.set_size(2)
    bfloat16.set_ebias(127)
    numbers = np.array([0x3F808000, 0x3F818000, 0x7F7FFFFF], np.uint32).view(np.float32)
    dataset = h5d.create(file.id, b"b", bfloat16, h5s.create_simple(numbers.shape))
    dataset.write(h5s.ALL, h5s.ALL, numbers)
    back = np.empty_like(numbers)
    dataset.read(h5s.ALL, h5s.ALL, back)
seen = [f"{x >> 16:04x}" for x in back.view(np.uint32).tolist()]
print("3f808000 3f818000 7f7fffff as bfloat16 ->", seen)
assert seen == ["3f81", "3f82", "7f7f"], "changed"
PY
echo "as recorded"
