#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: gsd refuses arrays whose numbers do not fit the integers of its schema, as it does with
#   lists.
# Seen: gsd 5.0.1: a list with 2^32 + 5 is refused, an array of int64 wraps: 2^32 + 5 is 5, a type
#   of -1 is 4294967295, an image of 2^32 + 5 is 5, a body of 2^31 is -2^31. 1.7 is 1.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  gsd==5.0.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import gsd.hoomd
import numpy as np


def round_trip(name, numbers):
    frame = gsd.hoomd.Frame()
    frame.particles.N = len(numbers)
    setattr(frame.particles, name, numbers)
    with gsd.hoomd.open("a.gsd", "w") as file:
        file.append(frame)
    with gsd.hoomd.open("a.gsd") as file:
        return getattr(file[0].particles, name)


for name, numbers, expected in (
    ("typeid", np.array([2**32 + 5, -1, 2]), [5, 2**32 - 1, 2]),
    ("typeid", np.array([1.7, 0.2, 2]), [1, 0, 2]),
    ("body", np.array([2**31, -1, 5]), [-(2**31), -1, 5]),
    ("image", np.array([[2**32 + 5, 0, -7]]), [[5, 0, -7]]),
):
    seen = round_trip(name, numbers)
    print(f"{name}: {numbers.tolist()} -> {seen.dtype} {seen.tolist()}")
    assert seen.tolist() == expected, "changed"
try:
    round_trip("typeid", [2**32 + 5, 1, 2])
    refused = False
except OverflowError:
    refused = True
assert refused, "changed"
PY
echo "as recorded"
