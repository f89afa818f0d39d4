#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: laspy refuses a coordinate or an attribute that the integers of a LAS file cannot hold.
# Seen: laspy 2.7.0 raises an error for infinity and for what is too large, but stores NaN as
#   -21474836.48 with a scale of 0.01 (on x86-64). Of the other fields, intensity 70000 is stored
#   as 4464, -1 as 65535, and a scan angle of 200 as -56; classification and return number are
#   checked.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  laspy==2.7.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import laspy
import numpy as np

header = laspy.LasHeader(point_format=3, version="1.2")
header.scales, header.offsets = [0.01] * 3, [0.0] * 3
points = laspy.LasData(header)
points.x = np.array([1.5, float("nan")])
points.y = points.z = np.zeros(2)
points.intensity = np.array([70000, -1])
points.scan_angle_rank = np.array([200, 1])
points.write("a.las")
back = laspy.read("a.las")
x = np.array(back.x).tolist()
seen = np.array(back.intensity).tolist(), np.array(back.scan_angle_rank).tolist()
print("x of 1.5, NaN:", x, "; intensity of 70000, -1 and angle of 200, 1:", seen)
assert x == [1.5, -21474836.48], "changed"
assert seen == ([4464, 65535], [-56, 1]), "changed"
for name, value in (("x", float("inf")), ("x", 1e9), ("classification", 40)):
    try:
        setattr(points, name, np.array([value, 1]))
    except OverflowError as error:
        print(f"{name} of {value}:", error)
    else:
        raise AssertionError("changed")
PY
echo "as recorded"
